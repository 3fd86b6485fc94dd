import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  type CampaignWorld,
  openCampaignWorld,
  planOf,
  readLetters,
  takenOf,
  usualRetry as usual,
  usualFailure,
} from '../../../tests/support/campaign-place.ts';
import { createLife } from '../../../tests/support/outbox-fixture.ts';
import { toText, utf8 } from '../../shared/base/bytes.ts';
import { VakError } from '../../shared/base/vak-error.ts';
import type { PlannedLetter } from './retry-campaigns.ts';

let world: CampaignWorld;
beforeEach(async () => {
  world = await openCampaignWorld();
});
afterEach(async () => {
  await world.close();
  expect(world.log.filter((line) => line.includes('"bug"'))).toEqual([]);
});

const buryMany = (count: number) => world.buryMany(count);

test('D7 a retry is a new envelope: its cause is the letter, its trace goes on, its payload is sealed anew and the same', async () => {
  const [letter] = (await buryMany(1)) as [PlannedLetter];
  world.worker = () => 'done';
  const { campaigns } = await world.operate();
  const { operationId } = await world.during(campaigns.begin(planOf([letter]), { ...usual, reason: 'mended' }));
  await world.runUntil(() => campaigns.state(operationId)?.state === 'done');
  const [task] = world.taken;
  const { letters } = { letters: await readLetters(world) };
  expect(toText(task?.payload ?? new Uint8Array())).toBe('{"command":["run","0"]}');
  expect(task?.envelope.causationid).toBe(letters.book.get(letter.seq)?.id);
  expect(task?.envelope).toMatchObject({ agentid: 'olga', type: 'vak.work.task', subject: 'vak.work.acme.q.task' });
  expect(task?.envelope.seal?.keyid.startsWith('s1.olga.')).toBe(true);
  const said = await world.actions();
  expect(said.map(({ outcome }) => outcome)).toEqual(['begun', 'published', 'done', 'done']);
  expect(new Set(said.map((one) => one.operationId))).toEqual(new Set([operationId]));
  expect(said[0]).toMatchObject({
    action: 'dlq.retry',
    count: 1,
    places: [[letter.seq, letter.seq]],
    reason: 'mended',
  });
  expect(said[1]).toMatchObject({ taskId: task?.envelope.id, queue: 'q', places: [[letter.seq, letter.seq]] });
  expect(letters.ledger.stateOf(letters.book.get(letter.seq) as never)).toBe('resolved');
});

describe('D8 a canary', () => {
  test('D8 goes by 1, 2, 5 and 20, each step when all outcomes of the last are known, then at its rate', async () => {
    const letters = await buryMany(40);
    const { campaigns } = await world.operate();
    const options = { isCanary: true, ratePerSec: 2, reason: undefined };
    const { operationId } = await world.during(campaigns.begin(planOf(letters), options));
    const sizes: number[] = [];
    world.worker = () => 'hang';
    for (const [index, size] of [1, 2, 5, 20].entries()) {
      await world.run(3_000);
      sizes.push(world.taken.length);
      expect(campaigns.state(operationId)).toMatchObject({ step: { index, size, of: 4 }, state: 'running' });
      for (const { envelope } of world.taken.slice(sizes.at(-2) ?? 0)) await finish(envelope.id);
    }
    expect(sizes).toEqual([1, 3, 8, 28]);
    await world.runUntil(() => campaigns.state(operationId)?.step === null);
    const [before, sinceMs] = [world.taken.length, world.clock.now()];
    await world.run(2_000);
    const perSec = ((world.taken.length - before) * 1000) / (world.clock.now() - sinceMs);
    expect(perSec).toBeGreaterThan(1.4);
    expect(perSec).toBeLessThan(2.6);
  });

  test.each([
    ['same', usualFailure, 'failed-same'],
    ['another', { errorClass: 'TypeError', reason: 'x is not a function' }, 'failed-new'],
  ] as const)('D8 stops at the first failure, saying whether it is the same: %s', async (_, failing, outcome) => {
    const letters = await buryMany(10);
    const { campaigns } = await world.operate();
    let count = 0;
    world.worker = () => (++count === 3 ? failing : 'done');
    const { operationId } = await world.during(campaigns.begin(planOf(letters), { ...usual, isCanary: true }));
    await world.runUntil(() => campaigns.state(operationId)?.state === 'stopped');
    expect(campaigns.state(operationId)).toMatchObject({ counts: { done: 2, [outcome]: 1, cancelled: 7 } });
    expect(campaigns.state(operationId)?.why).toContain(outcome === 'failed-same' ? 'same cause' : 'another cause');
    await world.run(5_000);
    expect(world.taken).toHaveLength(3);
    const said = await world.actions();
    expect(said.filter((one) => one.outcome === outcome)).toHaveLength(1);
    expect(said.at(-1)).toMatchObject({ outcome: 'stopped', count: 3 });
  });

  test('D8 stops when a step has had no outcome for ten minutes, and what it published is followed all the same', async () => {
    const letters = await buryMany(3);
    const { campaigns } = await world.operate();
    world.worker = () => 'hang';
    const { operationId } = await world.during(campaigns.begin(planOf(letters), { ...usual, isCanary: true }));
    await world.run(60_000);
    expect(campaigns.state(operationId)?.state).toBe('running');
    world.clock.advance(9 * 60_000);
    await world.run(3_000);
    expect(campaigns.state(operationId)).toMatchObject({ state: 'stopped', counts: { claimed: 1, cancelled: 2 } });
    await finish(world.taken[0]?.envelope.id ?? '');
    await world.run(8_000);
    expect(campaigns.state(operationId)).toMatchObject({ state: 'stopped', counts: { done: 1 } });
    expect((await world.actions()).at(-1)).toMatchObject({ outcome: 'done', taskId: world.taken[0]?.envelope.id });
  });

  test('D8 takes the next one for what could not be opened', async () => {
    const [first, ...rest] = await buryMany(3);
    const { campaigns } = await world.operate();
    world.worker = () => 'done';
    const wrong = { ...(first as PlannedLetter), taskLeaf: '0'.repeat(64) };
    const { operationId } = await world.during(campaigns.begin(planOf([wrong, ...rest]), { ...usual, isCanary: true }));
    await world.runUntil(() => campaigns.state(operationId)?.state === 'done');
    expect(campaigns.state(operationId)?.counts).toMatchObject({ refused: 1, done: 2 });
    expect(campaigns.items(operationId)?.[0]?.why ?? '').toBe('');
  });
});

/** The worker is done with a task that it took. */
async function finish(taskId: string): Promise<void> {
  const reader = world.workspace.reader;
  const { messages } = await world.during(world.fabric.durable.stream('VAK_WORK_acme').read({ limit: 1000 }));
  const message = messages.find(({ data }) => {
    const reading = reader.read(data);
    return reading.kind === 'envelope' && reading.envelope.id === taskId;
  });
  const reading = reader.read(message?.data ?? new Uint8Array());
  if (reading.kind !== 'envelope') throw new Error('it stands in no queue');
  await world.receipt(world.peer('wilma', 'worker'), { id: taskId, leaf: reading.leaf, seq: message?.seq ?? 0 });
  await world.during(world.fabric.durable.stream('VAK_WORK_acme').delete(message?.seq ?? 0));
}

test('D8 five failures with one fingerprint, one after the other, end what has no canary', async () => {
  const letters = await buryMany(30);
  const { campaigns } = await world.operate();
  let count = 0;
  world.worker = () => {
    count++;
    if (count <= 4) return usualFailure;
    return count === 5 ? 'done' : usualFailure;
  };
  const { operationId } = await world.during(campaigns.begin(planOf(letters), { ...usual, ratePerSec: 1 }));
  await world.runUntil(() => campaigns.state(operationId)?.state === 'stopped');
  expect(campaigns.state(operationId)?.counts).toMatchObject({ done: 1, 'failed-same': 9 });
  expect(campaigns.state(operationId)?.why).toContain('5 retries one after the other failed with');
});

test('D8 cancelling ends what was not begun; what was published stays published', async () => {
  const letters = await buryMany(10);
  const { campaigns } = await world.operate();
  world.worker = () => 'done';
  const { operationId } = await world.during(campaigns.begin(planOf(letters), { ...usual, ratePerSec: 1 }));
  await world.runUntil(() => world.taken.length === 3);
  await campaigns.cancel(operationId);
  await world.run(5_000);
  expect(campaigns.state(operationId)).toMatchObject({ state: 'cancelled', counts: { done: 3, cancelled: 7 } });
  expect(world.taken).toHaveLength(3);
  const end = (await world.actions()).find(({ outcome }) => outcome === 'cancelled');
  expect(end).toMatchObject({
    operationId,
    count: 3,
    scope: expect.stringMatching(/^of 10 dead letters: .*3 .*7 cancelled$|2 done/),
  });
});

test('D6 a plan of another environment is refused, and so is one without letters, or with one twice', async () => {
  const [letter] = (await buryMany(1)) as [PlannedLetter];
  const { campaigns } = await world.operate();
  const begin = (plan: Parameters<typeof campaigns.begin>[0], options = usual) =>
    world.during(campaigns.begin(plan, options));
  await expect(begin({ ...planOf([letter]), environment: 'production' })).rejects.toMatchObject({ code: 'conflict' });
  await expect(begin(planOf([]))).rejects.toMatchObject({ code: 'invalid-input' });
  await expect(begin(planOf([letter, letter]))).rejects.toMatchObject({ code: 'invalid-input' });
  const many = Array.from({ length: 5_000 }, (_, seq) => ({ ...letter, seq: seq + 1 }));
  await expect(begin(planOf(many), { ...usual, ratePerSec: 0.1 })).rejects.toMatchObject({ code: 'limit-exceeded' });
  world.world.away = new VakError('read-only', 'the context is read-only');
  await expect(begin(planOf([letter]))).rejects.toMatchObject({ code: 'read-only' });
  expect(world.disk.size).toBe(0);
});

test('D7 of two operators who retry the same letters at once each letter is retried by one', async () => {
  const letters = await buryMany(6);
  const [olga, oscar] = [await world.operate(), await world.operate({ name: 'oscar' })];
  world.worker = () => 'done';
  const begun = [olga, oscar].map(({ campaigns }) => campaigns.begin(planOf(letters), usual));
  const [first, second] = await world.during(Promise.all(begun));
  const states = () => [
    olga.campaigns.state(first?.operationId ?? ''),
    oscar.campaigns.state(second?.operationId ?? ''),
  ];
  await world.runUntil(() => states().every((state) => state?.state === 'done' || state?.state === 'failed'));
  expect(await takenOf(world, letters)).toEqual([1, 1, 1, 1, 1, 1]);
  const counts = states().map((state) => [state?.counts.done, state?.counts.refused]);
  expect(counts.flat().toSorted()).toEqual([0, 0, 6, 6]);
});

test('D7 a letter that is being retried, or that the ledger says is not free, is refused', async () => {
  const letters = await buryMany(3);
  const { campaigns } = await world.operate({
    whyNot: (seq) => (seq === letters[2]?.seq ? 'it is archived' : undefined),
  });
  world.worker = () => 'hang';
  const first = await world.during(campaigns.begin(planOf(letters.slice(0, 1)), usual));
  await world.runUntil(() => world.taken.length === 1);
  const second = await world.during(campaigns.begin(planOf(letters), usual));
  await world.run(3_000);
  expect(campaigns.state(first.operationId)?.counts).toMatchObject({ claimed: 1 });
  expect(campaigns.state(second.operationId)?.counts).toMatchObject({ refused: 2, claimed: 1 });
  const why = campaigns.items(second.operationId)?.map((one) => one.why);
  expect(why?.[0]).toContain('olga retries it');
  expect(why?.[2]).toBe('it is archived.');
});

describe('D7 an answer that does not come', () => {
  test('D7 leaves the letter as it was, holds up the rest, and goes on when the outbox settles', async () => {
    const letters = await buryMany(4);
    let isMute = true;
    const { campaigns } = await world.operate({
      through: (plane) => ({
        ...plane,
        append: (subject, data, more) =>
          isMute && subject.startsWith('vak.work.')
            ? Promise.reject(new VakError('timeout', 'no answer', { retryable: true }))
            : plane.append(subject, data, more),
      }),
    });
    world.worker = () => 'done';
    const { operationId } = await world.during(campaigns.begin(planOf(letters), { ...usual, ratePerSec: 1 }));
    await world.run(30_000);
    expect(campaigns.state(operationId)).toMatchObject({ state: 'waiting', counts: { unanswered: 1, requested: 3 } });
    expect(campaigns.state(operationId)?.why).toContain('not acknowledged');
    const { ledger, book } = await readLetters(world);
    expect(ledger.stateOf(book.get(letters[0]?.seq ?? 0) as never)).toBe('open');
    expect((await world.actions()).map(({ outcome }) => outcome)).toEqual(['begun']);
    isMute = false;
    await world.runUntil(() => campaigns.state(operationId)?.state === 'done');
    expect(await takenOf(world, letters)).toEqual([1, 1, 1, 1]);
  });

  test('D7 waits while the engine is away or another one is in use, and says so', async () => {
    const letters = await buryMany(5);
    const { campaigns } = await world.operate();
    world.worker = () => 'done';
    const { operationId } = await world.during(campaigns.begin(planOf(letters), { ...usual, ratePerSec: 1 }));
    await world.runUntil(() => world.taken.length === 2);
    world.world.away = new VakError('locked', 'the key store is locked; unlock it first');
    await world.run(5_000);
    expect(campaigns.state(operationId)).toMatchObject({
      state: 'waiting',
      why: 'the key store is locked; unlock it first.',
    });
    world.world.away = undefined;
    world.world.destination = 'elsewhere';
    await world.run(3_000);
    expect(campaigns.state(operationId)).toMatchObject({ state: 'waiting' });
    const before = world.taken.length;
    expect(before).toBeLessThan(5);
    world.world.destination = 'here';
    await world.runUntil(() => campaigns.state(operationId)?.state === 'done');
    expect(await takenOf(world, letters)).toEqual([1, 1, 1, 1, 1]);
  });
});

test('D9 edit and retry changes the payload alone, and both are linked on record', async () => {
  const [letter] = (await buryMany(1)) as [PlannedLetter];
  world.worker = () => 'done';
  const { campaigns } = await world.operate();
  const data = utf8('{"command":["run","mended"],"big":12345678901234567890}');
  const edited = await world.during(campaigns.edit(planOf([letter]), { data, reason: 'wrong host' }));
  await world.runUntil(() => campaigns.state(edited.operationId)?.state === 'done');
  const [task] = world.taken;
  expect(toText(task?.payload ?? new Uint8Array())).toBe(toText(data));
  expect(task?.envelope.id).toBe(edited.taskId);
  const { book, ledger } = await readLetters(world);
  expect(task?.envelope.causationid).toBe(book.get(letter.seq)?.id);
  expect(ledger.retriesOf(letter.seq)).toMatchObject([
    { taskId: edited.taskId, isEdited: true, outcome: 'done', by: 'olga' },
  ]);
  expect((await world.actions())[1]).toMatchObject({ action: 'dlq.edit', isEdited: true, taskId: edited.taskId });
  expect([...world.disk.values()].join()).not.toContain('mended');
  const refused = campaigns.edit(planOf([letter]), { data: utf8('{"command":[]}') });
  await expect(world.during(refused)).rejects.toMatchObject({ code: 'invalid-payload' });
});

test('D9 an edited retry that was interrupted before it was published is not made up', async () => {
  const [letter] = (await buryMany(1)) as [PlannedLetter];
  const life = createLife(2, true);
  const first = await world.operate({ life });
  void first.campaigns.edit(planOf([letter]), { data: utf8('{"command":["x"]}') }).catch(() => undefined);
  await world.run(1_000);
  expect([life.isDead, world.disk.size]).toEqual([true, 1]);
  const second = await world.operate();
  void second.campaigns.resume();
  world.worker = () => 'done';
  await world.run(5_000);
  expect(second.campaigns.states()).toMatchObject([{ state: 'stopped', counts: { cancelled: 1 } }]);
  expect(world.taken).toHaveLength(0);
});

describe('W5 what an operator puts his name to', () => {
  const refusedWhy = async (letter: PlannedLetter, queue?: string): Promise<string> => {
    const { campaigns } = await world.operate();
    const { operationId } = await world.during(campaigns.begin(planOf([letter]), { ...usual, queue }));
    world.worker = () => 'done';
    await world.runUntil(() => campaigns.state(operationId)?.state === 'failed');
    expect(world.taken).toHaveLength(0);
    return campaigns.state(operationId)?.why ?? '';
  };
  const subject = 'vak.work.acme.q.task';

  test('W5 a task that somebody wrote who may publish none is not retried, though his dead letter counts', async () => {
    const wilma = world.peer('wilma', 'worker', 'q');
    const { data } = wilma.write({ command: ['steal'] }, '', subject);
    expect(await refusedWhy(await world.buryBytes(data, subject))).toMatch(/cannot be retried\. /);
  });

  test('W5 what does not decode cannot be opened, and what is sealed with a secret that is gone says so', async () => {
    expect(await refusedWhy(await world.buryBytes(utf8('no envelope'), subject))).toContain('cannot be opened');
    const letter = await world.bury();
    world.workspace.secrets = world.workspace.secrets?.map((one) => ({ ...one, id: 's2' }));
    world.workspace.learn();
    const { campaigns } = await world.operate({ name: 'oscar' });
    const { operationId } = await world.during(campaigns.begin(planOf([letter]), usual));
    await world.runUntil(() => campaigns.state(operationId)?.counts.refused === 1);
    expect(campaigns.items(operationId)?.[0]?.why).toContain('s1');
  });

  test('W5 a large task is read from the bucket of who wrote its letter', async () => {
    const letter = await world.bury({ command: ['x'.repeat(500_000)] });
    const { campaigns } = await world.operate();
    world.worker = () => 'done';
    const { operationId } = await world.during(campaigns.begin(planOf([letter]), usual));
    await world.runUntil(() => campaigns.state(operationId)?.state === 'done');
    expect(world.taken[0]?.payload.length).toBeGreaterThan(500_000);
  });

  test('W5 into another queue it goes as that queue allows, under the same checks', async () => {
    const [letter, other] = [await world.bury(), await world.bury({ command: ['true'], maxRetries: 9 })];
    const { campaigns } = await world.operate();
    const { operationId } = await world.during(campaigns.begin(planOf([letter]), { ...usual, queue: 'other' }));
    await world.runUntil(() => campaigns.state(operationId)?.counts.published === 1);
    const { messages } = await world.during(world.fabric.durable.stream('VAK_WORK_acme').read({ limit: 10 }));
    expect(messages.map((one) => one.subject)).toEqual(['vak.work.acme.other.task']);
    expect((await world.actions())[0]).toMatchObject({ action: 'dlq.retarget', target: 'other' });
    expect(await refusedWhy(other, 'other')).toContain('allows 3 retries');
  });
});

test("D7 a campaign that was begun too long ago does not go on: its letters may be others' by then", async () => {
  const letters = await buryMany(4);
  const { campaigns } = await world.operate();
  world.worker = () => 'done';
  const { operationId } = await world.during(campaigns.begin(planOf(letters), { ...usual, ratePerSec: 1 }));
  await world.runUntil(() => world.taken.length === 2);
  world.world.away = new VakError('locked', 'the key store is locked; unlock it first');
  await world.run(1_000);
  world.clock.advance(11.5 * 3_600_000);
  world.world.away = undefined;
  await world.runUntil(() => campaigns.state(operationId)?.state === 'stopped');
  expect(campaigns.state(operationId)?.why).toContain('plan the rest anew');
  expect(world.taken.length).toBeLessThan(4);
});
