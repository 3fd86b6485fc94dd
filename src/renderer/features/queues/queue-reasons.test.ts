import { describe, expect, it } from 'vitest';
import { connectionsState, prod } from '../../../../tests/support/connections-state.ts';
import { queueState } from '../../../../tests/support/queue-states.ts';
import type { QueuesState } from '../../../shared/contract/queues-contract.ts';
import { type QueueSituation, whyNotEnqueue, whyNotPause, whyNotPurge, whyNotResume } from './queue-reasons.ts';

const state: QueuesState = {
  ...{ readAtMs: 1, problem: null, sampleMs: 2000, leftOutCount: 0, supervisor: { kind: 'running', why: null } },
  purges: [],
  queues: [
    queueState('busy', { lag: 3 }),
    queueState('held', { health: 'paused', paused: { by: 'operator', sinceMs: 1 } }),
  ],
};
const writable = connectionsState({ contexts: [{ ...prod, isReadOnly: false }] });
const at = (selected: string | null, connection = writable): QueueSituation => ({ connection, state, selected });

describe('why not', () => {
  it('A10 a read-only connection changes no queue, and says so first', () => {
    const readOnly = connectionsState();
    expect(whyNotEnqueue({ connection: readOnly })).toBe(
      'the connection prod is read-only; use another one or change it in Settings, Connections',
    );
    for (const why of [whyNotPause, whyNotPurge]) expect(why(at('busy', readOnly))).toMatch('read-only');
    expect(whyNotResume(at('held', readOnly))).toMatch('read-only');
  });

  it('without a connection nothing is sent', () => {
    const lost = connectionsState({
      contexts: [{ ...prod, isReadOnly: false }],
      status: { kind: 'closed', why: 'gone' } as never,
    });
    expect(whyNotEnqueue({ connection: lost })).toMatch('no connection');
    expect(whyNotPause(at('busy', lost))).toMatch('no connection');
  });

  it('a queue has to be selected and there', () => {
    expect(whyNotPause(at(null))).toBe('select a queue first');
    expect(whyNotPurge(at('gone'))).toBe('it is gone');
  });

  it('what is paused is resumed, and the other way round; an empty queue is not purged', () => {
    expect([whyNotPause(at('busy')), whyNotResume(at('busy'))]).toEqual([undefined, 'it is not paused']);
    expect([whyNotPause(at('held')), whyNotResume(at('held'))]).toEqual(['it is paused already', undefined]);
    expect([whyNotPurge(at('busy')), whyNotPurge(at('held'))]).toEqual([undefined, 'nothing stands in it']);
  });
});
