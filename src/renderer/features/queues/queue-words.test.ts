import { describe, expect, it } from 'vitest';
import { queueState } from '../../../../tests/support/queue-states.ts';
import { thinSpace } from '../../ui/format.ts';
import { isAmiss, outcomes, pageWords, purgedWords, rememberedCount, summaryWords } from './queue-words.ts';

it('W9 what was read is told as of when it was read, and what there is by now', () => {
  const at = '12:03:04 UTC';
  expect(pageWords({ shown: 50, of: 1203, at, now: 1310 })).toBe(
    '50 of 1\u202f203 tasks as of 12:03:04 UTC, now 1\u202f310',
  );
  expect(pageWords({ shown: 3, of: 3, at, now: 3 })).toBe('3 tasks as of 12:03:04 UTC');
  expect(pageWords({ shown: 1, of: 1, at, now: 0 })).toBe('1 task as of 12:03:04 UTC, now 0');
});

describe('words for queues', () => {
  it('W9 the summary says how many have to be looked at, and how much is to do', () => {
    expect(summaryWords([])).toBe('0 queues · nothing waits');
    const queues = [
      queueState('a', { lag: 1204, health: 'stuck' }),
      queueState('b', { lag: 1, health: 'no-consumer' }),
      queueState('c', { health: 'paused' }),
    ];
    expect(summaryWords(queues)).toBe(`3 queues · 2 to look at · 1${thinSpace}205 tasks to do`);
    expect(summaryWords([queueState('a', { lag: 1, health: 'ok' })])).toBe('1 queue · 1 task to do');
  });

  it('W9 a queue that an operator paused is not amiss', () => {
    expect(isAmiss({ health: 'paused' })).toBe(false);
    expect(isAmiss({ health: 'stuck' })).toBe(true);
    expect(isAmiss({ health: 'no-consumer' })).toBe(true);
  });

  it('W7 every outcome is counted once', () => {
    const counts = Object.fromEntries(outcomes.map((outcome, at) => [outcome, 2 ** at])) as ReturnType<
      typeof queueState
    >['outcomes'];
    expect(rememberedCount(counts)).toBe(2 ** outcomes.length - 1);
    expect(outcomes).toHaveLength(8);
  });

  it('a purge says what went, what had left before, and what came later', () => {
    expect(purgedWords({ queue: 'render', asked: 1204, purged: 1204, left: 0 })).toBe(
      `1${thinSpace}204 tasks purged from render.`,
    );
    expect(purgedWords({ queue: 'render', asked: 4, purged: 1, left: 1 })).toBe(
      '1 task purged from render. 3 tasks had left it before. 1 task came later and stays.',
    );
  });
});
