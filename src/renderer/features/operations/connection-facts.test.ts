import { describe, expect, it } from 'vitest';
import { at, connectionsState, prod } from '../../../../tests/support/connections-state.ts';
import type { ConnectionContext, ConnectionsState } from '../../../shared/contract/connections-contract.ts';
import { connectionFacts } from './connection-facts.ts';

const embedded: ConnectionContext = { ...prod, name: 'embedded', kind: 'embedded', url: null, isReadOnly: false };
const place = { zone: 'utc', nowMs: at('14:05:00') } as const;

function factsOf(more: Partial<ConnectionsState>): ReadonlyMap<string, string> {
  const state = connectionsState({ contexts: [embedded, prod], ...more });
  return new Map(connectionFacts(state, place));
}

describe('facts of the connection', () => {
  it('B8 name kind, server, version, state with since, and round trip', () => {
    expect([...factsOf({})]).toEqual([
      ['Context', 'prod · read-only'],
      ['Kind', 'remote'],
      ['Server', 'tls://a:4222'],
      ['Version', 'n1 2.9.10'],
      ['State', 'connected since 14:00:00 UTC · 5\u00a0min ago'],
      ['Round trip', '4\u00a0ms'],
    ]);
  });

  it('B9 give no round trip that is not of now, and say from when what is shown is', () => {
    const facts = factsOf({
      status: { kind: 'reconnecting', sinceMs: at('14:03:09'), attempt: 2, error: null },
      staleSinceMs: at('14:03:07'),
      outages: [{ fromMs: at('14:03:07'), toMs: null, afterSeq: 3 }],
    });
    expect([facts.get('Round trip'), facts.get('Shown is from'), facts.get('Last outage')]).toEqual([
      '–',
      '14:03:07 UTC',
      '14:03:07 – now',
    ]);
    expect(facts.get('State')).toContain('reconnecting 2 since 14:03:09');
  });

  it('ask nothing of a server where there is none', () => {
    const facts = factsOf({ current: 'embedded', server: null, rttMs: null });
    expect([...facts.keys()]).toEqual(['Context', 'Kind', 'Bus', 'State']);
    expect(factsOf({ current: 'gone' }).get('Kind')).toBe('not in the settings any more');
  });
});
