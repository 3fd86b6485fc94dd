import { describe, expect, it } from 'vitest';
import { swarmStateOf } from '../../../tests/support/swarm-state.ts';
import type { ConnectionsState } from '../../shared/contract/connections-contract.ts';
import type { WorkerSummary } from '../../shared/contract/swarm-contract.ts';
import {
  liveWorkers,
  movedWords,
  moveWords,
  publishesWords,
  swarmTrouble,
  taskWords,
  workerWord,
} from './swarm-words.ts';

const prod = { name: 'prod', kind: 'remote', url: 'nats://a:4222', isReadOnly: false } as const;
const locked = { ...prod, name: 'locked', isReadOnly: true } as const;

function stateOf(current: string, kind: string): ConnectionsState {
  return { contexts: [prod, locked], current, status: { kind, sinceMs: 0 } } as unknown as ConnectionsState;
}

describe('where the swarm publishes', () => {
  it('is said before the connection is changed', () => {
    expect(moveWords(4, prod)).toBe('4 workers of the local swarm will publish to prod (nats://a:4222).');
    expect(moveWords(1, { name: 'embedded', kind: 'embedded', url: null, isReadOnly: false })).toBe(
      '1 worker of the local swarm will publish to embedded.',
    );
    expect(moveWords(4, locked)).toBe('4 workers of the local swarm will publish nothing: locked is read-only.');
  });

  it('is said after it was changed', () => {
    expect(movedWords(1, stateOf('prod', 'connected'))).toBe('1 worker of the local swarm publishes to prod now.');
    expect(movedWords(4, stateOf('locked', 'connected'))).toBe(
      '4 workers of the local swarm cannot publish: the connection locked is read-only.',
    );
  });

  it.each([
    ['prod', 'connected', 'publishes to prod', 'idle'],
    ['prod', 'stale', 'publishes to prod', 'idle'],
    ['prod', 'reconnecting', 'cannot publish: there is no connection to prod', 'cannot publish'],
    ['prod', 'closed', 'cannot publish: there is no connection to prod', 'cannot publish'],
    ['locked', 'connected', 'cannot publish: the connection locked is read-only', 'cannot publish'],
  ])('on %s, which is %s: %s; an idle worker is %s', (current, kind, words, idle) => {
    const state = stateOf(current, kind);
    expect(publishesWords(state)).toBe(words);
    const fault = words.startsWith('cannot') ? words.slice('cannot publish: '.length) : undefined;
    expect(workerWord({ state: 'idle' }, fault)).toBe(idle);
    expect(workerWord({ state: 'dead' }, fault)).toBe('dead');
  });

  it('an idle worker that cannot claim, and a task that waits for approval, are called so', () => {
    expect(workerWord({ state: 'idle', problem: 'its outbox is damaged' }, undefined)).toBe('cannot claim');
    const task = { taskId: 't', command: ['sh', '-c', '# a\u202eb\nls'], startedMs: 0, isWaiting: true };
    expect(workerWord({ state: 'busy', task }, undefined)).toBe('waiting');
    expect(workerWord({ state: 'busy', task: { ...task, isWaiting: false } }, undefined)).toBe('busy');
    expect(taskWords(task)).toBe('waits for approval: a‹U+202E›b');
  });

  it('what is wrong with all of it is one sentence', () => {
    expect(swarmTrouble(swarmStateOf())).toBeUndefined();
    expect(swarmTrouble(swarmStateOf({ problem: '9 workers died' }))).toBe('9 workers died.');
    const keptOut = { peers: ['swarm', 'worker-1'], why: 'it was not told' };
    expect(swarmTrouble(swarmStateOf({ keptOut }))).toBe('swarm, worker-1: it was not told.');
    expect(swarmTrouble(swarmStateOf({ coordinator: { kind: 'failed', why: 'no streams' } }))).toBe(
      'No tasks are put into the queue: no streams.',
    );
  });

  it('counts the workers that have a process', () => {
    const workers = (['idle', 'busy', 'dead', 'ended', 'starting'] as const).map(
      (state) => ({ state }) as WorkerSummary,
    );
    expect([liveWorkers({ workers }), liveWorkers(undefined)]).toEqual([3, 0]);
  });
});
