import { afterEach, beforeEach, expect, test } from 'vitest';
import { openRoomPeople, type Person, type RoomPeople } from '../../tests/support/room-people.ts';
import { checkRoomName, checkRoomTopic, closeRoom, nameRoom } from './room-naming.ts';

let people: RoomPeople;
beforeEach(async () => {
  people = await openRoomPeople();
});
afterEach(() => people.close());

const run = <T>(work: Promise<T>): Promise<T> => people.place.run(work);
const standing = ({ desk }: Person, room: string) => desk(room).logs.log().standing();
const how = (name: string): string => `--confirm ${name}`;

test('R76 a topic keeps the name and a name the topic, as the entry carries both; its owner and moderators may', async () => {
  const [cleo, ben] = [await people.person('cleo'), await people.person('ben')];
  const room = await people.roomOf(cleo, ben);
  const [desk, sign] = [cleo.desk(room), cleo.asker.key];
  expect(await run(nameRoom(desk, sign, { topic: 'who is up' }))).toEqual({ name: 'Night shift', topic: 'who is up' });
  await run(nameRoom(desk, sign, { name: 'Day shift' }));
  expect(standing(cleo, room)).toMatchObject({ name: 'Day shift', topic: 'who is up' });
  await expect(run(nameRoom(desk, sign, { name: 'Day shift' }))).rejects.toMatchObject({ code: 'conflict' });
  await people.settle(ben);
  await expect(run(nameRoom(ben.desk(room), ben.asker.key, { topic: 'mine' }))).rejects.toMatchObject({
    ...{
      code: 'forbidden',
      message: expect.stringMatching(/only its owner and moderator may give it .* you are a member; ask cleo/),
    },
  });
  await run(desk.commit({ type: 'ROLE', role: 'moderator' }, { subject: ben.asker.key }));
  await people.settle(ben);
  await run(nameRoom(ben.desk(room), ben.asker.key, { topic: '' }));
  await people.settle(cleo);
  expect(standing(cleo, room)).toMatchObject({ name: 'Day shift', topic: '' });
});

test('R76 a room is closed by its owner alone, and only if its name is typed as it is displayed', async () => {
  const [cleo, ben] = [await people.person('cleo'), await people.person('ben')];
  const room = await people.roomOf(cleo, ben);
  const [desk, sign] = [cleo.desk(room), cleo.asker.key];
  await run(nameRoom(desk, sign, { name: 'Night \u202eshift' }));
  for (const typed of ['', 'Night shift', 'Night \u202eshift', 'night ‹U+202E›shift'])
    await expect(run(closeRoom(desk, sign, { typed, how }))).rejects.toMatchObject({
      ...{
        code: 'invalid-input',
        message: expect.stringMatching(/for all 2 in it.*: --confirm Night ‹U\+202E›shift$/),
      },
    });
  await run(desk.commit({ type: 'ROLE', role: 'moderator' }, { subject: ben.asker.key }));
  await people.settle(ben);
  const typed = 'Night ‹U+202E›shift';
  await expect(run(closeRoom(ben.desk(room), ben.asker.key, { typed, how }))).rejects.toMatchObject({
    ...{ code: 'forbidden', message: /only its owner may close it, and you are a moderator; ask cleo/ },
  });
  expect(standing(ben, room)?.isClosed).toBe(false);
  await run(closeRoom(desk, sign, { typed, how }));
  await people.settle(ben);
  expect(standing(ben, room)?.isClosed).toBe(true);
});

test('R76 R13 a name has 1 to 64 characters, a topic 256 at most, neither a control character nor spaces around it', () => {
  expect(() => checkRoomName('  ', 'NAME')).toThrow(/NAME: found 0 characters, allowed: 1 to 64/);
  expect(() => checkRoomName('a'.repeat(65), '--name')).toThrow(/--name: found 65 characters, allowed: 1 to 64/);
  expect(() => checkRoomTopic('a'.repeat(257), '--topic')).toThrow(/--topic: found 257 characters, allowed: 0 to 256/);
  expect(() => checkRoomTopic('two\nlines', 'TEXT')).toThrow(/TEXT: it holds a control character; give one line/);
  expect(checkRoomName(` ${'a'.repeat(64)} `, 'NAME')).toBe('a'.repeat(64));
  expect([checkRoomTopic('', 'TEXT'), checkRoomTopic('b'.repeat(256), 'TEXT')]).toEqual(['', 'b'.repeat(256)]);
});
