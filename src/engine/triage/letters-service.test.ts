import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { failure } from '../../../tests/support/expected-failure.ts';
import { type LetterPlace, openLetterPlace } from '../../../tests/support/letter-place.ts';
import { toText, utf8 } from '../../shared/base/bytes.ts';
import { decodePayload, type PayloadOf } from '../../shared/protocol/payloads.ts';
import { watchGroupStates } from './group-states.ts';

const context = { signal: new AbortController().signal };
let place: LetterPlace;
afterEach(async () => {
  await place.close();
  expect(place.log.filter((line) => line.includes('"bug"'))).toEqual([]);
});

const page = (filter = '') => place.calls.page({ filter, fromIndex: 0, limit: 200 }, context);
const rows = async (filter = '') => (await page(filter)).rows;
const groups = async (by: 'cause' | 'queue' = 'cause', filter = '') =>
  (await place.calls.groups({ filter, by, limit: 50 }, context)).groups;
const known = (count: number) => place.until(() => place.letters.letters()?.book.size() === count);
const stateIs = (seq: number, state: string) =>
  place.until(() => {
    const letters = place.letters.letters();
    const letter = letters?.book.get(seq);
    return letter !== undefined && letters?.ledger.stateOf(letter) === state;
  });

/** What operators put on record. */
async function actions(): Promise<PayloadOf<'vak.audit.action'>[]> {
  const { messages } = await place.fabric.durable.stream('VAK_AUDIT_acme').read({ limit: 100 });
  return messages.flatMap((message) => {
    const verdict = place.workspace.judge(message);
    return verdict.kind === 'accepted' ? [decodePayload('vak.audit.action', verdict.payload)] : [];
  });
}

describe.each(['embedded', 'nats-server'] as const)('on the engine %s', (engine) => {
  beforeEach(async () => {
    place = await openLetterPlace(engine);
  });

  test('D2 the whole stream is read, oldest and newest, judged; what does not count is told once and is in no list', async () => {
    const sealed = await place.bury();
    place.clock.advance(3 * 24 * 3_600_000);
    const forged = await place.bury({ by: place.peer('oscar', 'observer'), byName: 'oscar' });
    const undecodable = await place.bury({ raw: utf8('no envelope') });
    const large = await place.bury({ task: { command: ['x'.repeat(500_000)] } });
    await place.begin();
    await known(3);
    await place.until(() => place.letters.letters()?.book.get(large.seq)?.type);
    expect(await rows()).toMatchObject([
      { seq: large.seq, taskId: large.id, type: 'vak.work.task', isSealed: true, closedWhy: null, state: 'open' },
      {
        seq: undecodable.seq,
        taskId: null,
        type: null,
        isSealed: false,
        closedWhy: expect.stringContaining('no envelope'),
      },
      { seq: sealed.seq, taskId: sealed.id, type: 'vak.work.task', isSealed: true, queue: 'q', workerId: 'wanda' },
    ]);
    expect(place.state()).toMatchObject({ readCount: 4, streamCount: 4, problem: null, counts: { open: 3 } });
    const refused = place.watch.work()?.refusedWork;
    expect([refused?.count(), refused?.newest()]).toMatchObject([
      1,
      [{ kind: 'dead-letter', seq: forged.seq, from: 'oscar' }],
    ]);
    const next = await place.bury();
    await known(4);
    expect((await rows())[0]).toMatchObject({ seq: next.seq });
    expect(refused?.count()).toBe(1);
    const opened = await place.during(place.calls.open({ seq: large.seq }, context));
    expect(opened.kind === 'opened' && opened.bytes.length).toBe(
      JSON.stringify({ command: ['x'.repeat(500_000)] }).length,
    );
  });

  test('D4 what is said of a group is signed, seen by others, and undone by a letter that comes later; what does not count is told', async () => {
    const first = await place.bury();
    await place.begin();
    await known(1);
    const [group] = await groups();
    const fingerprint = group?.key ?? '';
    expect(group).toMatchObject({
      state: 'open',
      totalCount: 1,
      newestSeq: first.seq,
      said: null,
      errorClass: 'exit.7',
    });
    const say = (change: object) => place.during(place.calls.setGroup({ fingerprint, ...change }, context));
    const is = async (wanted: object) => {
      const look = async () => {
        await place.pass(100);
        return await groups();
      };
      await expect.poll(look, { timeout: 15_000, interval: 1 }).toMatchObject([wanted]);
    };
    // Of two who say something at once the second adds to the first.
    await Promise.all([say({ state: 'acknowledged', assignee: 'ines' }), say({ note: 'the disk is full' })]);
    await is({ state: 'acknowledged', assignee: 'ines', note: 'the disk is full', said: { by: 'olga' }, newCount: 0 });
    expect(place.state()).toMatchObject({ groupCount: 1, openGroupCount: 0 });
    const second = await place.bury();
    await known(2);
    await is({ state: 'open', assignee: 'ines', newCount: 1, newestSeq: second.seq });
    // What was seen is what is acknowledged.
    await say({ state: 'acknowledged', uptoSeq: first.seq });
    await is({ state: 'open', newCount: 1 });
    await say({ state: 'resolved', assignee: null });
    await is({ state: 'resolved', assignee: null, note: 'the disk is full' });
    const bucket = place.fabric.durable.keyValue('VAK_STATE_acme');
    const told: string[] = [];
    await bucket.put(`incident.${'0'.repeat(16)}`, utf8('{}'));
    await place.until(() => place.state().refusedStates.length === 1);
    expect(place.state().refusedStates).toMatchObject([{ fingerprint: '0'.repeat(16) }]);
    const other = watchGroupStates({
      ...{ workspace: 'acme', durable: place.fabric.durable, clock: place.clock, onChange: () => {} },
      reader: { read: () => ({ kind: 'refused', why: 'nobody knows the operator', isFinal: true }) },
      onRefused: (_, why) => told.push(why),
    });
    await place.until(() => told.length === 2);
    expect(other.of(fingerprint)).toBeUndefined();
    other.dispose();
  });

  test('D5 archive and restore go by a plan, are on record by the places of the letters, and change what every operator sees', async () => {
    const [one, two] = [
      await place.bury(),
      await place.bury({ failure: { reason: 'exit code 8', errorClass: 'exit.8' } }),
    ];
    await place.begin();
    await known(2);
    const plan = await place.calls.plan({ selection: { filter: 'error:exit.7' }, action: 'archive' }, context);
    expect(plan).toMatchObject({ count: 1, allCount: 2, environment: 'here', cutoffSeq: two.seq, leftOut: [] });
    const late = await place.bury();
    await known(3);
    const done = await place.during(place.calls.archive({ planId: plan.planId, reason: 'known' }, context));
    expect(done.count).toBe(1);
    await stateIs(one.seq, 'archived');
    expect((await rows()).map(({ seq }) => seq)).toEqual([late.seq, two.seq]);
    expect(await rows('state:archived')).toMatchObject([{ seq: one.seq }]);
    const base = {
      operationId: done.operationId,
      action: 'dlq.archive',
      target: 'here',
      scope: 'error:exit.7',
      count: 1,
    };
    expect(await actions()).toMatchObject([
      { ...base, reason: 'known', outcome: 'begun' },
      { ...base, outcome: 'archived', places: [[one.seq, one.seq]] },
      { ...base, outcome: 'done' },
    ]);
    const selection = { seqs: [one.seq, two.seq, 999] };
    const restore = await place.calls.plan({ selection, action: 'restore' }, context);
    expect(restore).toMatchObject({ count: 1 });
    expect(restore.leftOut).toEqual([
      { why: 'it is not archived', count: 1 },
      { why: 'not known here', count: 1 },
    ]);
    await place.during(place.calls.restore({ planId: restore.planId }, context));
    await stateIs(one.seq, 'open');
    const { audit } = await place.during(place.calls.letter({ seq: one.seq }, context));
    expect(audit.map(({ by, outcome }) => [by, outcome])).toEqual([
      ['olga', 'restored'],
      ['olga', 'archived'],
    ]);
  });
});

describe('on the embedded engine', () => {
  beforeEach(async () => {
    place = await openLetterPlace();
  });

  test('D2 while the keys are locked nothing is read on, another engine begins anew', async () => {
    await place.bury();
    place.app.isOpen = false;
    place.letters.follow();
    await place.pass(3_000);
    expect(place.letters.letters()).toBeUndefined();
    expect(place.state()).toMatchObject({ readAtMs: null, readCount: 0, problem: null });
    place.app.isOpen = true;
    await place.begin();
    await known(1);
    const before = place.letters.letters();
    const plan = await place.calls.plan({ selection: { filter: '' }, action: 'archive' }, context);
    place.app.destination = 'there';
    place.letters.follow();
    expect(place.letters.letters()).toBeUndefined();
    await known(1);
    expect(place.letters.letters()).not.toBe(before);
    const archived = place.during(place.calls.archive({ planId: plan.planId }, context));
    expect(await failure(archived)).toMatchObject({ code: 'conflict', message: expect.stringContaining('connection') });
  });

  test('D3 a task that finishes after all resolves its letter, whichever was read first', async () => {
    const early = await place.submit({ command: ['early'] });
    const wanda = place.peer('wanda', 'worker');
    await place.receipt(wanda, early);
    await place.begin();
    const late = await place.bury();
    await known(1);
    await place.receipt(wanda, late, { attempt: 2 });
    await stateIs(late.seq, 'resolved');
    // Its receipt was read before anybody knew of the letter.
    const known2 = await place.bury({ more: { taskLeaf: early.leaf, envelopeId: early.id } });
    await stateIs(known2.seq, 'resolved');
    // Of another leaf it proves nothing.
    const other = await place.bury();
    await place.receipt(wanda, { ...other, leaf: 'a'.repeat(64) });
    await place.pass(2_000);
    await stateIs(other.seq, 'open');
  });

  test('D3 a retry is followed by what operators put on record, receipts and dead letters', async () => {
    const letter = await place.bury({ failure: { reason: 'no route' } });
    const retry = { id: '0197a3c0-0000-7000-8000-000000000001', leaf: 'b'.repeat(64), seq: 9 };
    const record = {
      ...{ operationId: 'op', action: 'dlq.retry', target: 'q', scope: 'one', count: 1, outcome: 'published' },
      ...{ places: [[letter.seq, letter.seq]], taskId: retry.id, taskLeaf: retry.leaf, queue: 'q' },
    };
    const audit = (name: string) => `vak.audit.acme.${name}.action`;
    await place.append(place.peer('sup', 'dlq-supervisor'), record, audit('sup'));
    await place.begin();
    await known(1);
    await stateIs(letter.seq, 'open');
    // A supervisor may write there, and is no operator.
    await place.until(() => place.watch.work()?.refusedWork.count() === 1);
    await place.append(place.peer('olga', 'operator'), record, audit('olga'));
    await stateIs(letter.seq, 'retrying');
    const plan = await place.calls.plan({ selection: { filter: '' }, action: 'retry' }, context);
    expect(plan).toMatchObject({ count: 0, leftOut: [{ why: 'a retry of it is under way', count: 1 }] });
    const again = await place.bury({
      failure: { reason: 'no route' },
      more: { taskLeaf: retry.leaf, envelopeId: retry.id },
    });
    await stateIs(letter.seq, 'failed-again');
    const { retries } = await place.during(place.calls.letter({ seq: letter.seq }, context));
    expect(retries).toMatchObject([{ operationId: 'op', by: 'olga', taskId: retry.id, outcome: 'failed-same' }]);
    await place.receipt(place.peer('wanda', 'worker'), retry);
    await stateIs(letter.seq, 'resolved');
    await stateIs(again.seq, 'resolved');
  });

  test('D6 a plan is good once, for 15 min, for what it was made for', async () => {
    await place.bury();
    await place.begin();
    await known(1);
    const plan = () => place.calls.plan({ selection: { filter: '' }, action: 'archive' }, context);
    const { planId } = await plan();
    expect(await failure(place.during(place.calls.restore({ planId }, context)))).toMatchObject({ code: 'conflict' });
    await place.pass(100);
    place.clock.advance(15 * 60_000);
    expect(await failure(place.during(place.calls.archive({ planId }, context)))).toMatchObject({ code: 'conflict' });
    const second = await plan();
    await place.during(place.calls.archive({ planId: second.planId }, context));
    expect(await failure(place.during(place.calls.archive({ planId: second.planId }, context)))).toMatchObject({
      code: 'conflict',
    });
    const wrong = () => place.calls.plan({ selection: { filter: 'attempts>many' }, action: 'archive' }, context);
    expect(wrong).toThrow(expect.objectContaining({ code: 'invalid-input' }));
  });

  test('D10 reading an opened payload is on record once in 10 min, and not shown where it cannot be', async () => {
    const { seq } = await place.bury({ task: { command: ['make', 'dist'] } });
    await place.begin();
    await known(1);
    const open = () => place.during(place.calls.open({ seq }, context));
    const opened = await open();
    expect(opened.kind === 'opened' && toText(opened.bytes)).toBe('{"command":["make","dist"]}');
    await open();
    expect(await actions()).toMatchObject([
      { action: 'dlq.read', target: 'q', count: 1, outcome: 'done', places: [[seq, seq]] },
    ]);
    await place.pass(1_000);
    place.clock.advance(11 * 60_000);
    await open();
    expect(await actions()).toHaveLength(2);
    place.app.readOnlyContext = 'prod';
    place.clock.advance(11 * 60_000);
    const plan = await place.calls.plan({ selection: { filter: '' }, action: 'archive' }, context);
    const fingerprint = '0'.repeat(16);
    for (const call of [
      () => open(),
      () => place.calls.archive({ planId: plan.planId }, context),
      () => place.calls.restore({ planId: plan.planId }, context),
      () => place.calls.setGroup({ fingerprint, state: 'resolved' }, context),
    ]) {
      expect(await failure(Promise.resolve(call()))).toMatchObject({ code: 'read-only' });
    }
    expect(await actions()).toHaveLength(2);
    place.app.readOnlyContext = undefined;
    place.workspace.secrets = [];
    expect(await open()).toMatchObject({
      kind: 'failed',
      failure: { why: expect.stringContaining('no secret s1 here') },
    });
  });

  test('D12 what nobody here has heard is read from the streams: causes, and the session that a receipt names', async () => {
    const olga = place.peer('olga', 'operator');
    const said = { operationId: 'op', action: 'x', target: 't', scope: 's', count: 1, outcome: 'done' };
    const cause = await place.append(olga, said, 'vak.audit.acme.olga.action');
    const forged = await place.append(place.peer('wanda', 'worker'), said, 'vak.audit.acme.olga.action');
    const before = await place.bury({ causationId: cause.id });
    place.clock.advance(3_600_000);
    const task = await place.bury({ causationId: before.id });
    const other = await place.bury({ causationId: forged.id });
    const failed = { outcome: 'attempt-failed', exitCode: 7, errorClass: 'exit.7', session: 'wanda-before-e' };
    await place.receipt(place.peer('wanda', 'worker'), task, failed);
    await place.begin();
    await known(3);
    expect(await place.during(place.calls.letter({ seq: task.seq }, context))).toMatchObject({
      session: 'wanda-before-e',
      ancestors: [
        { id: before.id, type: 'vak.work.task', peer: 'carla' },
        { id: cause.id, type: 'vak.audit.action', peer: 'olga' },
      ],
    });
    expect(await place.during(place.calls.letter({ seq: other.seq }, context))).toMatchObject({
      session: null,
      ancestors: [{ id: forged.id, type: null, peer: null }],
    });
  });

  test('D12 a letter shows its attempts, what caused it, and the session in which it failed', async () => {
    const first = await place.bury({
      failure: { reason: 'first\nline two', stack: 'TypeError: x\n    at f (/a/b.js:1:2)' },
    });
    const task = await place.bury({ causationId: first.letterId });
    const wanda = place.peer('wanda', 'worker');
    const failed = { outcome: 'attempt-failed', reason: 'exit code 7', exitCode: 7, errorClass: 'exit.7' };
    await place.receipt(wanda, task, failed);
    const events = place.workspace.peer('wanda', { roles: ['worker'], key: 50, session: 'wanda-live-e' });
    await place.begin();
    await known(2);
    const report = await place.during(place.calls.letter({ seq: task.seq }, context));
    expect(report).toMatchObject({
      ...{ by: 'wanda', signature: { kind: 'valid' }, closedWhy: null, keptUntilMs: report.storedMs + 90 * 86_400_000 },
      attemptList: [{ attempt: 1, workerId: 'wanda', exitCode: 7, errorClass: 'exit.7', isProven: true }],
      ancestors: [
        { id: first.letterId, type: 'vak.dlq.failed', peer: 'wanda' },
        { id: first.id, type: 'vak.work.task', peer: 'carla' },
      ],
      session: null,
    });
    const trace = { traceId: report.traceId ?? '', spanId: 'a'.repeat(16), flags: 1, tracestate: undefined };
    const { subject, data } = (() => {
      let bytes = new Uint8Array();
      const said = { subject: 'vak.events.acme.wanda-live-e.status', payload: utf8('{"state":"failed"}'), trace };
      events.author.publish(said, (written) => {
        bytes = Uint8Array.from(written);
      });
      return { subject: said.subject, data: bytes };
    })();
    place.workspace.intake.take({ subject, data, headers: undefined, reply: undefined } as never);
    expect(await place.during(place.calls.letter({ seq: task.seq }, context))).toMatchObject({
      session: 'wanda-live-e',
    });
    const cause = await place.during(place.calls.letter({ seq: first.seq }, context));
    expect(cause).toMatchObject({
      reason: 'first',
      reasonText: 'first\nline two',
      frames: [{ call: 'f', file: 'b.js' }],
    });
    expect(await failure(place.during(place.calls.letter({ seq: 99 }, context)))).toMatchObject({ code: 'not-found' });
  });
});
