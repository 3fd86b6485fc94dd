import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openRoomPeople, type Person, type RoomPeople } from '../../../tests/support/room-people.ts';
import { context, openRoomsApp, type RoomsApp } from '../../../tests/support/rooms-app.ts';
import type { RoomItem } from '../../shared/contract/rooms-contract.ts';

let people: RoomPeople;
let app: RoomsApp;
let ben: Person;

beforeEach(async () => {
  people = await openRoomPeople();
  ben = await people.person('ben');
  app = await openRoomsApp(people);
});
afterEach(async () => {
  await app.close();
  expect(people.place.plane.log.filter((line) => line.includes('"bug"'))).toEqual([]);
  await people.close();
});

const run = <T>(work: Promise<T> | T): Promise<T> => people.place.run(Promise.resolve(work));
const toLine = (item: RoomItem): string =>
  item.kind === 'event' ? item.event : `${item.peer}: ${item.text ?? item.unopened?.cause ?? item.attachment?.name}`;
const lines = async (room: string): Promise<readonly string[]> => (await app.items(room)).map(toLine);

async function makeRoom(): Promise<string> {
  return (await run(app.calls.create({ name: 'Night shift', topic: '', history: 'joined' }, context))).room;
}

/** A room of the operator's, in which ben is. */
async function roomWithBen(): Promise<string> {
  const room = await makeRoom();
  await app.meet(ben);
  await run(app.calls.invite({ room, peer: 'ben', role: 'member' }, context));
  await people.settle(ben);
  await run(ben.desk(room).commit({ type: 'JOIN', peer: 'ben' }));
  await app.until(() => app.room(room)?.memberCount === 2);
  await people.settle(ben);
  return room;
}

const say = (room: string, text: string) => run(app.calls.send({ room, text }, context));

test('R61 whom no card is known of is not invited, nor who is blocked; who is invited joins with the key and is answered', async () => {
  const room = await makeRoom();
  const invite = () => run(app.calls.invite({ room, peer: 'ben', role: 'member' }, context));
  await expect(invite()).rejects.toMatchObject({ code: 'not-found', message: expect.stringContaining('vak id card') });
  await app.meet(ben);
  const { pins } = people.place.plane.profile.records;
  await run(pins.setBlocked({ ws: 'acme', peer: 'ben' }, true));
  await expect(invite()).rejects.toMatchObject({ code: 'forbidden', message: expect.stringContaining('blocked') });
  await run(pins.setBlocked({ ws: 'acme', peer: 'ben' }, false));
  expect(await run(app.calls.inviteFromFile({ room }, context))).toEqual({ peer: 'ben' });
  await people.settle(ben);
  await run(ben.desk(room).commit({ type: 'JOIN', peer: 'ben' }));
  await app.until(() => app.room(room)?.memberCount === 2);
  await say(room, 'welcome @ben');
  await people.settle(ben);
  await ben.say(room, 'hello');
  await app.until(() => app.room(room)?.lastLine?.peer === 'ben');
  expect(ben.texts(room)).toEqual(['welcome @ben', 'hello']);
  expect(await lines(room)).toEqual(['created', 'invited', 'joined', 'ada: welcome @ben', 'ben: hello']);
  expect(await run(app.calls.members({ room }, context))).toMatchObject({
    members: [
      { peer: 'ada', role: 'owner', kind: 'human', peerState: 'own', withheldWhy: null },
      { peer: 'ben', role: 'member', name: 'The ben', kind: 'bot', isAgent: true, peerState: 'pinned' },
    ],
  });
});

test('R56 what others say is unread until it is read, and the desktop is told who spoke and never what', async () => {
  const room = await roomWithBen();
  await people.place.pass(11_000);
  await ben.say(room, 'the code is 4711');
  await app.until(() => app.notifier.shown.length > 0);
  await ben.say(room, 'look here, @ada');
  await app.until(() => app.notifier.shown.length > 1);
  expect(app.notifier.shown.map(({ title }) => title)).toEqual([
    'ben wrote in Night shift',
    'ben mentioned you in Night shift',
  ]);
  expect(JSON.stringify(app.notifier.shown)).not.toContain('4711');
  const [first] = (await app.items(room)).filter(({ kind }) => kind === 'message');
  expect(app.room(room)).toMatchObject({ unreadCount: 2, mentionCount: 1, firstUnreadSeq: first?.seq });
  await run(app.calls.markRead({ room, seq: first?.seq ?? 0 }, context));
  expect(app.room(room)).toMatchObject({ unreadCount: 1, mentionCount: 1 });
  await people.settle(ben);
  expect(ben.desk(room).presence.read()).toEqual([{ peer: 'ada', seq: first?.seq }]);

  await run(app.calls.setMuted({ room, isMuted: true }, context));
  app.notifier.putInFront(false);
  await ben.say(room, 'nobody is told of this, @ada');
  await app.until(() => app.room(room)?.unreadCount === 2);
  await people.place.pass(20_000);
  expect(app.notifier.shown).toHaveLength(2);
});

test('R80 R54 what others are told is a setting, whichever place changes it, and counts at once', async () => {
  const room = await roomWithBen();
  const { settings } = people.place.plane.profile;
  const heard = () => ben.desk(room).presence.typing();
  await run(app.calls.setPresence({ sendsReceipts: true, sendsTyping: false }, context));
  expect([settings.get('rooms.typing').value, settings.get('rooms.receipts')]).toEqual([
    false,
    { value: true, isSet: false },
  ]);
  expect(app.state()).toMatchObject({ sendsReceipts: true, sendsTyping: false });
  await run(app.calls.setTyping({ room, isTyping: true }, context));
  await people.place.pass(500);
  expect(heard()).toEqual([]);
  await run(settings.set('rooms.typing', true));
  expect(app.state()).toMatchObject({ sendsTyping: true });
  await run(app.calls.setTyping({ room, isTyping: true }, context));
  await app.until(() => heard().length > 0);
  expect(heard()).toEqual(['ada']);
});

test('R62 a lock ends the rooms at once, nothing of them is told but numbers, and what came meanwhile is read after it', async () => {
  const room = await roomWithBen();
  await say(room, 'before');
  await app.until(() => app.room(room)?.waitingCount === 0);
  // Something is still to be worked out of the last change.
  await run(app.calls.setDraft({ room, text: 'half' }, context));
  ben.desk(room).presence.setTyping(true);
  await people.place.pass(1);
  app.lock();
  expect(app.state()).toMatchObject({ me: null, rooms: [], presence: [] });
  await expect(run(app.calls.send({ room, text: 'no' }, context))).rejects.toMatchObject({ code: 'locked' });
  await people.settle(ben);
  await ben.say(room, 'psst, @ada');
  await people.place.pass(20_000);
  expect(app.notifier.shown.map(({ title }) => title)).toEqual(['1 new message in your rooms']);
  await app.unlock();
  await app.until(() => app.room(room)?.unreadCount === 1);
  expect(await lines(room)).toEqual(['created', 'invited', 'joined', 'ada: before', 'ben: psst, @ada']);
});

test('R62 rooms of another engine are other rooms, and those of the first are there again with it', async () => {
  const room = await roomWithBen();
  await say(room, 'here');
  await app.until(() => app.room(room)?.waitingCount === 0);
  const first = {
    kind: 'embedded',
    fabric: people.place.fabric,
    destination: 'embedded',
    readOnlyContext: undefined,
  } as const;
  await app.use(await run(people.place.plane.openEngine('managed', 'managed')));
  expect(app.state()).toMatchObject({ me: { peer: 'ada' }, rooms: [] });
  await expect(run(app.calls.send({ room, text: 'there' }, context))).rejects.toMatchObject({ code: 'not-found' });
  await app.use(first);
  await app.until(() => app.room(room)?.lastLine?.text === 'here');
});

test('R62 through a read-only context reading goes on, and nothing goes out', async () => {
  const room = await roomWithBen();
  const { fabric } = people.place;
  await app.use({ kind: 'embedded', fabric, destination: 'embedded', readOnlyContext: 'look' });
  await ben.say(room, 'are you there?');
  await app.until(() => app.room(room)?.lastLine?.text === 'are you there?');
  await say(room, 'I can only look');
  await run(app.calls.markRead({ room, seq: 1_000 }, context));
  await people.place.pass(5_000);
  await people.settle(ben);
  expect(ben.texts(room)).toEqual(['are you there?']);
  expect(ben.desk(room).presence.read()).toEqual([]);
  expect(app.room(room)).toMatchObject({ waitingCount: 1, unreadCount: 0 });
});

test('R6 R65 who can read a message are those who had its key, whoever has left since', async () => {
  const room = await roomWithBen();
  const { messageId } = await say(room, 'for both');
  await app.until(() => app.room(room)?.waitingCount === 0);
  await run(app.calls.kick({ room, sign: ben.asker.key, reason: 'over' }, context));
  const { messageId: later } = await say(room, 'for me');
  await app.until(() => app.room(room)?.waitingCount === 0);
  expect(await run(app.calls.whoCanRead({ room, messageId }, context))).toMatchObject({
    ...{ epoch: 1, cause: 'ben joined', isShared: false },
    readers: [
      { peer: 'ada', isStillIn: true },
      { peer: 'ben', isStillIn: false },
    ],
  });
  expect(await run(app.calls.whoCanRead({ room, messageId: later }, context))).toMatchObject({
    ...{ epoch: 2, cause: 'ada removed somebody', readers: [{ peer: 'ada', isStillIn: true }] },
  });
});

test('R43 what a message and its sender hide is shown as signs, lines and emoji stay', async () => {
  const room = await roomWithBen();
  await ben.say(room, 'a\u202eb\nc 👩\u200d💻\u0007');
  await app.until(() => app.room(room)?.lastLine?.peer === 'ben');
  expect((await lines(room)).at(-1)).toBe('ben: a‹U+202E›b\nc 👩\u200d💻␇');
  expect(app.room(room)?.lastLine?.text).toBe('a‹U+202E›b');
});

test('R56 words are found by their beginnings in all rooms, the newest first', async () => {
  const room = await roomWithBen();
  await say(room, 'The deployment is done');
  await ben.say(room, 'which deployments?');
  await app.until(() => app.room(room)?.lastLine?.text === 'which deployments?');
  const found = await run(app.calls.search({ text: 'deploy', limit: 10 }, context));
  expect(found).toMatchObject({
    hits: [
      { peer: 'ben', roomName: 'Night shift' },
      { peer: 'ada', line: 'The deployment is done' },
    ],
    ...{ doneCount: 2, count: 2 },
  });
  expect((await run(app.calls.search({ text: 'ployment', limit: 10 }, context))).hits).toEqual([]);
});

test('R62 a page goes on where the one before ended, whatever kind of item stands there', async () => {
  const room = await roomWithBen();
  for (const text of ['one', 'two', 'three']) await say(room, text);
  await app.until(() => app.room(room)?.waitingCount === 0);
  const page = (question: object) => run(app.calls.page({ room, limit: 2, ...question }, context));
  const last = await page({});
  expect([last.items.map(toLine), last.hasOlder, last.hasNewer]).toEqual([['ada: two', 'ada: three'], true, false]);
  const before = await page({ beforeSeq: last.items[0]?.seq ?? 0 });
  expect([before.items.map(toLine), before.hasOlder, before.hasNewer]).toEqual([['joined', 'ada: one'], true, true]);
  const first = await page({ beforeSeq: before.items[0]?.seq ?? 0 });
  expect([first.items.map(toLine), first.hasOlder]).toEqual([['created', 'invited'], false]);
  const after = await page({ afterSeq: before.items[0]?.seq ?? 0 });
  expect(after.items.map(toLine)).toEqual(['ada: one', 'ada: two']);
  const [two] = after.items.slice(-1);
  const around = await page({ limit: 3, around: two?.kind === 'message' ? two.messageId : '' });
  expect(around.items.map(toLine)).toEqual(['ada: one', 'ada: two', 'ada: three']);
  await expect(page({ around: 'nothing' })).rejects.toMatchObject({ code: 'not-found' });
});

const png = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex');

test('R81 several files that are chosen are asked about first; then each goes in its turn, or is cancelled, or says why not', async () => {
  const room = await roomWithBen();
  const folder = mkdtempSync(join(tmpdir(), 'vak-media-'));
  const paths = ['a.txt', 'b.txt', 'c.txt', 'd.txt'].map((name) => join(folder, name));
  try {
    for (const path of paths) writeFileSync(path, path);
    app.prompt.answer(paths.join('\n'));
    const { choice } = await run(app.calls.attach({ room }, context));
    expect(choice?.files.map(({ name }) => name)).toEqual(['a.txt', 'b.txt', 'c.txt', 'd.txt']);
    expect([app.state().transfers, app.prompt.left]).toEqual([[], 0]);
    rmSync(join(folder, 'c.txt'));
    const sending = run(app.calls.attachChosen({ room, choiceId: choice?.choiceId ?? '' }, context));
    expect(app.state().transfers.map(({ name, isWaiting }) => [name, isWaiting])).toEqual(
      ['a.txt', 'b.txt', 'c.txt', 'd.txt'].map((name) => [name, true]),
    );
    app.calls.cancelTransfer({ transferId: app.state().transfers[1]?.transferId ?? '' }, context);
    await sending;
    await app.until(() => app.room(room)?.waitingCount === 0);
    const sent = (await app.items(room)).filter((one) => one.kind === 'message');
    expect(sent.map(({ attachment }) => attachment?.name)).toEqual(['a.txt', 'd.txt']);
    expect(app.state().transfers).toMatchObject([
      { name: 'c.txt', isWaiting: false, error: { message: expect.stringContaining('c.txt') } },
    ]);
    // It goes once: what is sent twice was chosen twice.
    await expect(
      run(app.calls.attachChosen({ room, choiceId: choice?.choiceId ?? '' }, context)),
    ).rejects.toMatchObject({ code: 'not-found' });
    app.prompt.answer(Array(33).fill(paths[0]).join('\n'));
    await expect(run(app.calls.attach({ room }, context))).rejects.toMatchObject({ code: 'limit-exceeded' });
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('R53 a file goes to the others and is saved whole; a preview is an image by its bytes alone', async () => {
  const room = await roomWithBen();
  const folder = mkdtempSync(join(tmpdir(), 'vak-media-'));
  try {
    const given = { room, name: '../a\u202e.png', mime: 'text/html', data: png.toString('base64') };
    await run(app.calls.attachBytes(given, context));
    await app.until(() => app.room(room)?.waitingCount === 0);
    writeFileSync(join(folder, 'page.png'), '<script>1</script>');
    app.prompt.answer(join(folder, 'page.png'), join(folder, 'saved.png'));
    await run(app.calls.attach({ room, text: 'look' }, context));
    await app.until(() => app.room(room)?.waitingCount === 0);
    const sent = (await app.items(room)).filter((one) => one.kind === 'message');
    expect(sent.map(({ attachment }) => attachment)).toMatchObject([
      { name: 'a_.png', mime: 'image/png', sizeBytes: png.length, hasPreview: true },
      { name: 'page.png', mime: 'application/octet-stream', hasPreview: false },
    ]);
    const [image, page] = sent.map(({ messageId }) => messageId);
    const preview = (messageId = '') => run(app.calls.preview({ room, messageId }, context));
    expect(await preview(image)).toEqual({ mime: 'image/png', data: png.toString('base64') });
    await expect(preview(page)).rejects.toMatchObject({ code: 'unsupported' });
    const { path } = await run(app.calls.saveAttachment({ room, messageId: image ?? '' }, context));
    expect(readFileSync(path).equals(png)).toBe(true);
    expect(existsSync(`${path}.${process.pid}.part`)).toBe(false);
    expect(app.state().transfers).toEqual([]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
