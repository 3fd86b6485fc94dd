import { afterEach, beforeEach, expect, test } from 'vitest';
import { openRoomPeople, type Person, type RoomPeople } from '../../../tests/support/room-people.ts';
import { startTrace } from '../../shared/protocol/trace-context.ts';
import { presenceChoice } from './room-presence.ts';

let people: RoomPeople;
let cleo: Person;
let ben: Person;
let room: string;
beforeEach(async () => {
  people = await openRoomPeople();
  [cleo, ben] = [await people.person('cleo'), await people.person('ben')];
  room = await people.roomOf(cleo, ben);
});
afterEach(() => people.close());

const presence = (person: Person) => person.desk(room).presence;
const pass = (ms: number): Promise<void> => people.place.pass(ms);

/** Hears what is said of presence in the room, as bytes. */
function listen(): { readonly heard: Uint8Array[]; readonly subject: string } {
  const subject = `vak.rooms.acme.${room}.presence`;
  const heard: Uint8Array[] = [];
  people.place.fabric.bus.subscribe(subject, { kind: 'inline', onMessage: ({ data }) => void heard.push(data) });
  return { heard, subject };
}

test('R54 who writes is seen by the others for a while, and no longer once it says so', async () => {
  presence(cleo).setTyping(true);
  await pass(500);
  expect(presence(ben).typing()).toEqual(['cleo']);
  expect(presence(cleo).typing()).toEqual([]);
  await pass(9_000);
  expect(presence(ben).typing()).toEqual([]);
  presence(cleo).setTyping(true);
  await pass(500);
  presence(cleo).setTyping(false);
  await pass(500);
  expect(presence(ben).typing()).toEqual([]);
});

test('R54 each key is not said: at most every 3 s, and read marks every 2 s, the furthest', async () => {
  const { heard } = listen();
  for (let key = 0; key < 20; key++) {
    presence(cleo).setTyping(true);
    presence(cleo).markRead(key + 1);
    await pass(250);
  }
  await pass(2_000);
  expect(heard.length).toBeLessThanOrEqual(2 + 4);
  expect(presence(ben).read()).toEqual([{ peer: 'cleo', seq: 20 }]);
  presence(cleo).markRead(3);
  await pass(3_000);
  expect(presence(ben).read()).toEqual([{ peer: 'cleo', seq: 20 }]);
});

test('R54 R80 each can be off', async () => {
  const { heard } = listen();
  Object.assign(cleo.choice, presenceChoice({ rooms: { receipts: false, typing: false } }));
  presence(cleo).setTyping(true);
  presence(cleo).markRead(5);
  await pass(3_000);
  expect(heard).toEqual([]);
  // At once, and each by itself.
  Object.assign(cleo.choice, presenceChoice({ rooms: { receipts: true, typing: false } }));
  presence(cleo).setTyping(true);
  presence(cleo).markRead(6);
  await pass(3_000);
  expect([presence(ben).typing(), presence(ben).read()]).toEqual([[], [{ peer: 'cleo', seq: 6 }]]);
});

test('R55 only members count, and a replay says nothing more', async () => {
  const { heard, subject } = listen();
  const dan = await people.person('dan');
  const payload = { v: 1, room, isTyping: true };
  dan.asker.author.publish(
    {
      subject,
      type: 'vak.rooms.presence',
      payload: Buffer.from(JSON.stringify(payload)),
      trace: startTrace((length) => new Uint8Array(length).fill(7)),
    },
    (bytes) => people.place.fabric.bus.publish(subject, bytes),
  );
  await pass(500);
  expect(presence(ben).typing()).toEqual([]);
  presence(cleo).setTyping(true);
  await pass(1_000);
  const [, typing] = heard;
  presence(cleo).setTyping(false);
  await pass(500);
  people.place.fabric.bus.publish(subject, typing ?? new Uint8Array());
  await pass(500);
  expect(presence(ben).typing()).toEqual([]);
  await pass(61_000);
  people.place.fabric.bus.publish(subject, typing ?? new Uint8Array());
  await pass(500);
  expect(presence(ben).typing()).toEqual([]);
});

test('R55 who was kicked is not seen any more', async () => {
  presence(ben).markRead(7);
  await pass(500);
  expect(presence(cleo).read()).toEqual([{ peer: 'ben', seq: 7 }]);
  await people.place.run(cleo.desk(room).commit({ type: 'KICK' }, { subject: ben.asker.key }));
  expect(presence(cleo).read()).toEqual([]);
  presence(ben).setTyping(true);
  await pass(500);
  expect(presence(cleo).typing()).toEqual([]);
});
