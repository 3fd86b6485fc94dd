import { hash } from 'node:crypto';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { failure } from '../../../tests/support/expected-failure.ts';
import { openWatchedPlace, type StoredTask, type WatchedPlace } from '../../../tests/support/watched-place.ts';
import { VakError } from '../../shared/base/vak-error.ts';

const context = { signal: new AbortController().signal };
const minuteMs = 60_000;
let place: WatchedPlace;

beforeEach(async () => {
  place = await openWatchedPlace();
  place.watch.follow();
  await place.pass(100);
});
afterEach(async () => {
  await place.close();
  expect(place.log.filter((line) => line.includes('"bug"'))).toEqual([]);
});

interface Asked {
  readonly id: string;
  readonly leaf: string;
  readonly session: string;
}

async function ask(
  title: string,
  more: { task?: StoredTask; expiresInMs?: number; extra?: object } = {},
): Promise<Asked> {
  const { task, expiresInMs = minuteMs, extra } = more;
  const wilma = place.peer('wilma', 'worker');
  const expiresAt = new Date(place.clock.now() + expiresInMs).toISOString();
  const subject = `vak.approvals.acme.${wilma.session}.request`;
  const causationId = task === undefined ? {} : { causationId: task.id };
  const { data, envelope } = wilma.write({ title, detail: 'all of it', expiresAt, ...extra }, '', subject, causationId);
  await place.store(subject, data);
  const reading = place.workspace.reader.read(data);
  await place.pass(200);
  return { id: envelope.id, leaf: reading.kind === 'envelope' ? reading.leaf : '', session: wilma.session };
}

const answer = async (requestId: string, decision: 'approve' | 'deny', reason?: string): Promise<unknown> => {
  const work = async () =>
    await place.approvals.answer({ requestId, decision, ...(reason === undefined ? {} : { reason }) }, context);
  const answering = work();
  answering.catch(() => {});
  await place.pass(500);
  return await answering;
};

async function verdict(name: string, { id, leaf, session }: Asked, more: object = {}): Promise<void> {
  const by = place.peer(name, name === 'olga' || name === 'otto' ? 'operator' : 'worker');
  const said = { requestId: id, requestLeaf: leaf, decision: 'approve', ...more };
  await place.append(by, said, `vak.approvals.acme.${session}.verdict`);
}

test('W8 what waits is listed with its task and queue; the answer that counted is told, once it is known', async () => {
  const task = await place.submit();
  await place.pass(1_100);
  const { id, session } = await ask('may I?', { task, extra: { command: ['rm', '-r', '/'] } });
  expect(place.approvalsState()).toMatchObject({
    pending: [
      {
        ...{ requestId: id, title: 'may I?', detail: 'all of it', command: ['rm', '-r', '/'], peer: 'wilma', session },
        ...{ taskId: task.id, queue: 'q', state: 'pending', verdict: null },
      },
    ],
    ...{ past: [], leftOutCount: 0, refusedCount: 0 },
  });
  await answer(id, 'deny', 'not today');
  expect(place.approvalsState()).toMatchObject({
    pending: [],
    past: [{ requestId: id, state: 'denied', verdict: { decision: 'deny', by: 'olga', reason: 'not today' } }],
  });
});

test('W8 one answer counts: a second one, one that comes too late, and one for what nobody asked is refused', async () => {
  const { id } = await ask('once');
  await answer(id, 'approve');
  expect(await failure(answer(id, 'deny', 'changed my mind'))).toMatchObject({
    ...{ code: 'conflict', message: expect.stringContaining('olga has answered it already (approve)') },
  });
  const late = await ask('late', { expiresInMs: 1_000 });
  await place.pass(1_500);
  expect(place.approvalsState().past).toMatchObject([{ state: 'expired' }, { state: 'approved' }]);
  expect(await failure(answer(late.id, 'approve'))).toMatchObject({
    ...{ code: 'conflict', message: expect.stringContaining('it has expired') },
  });
  const none = '0197a3c0-0000-7000-8000-000000000001';
  expect(await failure(answer(none, 'approve'))).toMatchObject({ code: 'not-found' });
  expect(await failure(answer(id, 'deny', ' '))).toMatchObject({ code: 'invalid-input', details: { field: 'reason' } });
  expect((await place.fabric.durable.stream('VAK_APPROVALS_acme').state()).messageCount).toBe(3);
});

test('W8 who was not the first is told that the answer does not count', async () => {
  const asked = await ask('race');
  const { durable } = place.fabric;
  const append = durable.append;
  durable.append = async (...args) => {
    durable.append = append;
    await verdict('otto', asked, { decision: 'deny', reason: 'mine was first' });
    return await append(...args);
  };
  expect(await failure(answer(asked.id, 'approve'))).toMatchObject({
    ...{ code: 'conflict', message: expect.stringContaining('otto was first (deny)') },
  });
  expect(place.approvalsState().past).toMatchObject([{ state: 'denied', verdict: { by: 'otto' } }]);
});

test('W8 what does not count is listed with its reason: replayed, for another request, late, by no operator, repeated', async () => {
  const [one, two] = [await ask('one'), await ask('two', { expiresInMs: 3_000 })];
  await verdict('wilma', one);
  await verdict('olga', { ...one, leaf: two.leaf });
  await verdict('olga', one);
  // The same bytes once more, as whoever may write to the stream can put them.
  const { messages } = await place.fabric.durable.stream('VAK_APPROVALS_acme').read({ limit: 100 });
  const last = messages.at(-1);
  await place.store(last?.subject ?? '', last?.data ?? new Uint8Array());
  await verdict('olga', { ...two, id: '0197a3c0-0000-7000-8000-000000000009' });
  await place.pass(4_000);
  await verdict('olga', two);
  await place.store(messages[0]?.subject ?? '', messages[0]?.data ?? new Uint8Array());
  await place.pass(1_100);
  const { refused, refusedCount, past } = place.approvalsState();
  expect(past).toMatchObject([{ state: 'expired' }, { state: 'approved' }]);
  expect(refusedCount).toBe(6);
  expect(refused.map(({ kind, why }) => [kind, why])).toEqual([
    ['request', 'A request of its id had been made before; the first one stands.'],
    ['verdict', expect.stringContaining('It came after the request had expired')],
    ['verdict', 'It answers a request that nobody is known to have made.'],
    ['verdict', 'olga had answered the request already (approve); one answer counts.'],
    ['verdict', 'It answers a request of that id with another content.'],
    ['verdict', expect.stringContaining('operator')],
  ]);
  // Each says who wrote it and with which key; of what is not proven it is only a claim.
  expect(refused.map(({ author }) => [author?.peer, author?.isProven])).toEqual([
    ['wilma', true],
    ...Array.from({ length: 4 }, () => ['olga', true]),
    ['wilma', false],
  ]);
  for (const { author } of refused) expect(author?.signer).toMatch(/^U[A-Z2-7]{55}$/);
});

test('W8 a flood of requests is bounded as it is shown, each whole or not at all, and counted', async () => {
  const long = 'x'.repeat(60 * 1024);
  for (let i = 0; i < 20; i++) await ask(`${i}`, { extra: { detail: long } });
  const { pending, leftOutCount } = place.approvalsState();
  expect(pending.length).toBe(17);
  expect(pending.map(({ title }) => title)).toEqual(Array.from({ length: 17 }, (_, i) => `${i}`));
  expect(new Set(pending.map(({ detail }) => hash('sha256', detail)))).toEqual(new Set([hash('sha256', long)]));
  expect(leftOutCount).toBe(3);
});

test('W8 while nothing can be read nothing is answered', async () => {
  const { id } = await ask('may I?');
  place.app.destination = undefined;
  expect(await failure(answer(id, 'approve'))).toMatchObject({ code: 'disconnected' });
  place.app.destination = 'here';
  const { durable } = place.fabric;
  const { append } = durable;
  durable.append = () => Promise.reject(new VakError('disconnected', 'the server is away', { retryable: true }));
  expect(await failure(answer(id, 'approve'))).toMatchObject({ code: 'disconnected' });
  durable.append = append;
  expect(place.approvalsState().pending).toHaveLength(1);
});
