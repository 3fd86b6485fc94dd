import { describe, expect, it } from 'vitest';
import { at, connectionsState, prod } from '../../../tests/support/connections-state.ts';
import {
  currentContext,
  formatRoundTrip,
  momentWords,
  outageWords,
  outboxWords,
  placeWords,
  publishLack,
  readOnlyReason,
  statusNote,
  statusTone,
  statusWord,
} from './connection-words.ts';

describe('words of a connection', () => {
  it('B8 what waits in the outbox is counted, with since when', () => {
    expect(outboxWords({ outbox: null }, 'utc')).toBeUndefined();
    expect(outboxWords({ outbox: { waitingCount: 0, oldestMs: null, problem: null } }, 'utc')).toBeUndefined();
    expect(outboxWords({ outbox: { waitingCount: 1, oldestMs: at('14:03:07'), problem: null } }, 'utc')).toBe(
      '1 message waits in the outbox since 14:03:07',
    );
    expect(outboxWords({ outbox: { waitingCount: 2, oldestMs: null, problem: null } }, 'utc')).toBe(
      '2 messages wait in the outbox',
    );
  });

  it('B8 each state has one word and one tone; attempts are counted', () => {
    expect(statusWord({ kind: 'reconnecting', sinceMs: 0, attempt: 3, error: null })).toBe('reconnecting 3');
    expect(statusWord({ kind: 'stale', sinceMs: 0 })).toBe('stale');
    const kinds = ['connecting', 'connected', 'stale', 'reconnecting', 'closed'] as const;
    expect(kinds.map((kind) => statusTone({ kind }))).toEqual(['wait', 'ok', 'wait', 'bad', 'bad']);
  });

  it('B9 says the round trip of a server that is connected, and instead of it since when what is shown is old', () => {
    expect(statusNote(connectionsState(), 'utc')).toBe('RTT 4\u00a0ms');
    expect(statusNote(connectionsState({ rttMs: null }), 'utc')).toBe('');
    expect(statusNote(connectionsState({ server: null }), 'utc')).toBe('');
    expect(statusNote(connectionsState({ status: { kind: 'connecting', sinceMs: 0 } }), 'utc')).toBe('');
    expect(statusNote(connectionsState({ staleSinceMs: at('14:03:07') }), 'utc')).toBe('stale since 14:03:07');
  });

  it('rounds no round trip down to nothing', () => {
    expect([0.2, 0.99, 1, 41.6].map(formatRoundTrip)).toEqual([
      '<\u00a01\u00a0ms',
      '<\u00a01\u00a0ms',
      '1\u00a0ms',
      '42\u00a0ms',
    ]);
  });

  it('gives the reason why nothing can be published, of the context in use alone', () => {
    expect(readOnlyReason(connectionsState())).toBe('the connection prod is read-only');
    expect(publishLack(connectionsState())).toBe(
      'the connection prod is read-only; use another one or change it in Settings, Connections',
    );
    expect(
      readOnlyReason(
        connectionsState({ contexts: [prod, { ...prod, name: 'dev', isReadOnly: false }], current: 'dev' }),
      ),
    ).toBe(undefined);
    expect(readOnlyReason(undefined)).toBeUndefined();
    expect(currentContext(connectionsState({ current: 'gone' }))).toBeUndefined();
  });

  it('B8 an outage says from when to when, how long, and what is missing', () => {
    expect(outageWords({ fromMs: at('14:03:07'), toMs: at('14:03:19') }, 'utc')).toBe(
      'connection lost 14:03:07 – 14:03:19 · 12.0\u00a0s; what passed on the bus meanwhile is not here',
    );
    expect(outageWords({ fromMs: at('14:03:07'), toMs: null }, 'utc')).toBe(
      'connection lost 14:03:07 – now; what passes on the bus meanwhile is not here',
    );
    expect(momentWords(at('14:03:07.900'), 'utc')).toBe('14:03:07 UTC');
  });

  it('says where it leads', () => {
    expect(placeWords({ ...prod, url: 'tls://a:4222,tls://b' })).toBe('tls://a:4222, tls://b');
    expect(placeWords({ kind: 'remote', url: null })).toBe('no server is set');
    expect(placeWords({ kind: 'embedded', url: null })).toBe('in this app, no server');
  });
});
