import { afterEach, beforeEach, expect, test } from 'vitest';
import type { TrustedPeer } from '../../../tests/support/trusted-workspace.ts';
import { openWatchedPlace, type WatchedPlace } from '../../../tests/support/watched-place.ts';
import type { TraceReport, TraceRow } from '../../shared/contract/trace-contract.ts';
import { childOf, startTrace, type TraceContext } from '../../shared/protocol/trace-context.ts';
import { createTraceService } from './trace-service.ts';

let place: WatchedPlace;
let trace: TraceContext;
beforeEach(async () => {
  place = await openWatchedPlace();
  trace = startTrace(place.workspace.randomness.bytes);
});
afterEach(() => place.close());

const zeros = '0'.repeat(64);
const time = (ms: number): string => new Date(ms).toISOString();

function say(peer: TrustedPeer, payload: object, subject: string, causationId?: string) {
  const span = childOf(trace, place.workspace.randomness.bytes);
  const more = { trace: span, ...(causationId === undefined ? {} : { causationId }) };
  const { data, envelope } = peer.write(payload, '', subject, more);
  return { data, envelope, leaf: place.workspace.reader.read(data) as unknown as { readonly leaf: string } };
}

async function store(peer: TrustedPeer, payload: object, subject: string, causationId?: string) {
  const said = say(peer, payload, subject, causationId);
  await place.store(subject, said.data);
  return { id: said.envelope.id, leaf: said.leaf.leaf };
}

interface Tried {
  readonly task: { readonly id: string; readonly leaf: string };
  readonly attempt: number;
  readonly outcome: 'done' | 'attempt-failed';
  readonly fromMs: number;
  readonly toMs: number;
}

function receiptOf({ task, fromMs, toMs, ...said }: Tried) {
  const at = { startedAt: time(fromMs), endedAt: time(toMs) };
  return { taskId: task.id, taskLeaf: task.leaf, queue: 'q', workerId: 'wanda', ...said, ...at, outputHash: zeros };
}

function letterOf(task: Tried['task'], failedMs: number) {
  return {
    ...{
      envelopeId: task.id,
      taskLeaf: task.leaf,
      subject: 'vak.work.acme.q.task',
      queue: 'q',
      attempts: 2,
      history: [],
    },
    ...{
      reason: 'exit code \u202e7',
      errorClass: 'exit.7',
      failedAt: time(failedMs),
      workerId: 'wanda',
      envelope: 'AAAA',
    },
  };
}

async function read(signal = new AbortController().signal): Promise<TraceReport> {
  const { workspace, fabric, clock } = place;
  const { buffer, reader, judge } = workspace;
  const { checkSignature } = workspace.judging;
  const prompt = { chooseSaveFile: () => Promise.reject(), chooseOpenFile: () => Promise.reject() };
  const service = createTraceService({
    ...{ workspace: 'acme', durable: fabric.durable, buffer, reader, judge, checkSignature, clock, prompt },
    ...{ grants: workspace.grants, rootOf: () => undefined },
  });
  const reading = Promise.resolve(service.read({ traceId: trace.traceId }, { signal }));
  let isOver = false;
  void reading
    .finally(() => {
      isOver = true;
    })
    .catch(() => {});
  while (!isOver) await place.settle();
  return await reading;
}

const taskSubject = 'vak.work.acme.q.task';
const told = ({ title, state, depth }: TraceRow) => [title, state, depth];

test('T2 a task that failed twice, was buried, retried and done is one waterfall, with waiting apart from working', async () => {
  const { clock } = place;
  const [carla, wanda, olga] = [
    place.peer('carla', 'coordinator', 'q'),
    place.peer('wanda', 'worker'),
    place.peer('olga', 'operator'),
  ];
  const receipts = `vak.receipts.acme.${wanda.session}.completed`;
  const t0 = clock.now();
  const task = await store(carla, { command: ['x'] }, taskSubject);
  await place.pass(10_000);
  const at = (ms: number) => t0 + ms;
  await store(
    wanda,
    receiptOf({ task, attempt: 1, outcome: 'attempt-failed', fromMs: at(1_000), toMs: at(2_000) }),
    receipts,
    task.id,
  );
  await store(
    wanda,
    receiptOf({ task, attempt: 2, outcome: 'attempt-failed', fromMs: at(5_000), toMs: at(7_000) }),
    receipts,
    task.id,
  );
  const letter = await store(wanda, letterOf(task, at(7_500)), 'vak.dlq.acme.wanda.failed', task.id);
  const retry = await store(olga, { command: ['x'] }, taskSubject, letter.id);
  const retriedMs = clock.now();
  await place.pass(5_000);
  await store(
    wanda,
    receiptOf({ task: retry, attempt: 1, outcome: 'done', fromMs: retriedMs + 400, toMs: retriedMs + 900 }),
    receipts,
    retry.id,
  );
  const report = await read();
  expect(report.rows.map(told)).toEqual([
    ['task of q', 'dead', 0],
    ['attempt 1', 'failed', 1],
    ['attempt 2', 'failed', 1],
    ['dead letter', 'dead', 1],
    ['task of q', 'done', 2],
    ['attempt 1', 'done', 3],
  ]);
  expect(report.rows[0]?.segments).toEqual([
    { kind: 'wait', fromMs: at(0), toMs: at(1_000) },
    { kind: 'work', fromMs: at(1_000), toMs: at(2_000) },
    { kind: 'wait', fromMs: at(2_000), toMs: at(5_000) },
    { kind: 'work', fromMs: at(5_000), toMs: at(7_000) },
    { kind: 'wait', fromMs: at(7_000), toMs: at(7_500) },
  ]);
  expect([report.waitMs, report.workMs]).toEqual([4_900, 3_500]);
  expect(report.rows[3]?.why).toBe('exit code ‹U+202E›7');
  expect(report.searches.every(({ isWhole }) => isWhole)).toBe(true);
  expect(report.skews).toEqual([]);
});

test('T3 a task that is gone is told by its receipts; a receipt for another leaf, and one of who may not, do not count', async () => {
  const { clock } = place;
  const [wanda, oscar] = [place.peer('wanda', 'worker'), place.peer('oscar', 'observer')];
  await place.pass(10_000);
  const t0 = clock.now() - 9_000;
  const gone = { id: '0197a3c0-0000-7000-8000-000000000001', leaf: 'ab'.repeat(32) };
  const receipts = ({ session }: TrustedPeer) => `vak.receipts.acme.${session}.completed`;
  const tried = { task: gone, attempt: 1, outcome: 'done', fromMs: t0, toMs: t0 + 500 } as const;
  await store(wanda, receiptOf(tried), receipts(wanda), gone.id);
  await store(oscar, receiptOf({ ...tried, attempt: 9 }), receipts(oscar), gone.id);
  const carla = place.peer('carla', 'coordinator', 'q');
  const task = await store(carla, { command: ['x'] }, taskSubject);
  await store(wanda, receiptOf({ ...tried, task: { ...task, leaf: gone.leaf } }), receipts(wanda), task.id);
  const report = await read();
  const rows = report.rows.map(({ title, state, isInferred, parentId }) => [title, state, isInferred, parentId]);
  expect(rows).toContainEqual(['task of q', 'done', true, null]);
  expect(rows).toContainEqual(['task of q', 'waiting', false, null]);
  expect(
    report.rows
      .filter(({ state }) => state === 'refused')
      .map(({ parentId }) => parentId)
      .toSorted(),
  ).toEqual([gone.id, task.id].toSorted());
});

test('T1 what was heard and lies in no stream is there once; other traces are not', async () => {
  const { workspace } = place;
  const [carla, wanda] = [place.peer('carla', 'coordinator', 'q'), place.peer('wanda', 'worker')];
  const heard = say(carla, { command: ['x'] }, taskSubject);
  workspace.intake.take({ subject: taskSubject, data: heard.data });
  await place.store(taskSubject, heard.data);
  const direct = say(carla, { kind: 'text', text: 'hello' }, 'vak.agent.acme.wanda.inbox');
  workspace.intake.take({ subject: 'vak.agent.acme.wanda.inbox', data: direct.data });
  const other = wanda.write({ state: 'started' });
  workspace.intake.take(other);
  const { rows, heardCount, isHeardWhole } = await read();
  expect(rows.map(({ title }) => title)).toEqual(['task of q', 'vak.agent.inbox']);
  expect(rows[0]?.storedMs).not.toBeNull();
  expect(rows[1]).toMatchObject({ storedMs: null, target: { kind: 'message' } });
  expect([heardCount, isHeardWhole]).toEqual([3, true]);
});

test('T1 whoever asks may give up', async () => {
  const stop = new AbortController();
  stop.abort(new Error('given up'));
  await expect(read(stop.signal)).rejects.toThrow('given up');
});
