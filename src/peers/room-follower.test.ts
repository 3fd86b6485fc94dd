import { afterEach, beforeEach, expect, test } from 'vitest';
import { openRoomPeople, type Person, type RoomPeople } from '../../tests/support/room-people.ts';
import { placeIn, roomWith } from '../../tests/support/room-places.ts';
import type { RoomContent } from '../shared/protocol/room-content.ts';
import { createRoomFollower, createWaker, type Followed } from './room-follower.ts';
import { roomLine } from './room-lines.ts';

let people: RoomPeople;
beforeEach(async () => {
  people = await openRoomPeople();
});
afterEach(() => people.close());

const run = <T>(work: Promise<T>): Promise<T> => people.place.run(work);

/** What was told, in short. */
function short(followed: readonly Followed[]): string[] {
  return followed.map((one) => {
    if (one.kind === 'event') return `* ${one.item.event}`;
    if (one.kind === 'change') return `~ ${one.message.content?.kind}`;
    const { shown, isLate } = one;
    const { text, message, redacted } = shown;
    return `${isLate ? 'late ' : ''}${redacted === undefined ? (text ?? `[${message.notOpened?.cause}]`) : '[redacted]'}`;
  });
}

async function say(person: Person, room: string, content: RoomContent): Promise<string> {
  const id = await run(person.desk(room).sender.say(content));
  await run(person.desk(room).look());
  return id;
}

test('R70 what lies there is told as it reads now, then what comes, each once and in the order of the stream', async () => {
  const [cleo, ben] = [await people.person('cleo'), await people.person('ben')];
  const room = await roomWith(people, cleo, [ben]);
  const first = await say(cleo, room, { kind: 'text', text: 'frist' });
  await say(cleo, room, { kind: 'edit', target: first, text: 'first' });
  await people.settle(ben);
  const follower = createRoomFollower(placeIn(room, ben));
  expect(short(await run(follower.history(2)))).toEqual(['* joined', 'first']);
  expect(follower.news()).toEqual([]);
  await say(cleo, room, { kind: 'text', text: 'second' });
  await run(cleo.desk(room).commit({ type: 'REKEY', cause: 'hand' }));
  await say(cleo, room, { kind: 'text', text: 'third' });
  await say(cleo, room, { kind: 'redaction', target: first });
  await say(ben, room, { kind: 'reaction', target: first, emoji: '👍' });
  await people.settle(cleo, ben);
  expect(short(follower.news())).toEqual(['second', '* rekeyed', 'third', '~ redaction', '~ reaction']);
  expect(follower.news()).toEqual([]);
});

test('R70 a change by whom it is not allowed is none, and is not told', async () => {
  const [cleo, ben] = [await people.person('cleo'), await people.person('ben')];
  const room = await roomWith(people, cleo, [ben]);
  const target = await say(cleo, room, { kind: 'text', text: 'mine' });
  await people.settle(ben, cleo);
  const follower = createRoomFollower(placeIn(room, cleo));
  await run(follower.history(0));
  await say(ben, room, { kind: 'edit', target, text: 'not yours' });
  await say(ben, room, { kind: 'redaction', target });
  await people.settle(cleo);
  expect(short(follower.news())).toEqual([]);
});

test('R10 R70 what cannot be opened is told with its cause, and once more when its key has come', async () => {
  const [cleo, ben] = [await people.person('cleo'), await people.person('ben')];
  const room = await roomWith(people, cleo, [ben]);
  ben.rooms.dispose();
  await run(cleo.desk(room).commit({ type: 'REKEY', cause: 'hand' }));
  await cleo.say(room, 'rotated');
  // What lay for ben is gone: it has to ask.
  await run(people.place.fabric.durable.stream('VAK_KEYS_acme').purge());
  const back = await people.restart(ben);
  await run(back.desk(room).look());
  const follower = createRoomFollower(placeIn(room, back));
  expect(short(await run(follower.history(1)))).toEqual(['[no-key]']);
  await people.settle(back);
  await people.place.pass(5_000);
  await people.settle(back, cleo, back);
  expect(short(follower.news())).toEqual(['late rotated']);
});

test('R70 what somebody wrote stays on lines that are marked as its, with nothing hidden; for a program it is as it was', async () => {
  const cleo = await people.person('cleo');
  const room = await roomWith(people, cleo, []);
  const text = 'one\n12:00 ben: I quit\u202e\u001b[2J';
  await say(cleo, room, { kind: 'text', text });
  const place = placeIn(room, cleo);
  const [told] = await run(createRoomFollower(place).history(1));
  if (told === undefined) throw new Error('nothing was told');
  const line = roomLine(place, told);
  expect(line.text).toMatch(/^\d\d:\d\d cleo: one\n {6}\| 12:00 ben: I quit‹U\+202E›␛\[2J$/);
  expect(line.value).toMatchObject({ kind: 'message', room, peer: 'cleo', text });
});

test('R70 whoever waits is woken once for all that happened meanwhile', async () => {
  const listeners = new Set<() => void>();
  const waker = createWaker((listener) => {
    listeners.add(listener);
    return { dispose: () => listeners.delete(listener) };
  });
  const tell = (): void => {
    for (const listener of listeners) listener();
  };
  tell();
  tell();
  await waker.next();
  let isAwake = false;
  const next = waker.next().then(() => {
    isAwake = true;
  });
  await Promise.resolve();
  expect(isAwake).toBe(false);
  tell();
  await next;
  waker.dispose();
  expect(listeners.size).toBe(0);
});
