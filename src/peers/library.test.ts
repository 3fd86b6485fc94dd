import { expect, test } from 'vitest';
import { failure } from '../../tests/support/expected-failure.ts';
import { prepareLibrary } from '../../tests/support/library-place.ts';
import { createDeferred } from '../engine/wait.ts';
import { utf8 } from '../shared/base/bytes.ts';
import { embeddedParts } from './library/embedded-engine.ts';
import type { LogEntry, ReceivedMessage, RefusedMessage } from './library/library-api.ts';
import type { TaskOutcome } from './library/queue-api.ts';
import { connect, TaskFailure } from './library.ts';

const place = prepareLibrary();
const { joinWorker } = place;
const patience = { timeout: 10_000, interval: 10 };

test('W1 W6 C4 a task that a function did is done, with its output and one signed receipt', async () => {
  const { boss } = place;
  const hand = await joinWorker('plain');
  const worker = await hand.queue('plain').work(({ input, command, queue }, { attempt, maxAttempts }) => ({
    ...{ input, command, queue, attempt, maxAttempts },
  }));
  const queue = boss.queue('plain');
  const task = await queue.submit({ input: { n: 1 }, maxRetries: 2 });
  expect(task).toEqual({
    id: expect.any(String),
    queue: 'plain',
    leaf: expect.stringMatching(/^[0-9a-f]{64}$/),
    seq: expect.any(Number),
  });
  const outcome = await queue.wait(task);
  const output = { input: { n: 1 }, queue: 'plain', attempt: 1, maxAttempts: 3 };
  expect(outcome).toMatchObject({ kind: 'done', id: task.id, queue: 'plain', leaf: task.leaf, output });
  expect(outcome.receipts).toEqual(outcome.kind === 'done' ? [outcome.receipt] : []);
  expect(outcome.receipts).toMatchObject([
    { taskId: task.id, taskLeaf: task.leaf, workerId: 'hand', attempt: 1, outcome: 'done' },
  ]);
  expect(await queue.wait(task.id)).toEqual(outcome);
  await expect.poll(() => [worker.queue, worker.runningCount], patience).toEqual(['plain', 0]);
});

test('W2 W3 C4 what a function throws is tried again, and at last a dead letter says why', async () => {
  const { boss } = place;
  const hand = await joinWorker('fails');
  const attempts: number[] = [];
  await hand.queue('fails').work((_, { attempt }) => {
    attempts.push(attempt);
    throw new TypeError('no page');
  });
  const queue = boss.queue('fails');
  const outcome = await queue.wait(await queue.submit({ input: 1, maxRetries: 1 }));
  expect(attempts).toEqual([1, 2]);
  const told = { reason: 'no page', errorClass: 'TypeError' };
  expect(outcome).toMatchObject({ kind: 'dead', deadLetter: { ...told, attempts: 2, workerId: 'hand' } });
  const stack = expect.stringContaining('library.test');
  expect(outcome.receipts).toMatchObject(
    [1, 2].map((attempt) => ({ attempt, outcome: 'attempt-failed', ...told, stack })),
  );
});

test('W2a C4 a failure for good is not tried again', async () => {
  const { boss } = place;
  const hand = await joinWorker('final');
  await hand.queue('final').work(() => {
    throw new TaskFailure('it is gone', { errorClass: 'http.410', isFinal: true });
  });
  const queue = boss.queue('final');
  const outcome = await queue.wait(await queue.submit({ input: 1 }));
  expect(outcome).toMatchObject({
    kind: 'dead',
    deadLetter: { attempts: 1, errorClass: 'http.410', reason: 'it is gone' },
  });
});

test('C3 a call is given up by its signal, which says why; the task goes on', async () => {
  const { boss, operator } = place;
  const queue = boss.queue('cancelled');
  const giveUp = new AbortController();
  const task = await queue.submit({ input: 1 }, { signal: giveUp.signal });
  const waiting = Array.from({ length: 20 }, () => failure(queue.wait(task, { signal: giveUp.signal })));
  giveUp.abort(new Error('enough'));
  for (const error of await Promise.all(waiting)) {
    expect(error).toMatchObject({ code: 'aborted', cause: { message: 'enough' } });
  }
  expect(await failure(queue.submit({ input: 2 }, { signal: giveUp.signal }))).toMatchObject({ code: 'aborted' });
  await operator.queue('cancelled').submit({ input: 3 });
  expect(await operator.queue('cancelled').figures()).toMatchObject({ lag: 2, pendingCount: 2, maxRetries: 3 });
  const connecting = failure(connect({ embedded: place.bus, identity: 'boss', signal: giveUp.signal }));
  expect(await connecting).toMatchObject({ code: 'aborted', cause: { message: 'enough' } });
});

test('W1 C6 closing claims no more, and lets what runs finish, which may still call', async () => {
  const { boss, operator } = place;
  const hand = await joinWorker('drain');
  const begun = createDeferred<void>();
  const go = createDeferred<void>();
  const work = async () => {
    begun.resolve();
    await go.promise;
    const { id } = await hand.publish(`vak.events.${hand.workspace}.self.status`, { state: 'progress' });
    return id.length;
  };
  await hand.queue('drain').work(work, { concurrency: 2 });
  const queue = boss.queue('drain');
  const first = await queue.submit({ input: 1 });
  await begun.promise;
  const closing = hand.close();
  await expect.poll(async () => (await operator.queue('drain').figures()).waitingWorkers, patience).toBe(0);
  const second = await queue.submit({ input: 2 });
  go.resolve();
  await closing;
  expect(await queue.wait(first)).toMatchObject({ kind: 'done', output: 36 });
  expect(await operator.queue('drain').figures()).toMatchObject({ pendingCount: 1, inFlightCount: 0 });
  const waits = new AbortController();
  const waiting = failure(queue.wait(second, { signal: waits.signal }));
  waits.abort();
  expect(await waiting).toMatchObject({ code: 'aborted' });
});

test('W1 C6 what does not finish in time is given back, and another worker does it', async () => {
  const { boss } = place;
  const hand = await joinWorker('back');
  const begun = createDeferred<void>();
  const first = await hand.queue('back').work((_, { signal }) => {
    begun.resolve();
    return new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
  });
  const queue = boss.queue('back');
  const task = await queue.submit({ input: 1 });
  await begun.promise;
  expect(first.runningCount).toBe(1);
  await first.close({ finishWithinMs: 0 });
  await hand.queue('back').work(() => 'mine');
  expect(await queue.wait(task)).toMatchObject({ kind: 'done', output: 'mine', receipts: [{ attempt: 2 }] });
});

test('C7 what passes comes judged and opened, one at a time; what is refused is told', async () => {
  const { boss, operator } = place;
  const got: ReceivedMessage[] = [];
  const refused: RefusedMessage[] = [];
  let isBusy = false;
  const hearing = await operator.subscribe(
    'vak.events.default.>',
    async (message) => {
      expect(isBusy).toBe(false);
      isBusy = true;
      await new Promise((resolve) => setImmediate(resolve));
      isBusy = false;
      got.push(message);
      if (got.length === 1) throw new Error('a handler of a program');
    },
    { onRefused: (one) => refused.push(one) },
  );
  const subject = 'vak.events.default.self.status';
  const first = await boss.publish(subject, { state: 'progress', detail: { text: 'ä' } });
  expect(first).toMatchObject({ stream: undefined, seq: undefined });
  await boss.publish(subject, utf8('{"state":"progress","big":12345678901234567890}'));
  await boss.publish(subject, { state: 'progress' }, { sealed: false });
  embeddedParts(place.bus).through.fabric.bus.publish('vak.events.default.x-e.status', utf8('{}'));
  await expect.poll(() => [got.length, refused.length], patience).toEqual([2, 2]);
  expect(got[0]).toMatchObject({ id: first.id, subject: first.subject, type: 'vak.events.status', from: 'boss' });
  expect([got[0]?.json(), got[1]?.text()]).toEqual([
    { state: 'progress', detail: { text: 'ä' } },
    '{"state":"progress","big":12345678901234567890}',
  ]);
  expect(refused.map(({ reason }) => reason)).toEqual(['plain', 'malformed']);
  await hearing.close();
  await boss.publish(subject, { state: 'progress' });
  expect([got.length, hearing.droppedCount, hearing.pattern]).toEqual([2, 0, 'vak.events.default.>']);
});

test('B2 C7 a slow handler holds up nobody: the oldest give way, and are counted', async () => {
  const { boss, operator } = place;
  const go = createDeferred<void>();
  const got: unknown[] = [];
  const hearing = await operator.subscribe(
    `vak.events.default.*.status`,
    async (message) => {
      await go.promise;
      got.push(message.json());
    },
    { capacity: 2 },
  );
  for (let i = 0; i < 8; i++) {
    await boss.publish('vak.events.default.self.status', { state: 'progress', i });
    // Each in a turn of its own: none gives way before its handler is offered it.
    await new Promise((resolve) => setImmediate(resolve));
  }
  await expect.poll(() => hearing.droppedCount, patience).toBeGreaterThan(0);
  go.resolve();
  await expect.poll(() => got.length + hearing.droppedCount, patience).toBe(8);
  expect(got.at(-1)).toMatchObject({ i: 7 });
  await hearing.close();
});

test('B8 C5 what is durable is stored, sealed and signed, when it was published', async () => {
  const { operator } = place;
  const said = { operationId: crypto.randomUUID(), action: 'a', target: 't', scope: 's', count: 1, outcome: 'done' };
  const published = await operator.publish('vak.audit.default.operator.action', said, {
    causationId: crypto.randomUUID(),
  });
  expect(published).toMatchObject({
    subject: 'vak.audit.default.operator.action',
    stream: 'VAK_AUDIT_default',
    seq: expect.any(Number),
  });
  const nobody = { kind: 'text', text: 'hello' };
  const inbox = failure(operator.publish('vak.agent.default.nobody.inbox', nobody, { type: 'vak.agent.message' }));
  expect(await inbox).toMatchObject({ code: 'no-such-peer' });
});

test('W8 C4 a function asks, and an operator answers once', async () => {
  const { boss, operator } = place;
  const hand = await joinWorker('asks');
  await hand
    .queue('asks')
    .work(async ({ input }, { approve }) => await approve({ title: `Deploy ${input}?` }), { concurrency: 2 });
  const queue = boss.queue('asks');
  const [first, second] = [await queue.submit({ input: 'a' }), await queue.submit({ input: 'b' })];
  await expect.poll(async () => (await operator.approvals.list()).length, patience).toBe(2);
  const waiting = await operator.approvals.list();
  const [a, b] = [first, second].map(({ id }) => waiting.find(({ taskId }) => taskId === id)?.id ?? '');
  expect(waiting.find(({ id }) => id === a)).toMatchObject({
    title: 'Deploy a?',
    detail: 'Deploy a?',
    peer: 'hand',
    state: 'pending',
    answer: undefined,
  });
  await operator.approvals.approve(a ?? '');
  await operator.approvals.deny(b ?? '', 'not today');
  expect(await queue.wait(first)).toMatchObject({ kind: 'done', output: { by: 'operator' } });
  const reason = 'denied by operator: not today';
  expect(await queue.wait(second)).toMatchObject({
    kind: 'dead',
    deadLetter: { errorClass: 'approval-denied', reason, attempts: 1 },
  });
  expect(await failure(operator.approvals.deny(a ?? '', 'too late'))).toMatchObject({ code: 'conflict' });
  expect(await failure(operator.approvals.approve(crypto.randomUUID()))).toMatchObject({ code: 'not-found' });
  expect(await operator.approvals.list()).toEqual([]);
  const all = await operator.approvals.list({ all: true });
  expect(all.map(({ state, answer }) => [state, answer?.decision])).toEqual([
    ['approved', 'approve'],
    ['denied', 'deny'],
  ]);
});

test('W9 C5 a paused queue is left alone until it goes on', async () => {
  const { boss, operator } = place;
  const log: string[] = [];
  const hand = await joinWorker('paused', ({ event }) => log.push(event));
  const queue = operator.queue('paused');
  await queue.pause();
  await hand.queue('paused').work(() => 'done');
  await expect.poll(() => log, patience).toContain('paused');
  const task = await boss.queue('paused').submit({ input: 1 });
  expect(await queue.figures()).toMatchObject({
    queue: 'paused',
    isPaused: true,
    lag: 1,
    oldestMs: expect.any(Number),
  });
  await queue.resume();
  expect(await boss.queue('paused').wait(task)).toMatchObject({ kind: 'done' });
  expect(log.filter((event) => ['paused', 'resumed', 'claimed'].includes(event))).toEqual([
    'paused',
    'resumed',
    'claimed',
  ]);
});

test('C2 the log holds no payload, and what a listener of it throws harms nobody', async () => {
  const entries: LogEntry[] = [];
  const hand = await joinWorker('logged', (entry) => {
    entries.push(entry);
    throw new Error('a listener of a program');
  });
  const { boss } = place;
  await hand.queue('logged').work(({ input }) => input);
  const queue = boss.queue('logged');
  const outcome: TaskOutcome = await queue.wait(await queue.submit({ input: 'canary words' }));
  expect(outcome).toMatchObject({ kind: 'done', output: 'canary words' });
  await expect
    .poll(() => entries.map(({ event }) => event), patience)
    .toEqual(['connected', expect.any(String), 'started', 'claimed', 'done']);
  expect(entries[0]).toMatchObject({ at: expect.stringMatching(/Z$/), level: 'info', server: 'embedded' });
  expect(JSON.stringify(entries)).not.toContain('canary');
});
