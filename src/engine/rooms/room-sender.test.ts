import { afterEach, beforeEach, expect, test } from 'vitest';
import { openRoomPeople, type Person, type RoomPeople } from '../../../tests/support/room-people.ts';
import type { RoomFrame } from '../../shared/protocol/payload-rooms.ts';

let people: RoomPeople;
let cleo: Person;
let ben: Person;
let dan: Person;
let room: string;
beforeEach(async () => {
  people = await openRoomPeople();
  [cleo, ben, dan] = [await people.person('cleo'), await people.person('ben'), await people.person('dan')];
  room = await people.roomOf(cleo, ben, dan);
});
afterEach(() => people.close());

const run = <T>(work: Promise<T>): Promise<T> => people.place.run(work);
const epoch = (): number => cleo.desk(room).reader.log().standing()?.epoch ?? -1;

/** Lets time pass until it is so. */
async function until(isSo: () => boolean): Promise<void> {
  for (let tries = 0; !isSo() && tries < 200; tries++) await people.place.pass(250);
  expect(isSo()).toBe(true);
}

/** What lies in the room, as the stream has it. */
async function frames(): Promise<readonly RoomFrame[]> {
  const stream = people.place.fabric.durable.stream('VAK_ROOMS_acme');
  const { messages } = await run(stream.read({ subject: `vak.rooms.acme.${room}.messages`, limit: 100 }));
  return messages.map(({ data }) => {
    const { data_base64: body } = JSON.parse(Buffer.from(data).toString()) as { data_base64: string };
    return JSON.parse(Buffer.from(body, 'base64').toString()) as RoomFrame;
  });
}

test('R8 what was sealed and not sent when its epoch ended is not sent any more: it is voided, and sealed anew for the epoch in force', async () => {
  dan.line.isUnnoticed = true;
  dan.line.state = 'cut';
  await run(dan.desk(room).sender.say({ kind: 'text', text: 'not for ben' }));
  dan.desk(room).lookSoon();
  await until(() => dan.line.lostCount > 0);
  expect(dan.desk(room).sender.sending()).toMatchObject([{ intent: { isSealed: true }, state: 'sending' }]);
  const before = epoch();
  await run(cleo.desk(room).commit({ type: 'KICK' }, { subject: ben.asker.key }));
  dan.line.state = 'up';
  await people.place.pass(40_000);
  await people.settle(cleo, dan, ben);
  expect((await frames()).map((frame) => [frame.sender, frame.epoch])).toEqual([['dan', before + 1]]);
  expect(cleo.texts(room)).toEqual(['not for ben']);
  expect(ben.texts(room)).toEqual(['[no-key]']);
  expect(dan.desk(room).sender.sending()).toEqual([]);
  const { messages } = await run(people.place.fabric.durable.stream('VAK_CHAIN_acme').read({ limit: 100 }));
  expect(messages.filter(({ subject }) => subject === 'vak.audit.acme.dan.void')).toHaveLength(1);
});

test('R8 what was stored without an answer is found, and not said twice', async () => {
  dan.line.isUnnoticed = true;
  dan.line.state = 'no-answer';
  await run(dan.desk(room).sender.say({ kind: 'text', text: 'once' }));
  dan.desk(room).lookSoon();
  await until(() => dan.line.lostCount > 0);
  await run(cleo.desk(room).commit({ type: 'REKEY', cause: 'hand' }));
  dan.line.state = 'up';
  await people.place.pass(40_000);
  await people.settle(cleo, dan);
  expect(await frames()).toHaveLength(1);
  expect(cleo.texts(room)).toEqual(['once']);
  expect(dan.desk(room).sender.sending()).toEqual([]);
});

test('R8 what is said without a connection waits unsealed, is taken back, or sent under the key of then', async () => {
  dan.line.state = 'cut';
  const id = await run(dan.desk(room).sender.say({ kind: 'text', text: 'taken back' }));
  await run(dan.desk(room).sender.say({ kind: 'text', text: 'later' }));
  await run(dan.desk(room).look());
  expect(dan.desk(room).sender.sending()).toMatchObject([{ state: 'waiting' }, { intent: { isSealed: false } }]);
  await run(dan.desk(room).sender.cancel(id));
  await run(cleo.desk(room).commit({ type: 'KICK' }, { subject: ben.asker.key }));
  dan.line.state = 'up';
  await people.settle(dan, cleo);
  expect((await frames()).map((frame) => frame.epoch)).toEqual([epoch()]);
  expect(cleo.texts(room)).toEqual(['later']);
});

test('R36 R51 two processes of one profile send what waits once', async () => {
  const other = await people.twin(dan);
  await run(other.rooms.look());
  await run(dan.desk(room).sender.say({ kind: 'text', text: 'once' }));
  await run(Promise.all([dan.desk(room).look(), other.desk(room).look()]));
  await people.settle(dan, other, cleo);
  expect(cleo.texts(room)).toEqual(['once']);
  expect(dan.desk(room).sender.sending()).toEqual([]);
});

test('R8 R51 a message that was stored before its process was killed is found below the place that was read up to, and not said twice', async () => {
  await run(dan.desk(room).sender.say({ kind: 'text', text: 'once' }));
  const [intent] = dan.desk(room).file.read().intents;
  await people.settle(dan, cleo);
  await people.place.pass(5_000);
  // Another process has kept how far it read; this one was killed before it let go of the intent.
  await run(
    dan.desk(room).file.update((kept) => ({ ...kept, intents: intent ? [{ ...intent, isSealed: true }] : [] })),
  );
  expect(dan.desk(room).file.read().readSeq).toBeGreaterThan(0);
  const again = await people.restart(dan);
  await people.place.pass(11 * 60_000);
  await people.settle(again, cleo);
  expect(await frames()).toHaveLength(1);
  expect(again.desk(room).sender.sending()).toEqual([]);
  expect(cleo.texts(room)).toEqual(['once']);
});

test('R79 R7 a process that is killed amid many that wait has each said once and in order, and no counter of a boot twice', async () => {
  const wanted = Array.from({ length: 12 }, (_, at) => `message ${at}`);
  dan.line.state = 'cut';
  for (const text of wanted) await run(dan.desk(room).sender.say({ kind: 'text', text }));
  // The first is stored, and nobody is told; then its process is killed.
  dan.line.isUnnoticed = true;
  dan.line.state = 'no-answer';
  dan.desk(room).lookSoon();
  await until(() => dan.line.lostCount > 0);
  const kept = dan.desk(room).file.read().intents;
  const stored = await frames();
  expect([stored.length, kept.length, kept.every(({ isSealed }) => isSealed)]).toEqual([1, wanted.length, true]);
  dan.line.state = 'up';
  const again = await people.restart(dan);
  await people.place.pass(11 * 60_000);
  await people.settle(again, cleo);
  expect(cleo.texts(room)).toEqual(wanted);
  const all = (await frames()).map(({ boot, counter }) => `${boot} ${counter}`);
  expect([all.length, new Set(all).size]).toEqual([wanted.length, wanted.length]);
  expect(again.desk(room).file.read().intents).toEqual([]);
});
