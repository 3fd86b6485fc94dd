import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { VakError } from '../../shared/base/vak-error.ts';
import { labelledFields } from '../../shared/protocol/labelled-fields.ts';
import { startTrace } from '../../shared/protocol/trace-context.ts';
import { createFakeClock } from '../ports/fake-clock.ts';
import { createSeededRandomness } from '../ports/randomness.ts';
import type { ApprovalAnswer, ApprovalQuestion } from './approval-gate.ts';
import { createFunctionHandler, type FunctionTools, maxOutputBytes, type TaskFunction } from './function-handler.ts';
import { noOutputHash, type Task, type TaskAttempt } from './task-attempt.ts';
import { TaskFailure } from './task-failure.ts';

const randomness = createSeededRandomness(5);

interface Place {
  readonly task?: Task;
  readonly answer?: ApprovalAnswer;
}

/** One attempt with a function of the test's own. */
function begin(run: TaskFunction, { task = { input: 1 }, answer = { kind: 'expired' } }: Place = {}) {
  const clock = createFakeClock();
  const stopping = new AbortController();
  const questions: ApprovalQuestion[] = [];
  const approvals = {
    async ask(question: ApprovalQuestion): Promise<ApprovalAnswer> {
      questions.push(question);
      return answer;
    },
  };
  const attempt: TaskAttempt = {
    ...{ taskId: 't1', taskLeaf: 'a'.repeat(64), queue: 'q', attempt: 2, maxAttempts: 4, task },
    ...{ trace: startTrace(randomness.bytes), signal: stopping.signal },
  };
  const result = createFunctionHandler({ run, approvals, approvalMs: 60_000, clock })(attempt);
  return { result, clock, stop: () => stopping.abort(), questions };
}

const sha256 = (text: string): Buffer => createHash('sha256').update(text).digest();
const hashOf = (stdout: string): string =>
  createHash('sha256')
    .update(labelledFields('vak-output-v1', [sha256(stdout), sha256('')]))
    .digest('hex');
const settle = () => new Promise((resolve) => setImmediate(resolve));
/** Ends by throwing when its signal says so. */
const heedful: TaskFunction = (_, { signal }) =>
  new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)));

test('W6 C4 what a function gives is its output, with the hash of its JSON; nothing is nothing', async () => {
  const seen: Task[] = [];
  const output = { text: 'é', list: [1, null] };
  const { result, clock } = begin(({ task }) => {
    seen.push(task);
    return Promise.resolve(output);
  });
  expect(await result).toEqual({ kind: 'done', output, outputHash: hashOf(JSON.stringify(output)) });
  expect(await begin(() => undefined).result).toEqual({ kind: 'done', outputHash: hashOf('') });
  expect(await begin(() => null).result).toEqual({ kind: 'done', output: null, outputHash: hashOf('null') });
  expect([seen, clock.timerCount]).toEqual([[{ input: 1 }], 0]);
});

test('W6 C4 a large output is told by its hash alone, what is no JSON has failed for good', async () => {
  const fits = 'x'.repeat(maxOutputBytes - 2);
  expect(await begin(() => fits).result).toMatchObject({ kind: 'done', output: fits });
  const large = `${fits}x`;
  expect(await begin(() => large).result).toEqual({ kind: 'done', outputHash: hashOf(JSON.stringify(large)) });
  const cycle: Record<string, unknown> = {};
  cycle['self'] = cycle;
  for (const output of [cycle, 10n]) {
    const result = await begin(() => output).result;
    expect(result).toMatchObject({ kind: 'failed', errorClass: 'invalid-output', isFinal: true });
  }
});

test.each([
  ['an error', new TypeError('no page'), { reason: 'no page', errorClass: 'TypeError', isFinal: false }],
  [
    'one without words',
    Object.assign(new Error('x'), { message: '' }),
    { reason: 'Error', errorClass: 'Error', isFinal: false },
  ],
  [
    'a failure',
    new TaskFailure('gone', { errorClass: 'http.410', isFinal: true }),
    { reason: 'gone', errorClass: 'http.410', isFinal: true },
  ],
  ['a plain failure', new TaskFailure('busy'), { reason: 'busy', errorClass: 'failed', isFinal: false }],
  ['one of no class', new TaskFailure('x', { errorClass: '' }), { reason: 'x', errorClass: 'failed', isFinal: false }],
  [
    'an expected failure',
    new VakError('disconnected', 'away'),
    { reason: 'away', errorClass: 'disconnected', isFinal: false },
  ],
  ['no error', 'secret words', { reason: 'it threw string, no error', errorClass: 'thrown', isFinal: false }],
])('W6 C4 what a function throws is a failed attempt: %s', async (_, thrown, told) => {
  for (const run of [() => Promise.reject(thrown), () => thrower(thrown)]) {
    expect(await begin(run).result).toMatchObject({ kind: 'failed', outputHash: noOutputHash, ...told });
  }
});

function thrower(thrown: unknown): never {
  throw thrown;
}

test('W4 C4 a stack fits a receipt, and an error class too', async () => {
  const error = new Error('deep');
  error.name = 'N'.repeat(300);
  error.stack = 's'.repeat(20_000);
  const result = await begin(() => Promise.reject(error)).result;
  expect(result).toMatchObject({ kind: 'failed', errorClass: 'N'.repeat(256) });
  expect(Buffer.byteLength('stack' in result ? (result.stack ?? '') : '')).toBe(8 * 1024);
});

test('W1 C4 what a function throws because its worker stops has not failed; what it has done is done', async () => {
  const stopped = begin(heedful);
  await settle();
  stopped.stop();
  expect(await stopped.result).toEqual({ kind: 'returned' });
  const finished = begin(
    (_, { signal }) => new Promise((resolve) => signal.addEventListener('abort', () => resolve(1))),
  );
  await settle();
  finished.stop();
  expect(await finished.result).toMatchObject({ kind: 'done', output: 1 });
});

test('W6 C4 when the time of a task is over its signal says so, and who does not heed it is left behind', async () => {
  const reasons: unknown[] = [];
  const task = { input: 1, timeoutMs: 1_000 };
  const heeding = begin(
    (attempt, tools) => {
      tools.signal.addEventListener('abort', () => reasons.push(tools.signal.reason));
      return heedful(attempt, tools);
    },
    { task },
  );
  await settle();
  heeding.clock.advance(1_000);
  const timedOut = { kind: 'failed', errorClass: 'timeout', isFinal: false, reason: 'timed out after 1 s' };
  expect(await heeding.result).toMatchObject(timedOut);
  expect(reasons).toMatchObject([{ code: 'timeout' }]);
  let fail = (_: Error): void => {};
  const deaf = begin(() => new Promise((_, reject) => (fail = reject)), { task });
  await settle();
  deaf.clock.advance(5_999);
  const early = await Promise.race([deaf.result, settle().then(() => 'still at it')]);
  deaf.clock.advance(1);
  expect([early, await deaf.result]).toMatchObject(['still at it', timedOut]);
  // Nobody hears of what it throws afterwards.
  fail(new Error('late'));
  await settle();
  expect([heeding.clock.timerCount, deaf.clock.timerCount]).toEqual([0, 0]);
});

const asking = async (_: TaskAttempt, { approve }: FunctionTools) => {
  const { by } = await approve({ title: 'Deploy?' });
  return by;
};

test('W8 C4 a function goes on when it was approved, and has failed for good when not', async () => {
  const approved = begin(asking, { answer: { kind: 'approved', by: 'olga', reason: undefined } });
  expect(await approved.result).toMatchObject({ kind: 'done', output: 'olga' });
  expect(approved.questions).toMatchObject([
    { title: 'Deploy?', detail: 'Deploy?', expiresInMs: 60_000, taskId: 't1' },
  ]);
  const denied = begin(asking, { answer: { kind: 'denied', by: 'olga', reason: 'not today' } });
  const told = { reason: 'denied by olga: not today', errorClass: 'approval-denied', isFinal: true };
  expect(await denied.result).toMatchObject({ kind: 'failed', ...told });
  expect(await begin(asking).result).toMatchObject({ kind: 'failed', errorClass: 'approval-expired', isFinal: true });
  const instead = begin((attempt, tools) => asking(attempt, tools).catch(({ code }) => code));
  expect(await instead.result).toMatchObject({ kind: 'done', output: 'forbidden' });
});

test('W8 C4 a task that asks for approval does not begin without one', async () => {
  const begun: string[] = [];
  const run = () => void begun.push('begun');
  const task = { input: 1, approval: { title: 'Really?', detail: 'It costs.' } };
  const denied = begin(run, { task, answer: { kind: 'denied', by: 'olga', reason: undefined } });
  expect(await denied.result).toMatchObject({ errorClass: 'approval-denied', reason: 'denied by olga', isFinal: true });
  expect(denied.questions).toMatchObject([{ title: 'Really?', detail: 'It costs.' }]);
  expect(await begin(run, { task, answer: { kind: 'aborted' } }).result).toEqual({ kind: 'returned', wasAsking: true });
  expect(begun).toEqual([]);
  await begin(run, { task, answer: { kind: 'approved', by: 'olga', reason: undefined } }).result;
  expect(begun).toEqual(['begun']);
});
