import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openRoomPeople, type Person, type RoomPeople } from '../../tests/support/room-people.ts';
import { attachFiles, saveFile } from './chat-files.ts';
import type { ChatHands } from './chat-hands.ts';

let people: RoomPeople;
let folder: string;
beforeEach(async () => {
  people = await openRoomPeople();
  folder = mkdtempSync(join(tmpdir(), 'vak-chat-files-'));
});
afterEach(async () => {
  await people.close();
  rmSync(folder, { recursive: true });
});

const run = <T>(work: Promise<T>): Promise<T> => people.place.run(work);

/** Somebody who sits in the room; a second passes each time that the time is asked for. */
function handsIn(room: string, { desk, rooms }: Person) {
  const [told, sent]: [string[], string[]] = [[], []];
  const { clock } = people.place;
  let askedCount = 0;
  const hands = {
    ...{ desk: () => desk(room), tell: (text: string) => told.push(text) },
    follow: (_desk: unknown, messageId: string) => sent.push(messageId),
    messageIdOf: (number: string) => sent[Number(number.slice(1)) - 1] ?? '',
    files: {
      ...{ folder, signal: new AbortController().signal },
      clock: { ...clock, monotonic: () => 1_000 * askedCount++ },
    },
  };
  return { hands: hands as unknown as ChatHands, told, sent, rooms };
}

test('R77 /attach sends each file under its own name, and says how far it is; /save writes it as it was', async () => {
  const cleo = await people.person('cleo');
  const room = await people.roomOf(cleo);
  const { hands, told, sent } = handsIn(room, cleo);
  writeFileSync(join(folder, 'a note.txt'), 'hello');
  const large = new Uint8Array(3 << 20).fill(7);
  writeFileSync(join(folder, 'large.bin'), large);
  await run(attachFiles(`"a note.txt" ${join(folder, 'large.bin')}`, hands));
  await run(cleo.desk(room).look());
  const names = sent.map((id) => cleo.desk(room).reader.timeline().byId(id)?.content);
  expect(names).toMatchObject([
    { name: 'a note.txt', mime: 'text/plain', size: 5 },
    { name: 'large.bin', mime: 'application/octet-stream', size: 3 << 20 },
  ]);
  expect(told.at(0)).toMatch(/large\.bin is on its way: [0-3]\.\d of 3\.0 MiB$/);
  told.length = 0;
  await run(saveFile('#2 "a copy.bin"', hands));
  expect(Buffer.compare(readFileSync(join(folder, 'a copy.bin')), large)).toBe(0);
  expect(told.at(0)).toMatch(/^read: [0-3]\.\d of 3\.0 MiB$/);
  expect(told.at(-1)).toMatch(/^saved .*a copy\.bin, 3145728 bytes, verified$/);
});

test('R77 /save never overwrites without being told, and leaves nothing of what does not come whole', async () => {
  const cleo = await people.person('cleo');
  const room = await people.roomOf(cleo);
  const { hands, sent } = handsIn(room, cleo);
  const path = join(folder, 'notes.txt');
  writeFileSync(path, 'what was said');
  await run(attachFiles('notes.txt', hands));
  await run(cleo.desk(room).look());
  writeFileSync(path, 'mine by now');
  await expect(run(saveFile('#1', hands))).rejects.toMatchObject({
    ...{
      code: 'exists',
      message: expect.stringMatching(/is there already; give another name, or put --replace behind$/),
    },
  });
  expect(readFileSync(path, 'utf8')).toBe('mine by now');
  await run(saveFile('#1 --replace', hands));
  expect(readFileSync(path, 'utf8')).toBe('what was said');
  const content = cleo
    .desk(room)
    .reader.timeline()
    .byId(sent[0] ?? '')?.content;
  if (content?.kind !== 'attachment') throw new TypeError('no file was sent');
  await run(people.place.fabric.durable.objects(content.bucket).delete(content.object));
  await expect(run(saveFile('#1 --replace', hands))).rejects.toMatchObject({ code: 'not-found' });
  expect(readdirSync(folder)).toEqual(['notes.txt']);
  expect(readFileSync(path, 'utf8')).toBe('what was said');
});

test('R77 what cannot be done says why and what next, and sends nothing', async () => {
  const cleo = await people.person('cleo');
  const room = await people.roomOf(cleo);
  const { hands, sent } = handsIn(room, cleo);
  writeFileSync(join(folder, 'there.txt'), 'x');
  const refusals = [
    [attachFiles, '', /FILE is missing; \/attach FILE… sends files/],
    [attachFiles, '"no end', /a quote \("\) does not end/],
    [attachFiles, 'there.txt none.txt', /FILE: cannot read .*none\.txt: there is no such file; check the path/],
    [attachFiles, '.', /it is a folder; give a file/],
    [attachFiles, 'x '.repeat(33), /found 33 files, allowed: 32 at a time/],
    [saveFile, '', /#N is missing; \/save #N \[FILE\]/],
    [saveFile, '#1 a b', /FILE: one name is expected; a name with spaces stands in quotes/],
  ] as const;
  for (const [act, rest, message] of refusals) await expect(run(act(rest, hands))).rejects.toThrow(message);
  expect(sent).toEqual([]);
});
