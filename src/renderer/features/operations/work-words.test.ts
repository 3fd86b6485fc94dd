import { describe, expect, it } from 'vitest';
import { at, connectionsState } from '../../../../tests/support/connections-state.ts';
import type { QueueState } from '../../../shared/contract/queues-contract.ts';
import { ageWords, chooseQueues, oldestWords, restWords } from './work-words.ts';

const queue = (name: string, lag: number) => ({ queue: name, lag }) as QueueState;

describe('the work as a whole', () => {
  it('W9 the five with the most to do stand by name, so that a place does not jump; the rest is counted', () => {
    const queues = [...'gfedcba'].map((name, index) => queue(name, index === 0 ? 100 : index));
    const choice = chooseQueues({ queues, leftOutCount: 2 });
    expect(choice.shown.map((one) => one.queue)).toEqual(['a', 'b', 'c', 'd', 'g']);
    expect(choice).toMatchObject({ restCount: 4, restLag: 3 });
    expect(restWords(choice)).toBe('4 more queues · 3 tasks');
    expect(restWords(chooseQueues({ queues: queues.slice(0, 5), leftOutCount: 0 }))).toBeUndefined();
  });

  it('W9 what cannot be told is a dash', () => {
    expect(oldestWords({ oldestMs: null }, 5)).toBe('–');
    expect(oldestWords({ oldestMs: 1_000 }, 66_000)).toBe('1\u00a0min 05\u00a0s');
  });

  it('B8 figures that are not of now say from when they are', () => {
    const problem = { code: 'timeout', message: 'no answer', retryable: true } as const;
    const now = connectionsState({});
    expect(ageWords({ readAtMs: 5, problem: null }, now, 'utc')).toBeUndefined();
    expect(ageWords({ readAtMs: null, problem: null }, now, 'utc')).toBe('reading…');
    expect(ageWords({ readAtMs: at('14:03:07'), problem }, now, 'utc')).toBe('as of 14:03:07');
    const stale = connectionsState({ staleSinceMs: at('14:03:09') });
    expect(ageWords({ readAtMs: 5, problem }, stale, 'utc')).toBe('stale since 14:03:09');
  });
});
