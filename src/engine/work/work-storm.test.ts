import { expect, test } from 'vitest';
import { type FixtureWorker, openWorkPlace, workEngines } from '../../../tests/support/work-fixture.ts';
import { createSeededRandomness } from '../ports/randomness.ts';
import type { AttemptResult, TaskHandler } from './task-attempt.ts';
import { type TaskState, taskStates } from './task-book.ts';

const outputHash = 'a'.repeat(64);
const taskCount = process.env['VAK_ENDURANCE'] === undefined ? 1_000 : 10_000;
const workerCount = 8;

/** What a task does by its number: most are done, some fail now and then, some always. */
function resultOf(number: number, attempt: number): AttemptResult {
  const failed = { kind: 'failed', reason: 'as planned', errorClass: 'exit.1', exitCode: 1, outputHash } as const;
  if (number % 50 === 7) return failed;
  if (number % 10 === 3 && attempt === 1) return failed;
  return { kind: 'done', exitCode: 0, outputHash };
}

test.each(workEngines)(
  `W7 on the engine %s: of ${taskCount} tasks each ends as one done or one dead letter, whichever workers are killed`,
  async (engine) => {
    const place = await openWorkPlace(engine, { ackWaitMs: 1_000 });
    const random = createSeededRandomness(20_261_130);
    const chance = (): number => (random.bytes(1)[0] ?? 0) / 256;
    const handler: TaskHandler = async ({ task, attempt }) => resultOf(Number(task.command?.[0]), attempt);
    const poisoned = new Set<string>();
    let started = 0;
    const start = (): Promise<FixtureWorker> =>
      place.startWorker(`w${started++}`, { handler, concurrency: 4, hurry: 100 });
    const workers = await Promise.all(Array.from({ length: workerCount }, start));
    await place.startSupervisor('sue');

    for (let number = 0; number < taskCount; number++) {
      const taskId = await place.submit({ command: [String(number)] });
      if (number % 50 === 7) poisoned.add(taskId);
      if (number % 60 !== 30) continue;
      const at = Math.floor(chance() * workerCount);
      workers[at]?.kill();
      workers[at] = await start();
    }
    await expect.poll(place.leftCount, { timeout: 60 * taskCount, interval: 50 }).toBe(0);

    await place.refresh();
    const counts = place.lasting.counts();
    const total = (states: readonly TaskState[]): number => states.reduce((sum, state) => sum + counts[state], 0);
    expect(total(taskStates)).toBe(taskCount);
    expect(counts).toMatchObject({ queued: 0, retrying: 0, lost: 0, purged: 0 });
    const letters = await place.deadLetters();
    const dead = letters.map(({ envelopeId }) => envelopeId ?? '');
    expect(new Set(dead).size).toBe(dead.length);
    expect([...poisoned].filter((taskId) => !dead.includes(taskId))).toEqual([]);
    // A worker that is killed at the last delivery leaves it to the supervisor to say what is known.
    const others = letters.filter(({ envelopeId }) => !poisoned.has(envelopeId ?? ''));
    expect(others.filter(({ errorClass }) => errorClass !== 'worker-lost')).toEqual([]);
    await place.close();
  },
  120 * taskCount,
);
