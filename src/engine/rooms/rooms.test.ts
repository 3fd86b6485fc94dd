import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openRoomPeople, type Person, type RoomPeople } from '../../../tests/support/room-people.ts';
import { VakError } from '../../shared/base/vak-error.ts';

let people: RoomPeople;
beforeEach(async () => {
  people = await openRoomPeople();
});
afterEach(() => people.close());

const run = <T>(work: Promise<T>): Promise<T> => people.place.run(work);

const roomOf = (owner: Person, ...others: readonly Person[]): Promise<string> => people.roomOf(owner, ...others);
const admit = (room: string, owner: Person, other: Person): Promise<void> => people.admit(room, owner, other);

test('R5 R7 who is invited joins, is given the key by its inviter, and reads from its epoch on', async () => {
  const [cleo, ben] = [await people.person('cleo'), await people.person('ben')];
  const room = await roomOf(cleo);
  await cleo.say(room, 'before you came');
  await admit(room, cleo, ben);
  await cleo.say(room, 'welcome');
  await ben.say(room, 'hello');
  await people.settle(cleo, ben);
  expect(cleo.texts(room)).toEqual(['before you came', 'welcome', 'hello']);
  expect(ben.texts(room)).toEqual(['welcome', 'hello']);
});

test('R4 who is kicked reads nothing that was sequenced after it, with everything it had', async () => {
  const [cleo, ben, dan] = [await people.person('cleo'), await people.person('ben'), await people.person('dan')];
  const room = await roomOf(cleo, ben, dan);
  await cleo.say(room, 'all of us');
  await people.settle(cleo, ben, dan);
  await run(cleo.desk(room).commit({ type: 'KICK' }, { subject: ben.asker.key }));
  await cleo.say(room, 'without ben');
  await people.settle(cleo, ben, dan);
  await dan.say(room, 'indeed');
  await people.settle(cleo, ben, dan);
  expect(dan.texts(room)).toEqual(['all of us', 'without ben', 'indeed']);
  expect(ben.texts(room)).toEqual(['all of us', '[no-key]', '[no-key]']);
  await run(ben.desk(room).requestKeys());
  await people.settle(cleo, ben, dan);
  expect(ben.texts(room)).toEqual(['all of us', '[withheld]', '[withheld]']);
  await expect(ben.say(room, 'still here')).rejects.toMatchObject({ code: 'forbidden' });
});

test('R4 after somebody left the next message brings a new key first', async () => {
  const [cleo, ben, dan] = [await people.person('cleo'), await people.person('ben'), await people.person('dan')];
  const room = await roomOf(cleo, ben, dan);
  await run(ben.desk(room).commit({ type: 'LEAVE' }));
  await people.settle(cleo, dan);
  const epoch = cleo.desk(room).reader.log().standing()?.epoch ?? 0;
  await dan.say(room, 'he is gone');
  await people.settle(cleo, dan, ben);
  expect(dan.desk(room).reader.log().epochs().at(-1)).toMatchObject({
    epoch: epoch + 1,
    kind: 'REKEY',
    author: dan.asker.key,
  });
  expect(cleo.texts(room)).toEqual(['he is gone']);
  expect(ben.texts(room)).toEqual(['[no-key]']);
});

test('R33 after a start a room goes on where it was read: nothing twice, nothing missing, a replay is one still', async () => {
  const [cleo, ben] = [await people.person('cleo'), await people.person('ben')];
  const room = await roomOf(cleo, ben);
  await cleo.say(room, 'one');
  await people.settle(cleo, ben);
  const stream = people.place.fabric.durable.stream('VAK_ROOMS_acme');
  const { messages } = await run(stream.read({ subject: `vak.rooms.acme.${room}.messages`, limit: 10 }));
  const again = await people.restart(ben);
  await cleo.say(room, 'two');
  await run(
    people.place.fabric.durable.append(`vak.rooms.acme.${room}.messages`, messages[0]?.data ?? new Uint8Array()),
  );
  await people.settle(cleo, again);
  await run(again.desk(room).reader.loadOlder(100));
  expect(again.texts(room)).toEqual(['one', 'two', '[replayed]']);
  await again.say(room, 'three');
  await people.settle(cleo, again);
  expect(cleo.texts(room)).toEqual(['one', 'two', '[replayed]', 'three']);
});

test('R6 R31 where history is shared a new member reads it all', async () => {
  const [cleo, ben, dan] = [await people.person('cleo'), await people.person('ben'), await people.person('dan')];
  const desk = await run(cleo.rooms.create({ name: 'Archive', topic: '', history: 'shared' }));
  await admit(desk.room, cleo, ben);
  await ben.say(desk.room, 'first');
  await run(cleo.desk(desk.room).commit({ type: 'REKEY', cause: 'hand' }));
  await people.settle(cleo, ben);
  await cleo.say(desk.room, 'second');
  await admit(desk.room, cleo, dan);
  await dan.say(desk.room, 'third');
  await people.settle(cleo, ben, dan);
  for (const one of [cleo, ben, dan]) expect(one.texts(desk.room)).toEqual(['first', 'second', 'third']);
});

test('R2 two kick at once: one commit wins, the other follows, and both are out', async () => {
  const [cleo, ben, dan, eva] = (await Promise.all([]).then(async () => [
    await people.person('cleo'),
    await people.person('ben'),
    await people.person('dan'),
    await people.person('eva'),
  ])) as [Person, Person, Person, Person];
  const room = await roomOf(cleo, ben, dan, eva);
  await run(cleo.desk(room).commit({ type: 'ROLE', role: 'moderator' }, { subject: ben.asker.key }));
  await people.settle(ben);
  await run(
    Promise.all([
      cleo.desk(room).commit({ type: 'KICK' }, { subject: dan.asker.key }),
      ben.desk(room).commit({ type: 'KICK' }, { subject: eva.asker.key }),
    ]),
  );
  await people.settle(cleo, ben);
  await ben.say(room, 'the two of us');
  await people.settle(cleo, ben, dan, eva);
  expect(cleo.texts(room)).toEqual(['the two of us']);
  for (const gone of [dan, eva]) expect(gone.texts(room)).toEqual(['[no-key]']);
});

test('R28 who was away when a key was handed out asks for it, and reads what was said meanwhile', async () => {
  const [cleo, ben] = [await people.person('cleo'), await people.person('ben')];
  const room = await roomOf(cleo, ben);
  ben.rooms.dispose();
  // What lay for ben is gone: nobody but the author can give it.
  await run(cleo.desk(room).commit({ type: 'REKEY', cause: 'hand' }));
  await cleo.say(room, 'rotated');
  await run(people.place.fabric.durable.stream('VAK_KEYS_acme').purge());
  const back = await people.restart(ben);
  await people.settle(back);
  await people.place.pass(5_000);
  await people.settle(back, cleo, back);
  expect(back.texts(room)).toEqual(['rotated']);
  const { messages } = await run(people.place.fabric.durable.stream('VAK_KEYS_acme').read({ limit: 10 }));
  const types = messages.map(({ data }) => (JSON.parse(Buffer.from(data).toString()) as { type: string }).type);
  expect(types).toEqual(expect.arrayContaining(['vak.keys.request', 'vak.keys.package']));
});

test('R33 damaged files are set aside: the rooms are found again, and read from their first epoch', async () => {
  const [cleo, ben] = [await people.person('cleo'), await people.person('ben')];
  const room = await roomOf(cleo, ben);
  await cleo.say(room, 'one');
  await people.settle(cleo, ben);
  await run(ben.rooms.close());
  for (const name of ['index', room]) writeFileSync(join(ben.folder, `${name}.sealed`), 'damaged');
  const again = await people.restart(ben);
  await people.settle(again);
  expect(again.texts(room)).toEqual(['one']);
});

/** Has whatever is under way go on by so many steps, without time. */
async function turn(times: number): Promise<void> {
  for (let turns = 0; turns < times; turns++) {
    await new Promise((resolve) => setImmediate(resolve));
    people.place.clock.runDeferred();
  }
}

test('R62 rooms that are closed while they look leave no timer and no reader behind, at whichever step it is', async () => {
  const [cleo, ben] = [await people.person('cleo'), await people.person('ben')];
  const room = await roomOf(cleo, ben);
  await cleo.say(room, 'one');
  await people.settle(cleo, ben);
  const { durable } = people.place.fabric;
  const subject = `vak.rooms.acme.${room}.messages`;
  const { messages } = await run(durable.stream('VAK_ROOMS_acme').read({ subject, limit: 1 }));
  ben.rooms.dispose();
  cleo.rooms.dispose();
  await people.place.pass(5_000);
  for (let steps = 0; steps < 16; steps++) {
    const before = people.place.clock.timerCount;
    const twin = await people.twin(ben);
    await people.place.pass(3_000);
    const appending = durable.append(subject, messages[0]?.data ?? new Uint8Array());
    const looking = twin.desk(room).look();
    await turn(steps);
    twin.rooms.dispose();
    await turn(40);
    await Promise.allSettled([appending, looking]);
    // Timers of the peers themselves may have ended meanwhile.
    expect(people.place.clock.timerCount, `at step ${steps}`).toBeLessThanOrEqual(before);
  }
});

test('R24 a room that could not be made leaves nothing behind that reads its log', async () => {
  const cleo = await people.person('cleo');
  await people.place.pass(2_000);
  const before = people.place.clock.timerCount;
  people.place.fates.push(async () => {
    throw new VakError('limit-exceeded', 'the stream is full');
  });
  const making = cleo.rooms.create({ name: 'Night shift', topic: '', history: 'joined' });
  await expect(run(making)).rejects.toMatchObject({ code: 'limit-exceeded' });
  expect(people.place.clock.timerCount).toBe(before);
});

test('R50 a room that cannot be opened keeps no other from being opened', async () => {
  const [cleo, ben] = [await people.person('cleo'), await people.person('ben')];
  const [first, second] = [await roomOf(cleo), await roomOf(cleo)];
  mkdirSync(join(ben.folder, `${first}.sealed`), { recursive: true });
  for (const room of [first, second]) await people.invite(room, cleo, ben);
  await people.settle(ben);
  expect(ben.rooms.list().map(({ room }) => room)).toEqual([second]);
});
