import { afterEach, beforeEach, expect, test } from 'vitest';
import { digestOf, pieces, readAll, someBytes } from '../../../tests/support/object-fixture.ts';
import { openRoomPeople, type Person, type RoomPeople } from '../../../tests/support/room-people.ts';
import { isVakError } from '../../shared/base/vak-error.ts';
import type { ObjectBucket } from '../bus/durable.ts';
import type { AttachmentFile } from './room-attachments.ts';

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

const run = <T>(work: Promise<T>): Promise<T> => people.place.run(work);
const never = new AbortController().signal;
const bucketOf = (name: string): ObjectBucket => people.place.fabric.durable.objects(`VAK_MEDIA_4_acme_${name}`);
const file = (bytes: Uint8Array, name = 'plan.pdf'): AttachmentFile => ({
  name,
  mime: 'application/pdf',
  text: 'the plan',
  read: () => pieces(bytes),
});

/** Sends a file; gives the message’s id and the object’s name. */
async function send(bytes: Uint8Array, name?: string): Promise<{ readonly id: string; readonly object: string }> {
  const id = await run(cleo.desk(room).attachments.send(file(bytes, name), { signal: never }));
  await people.settle(cleo, ben);
  const [info] = await run(bucketOf('cleo').list());
  return { id, object: info?.name ?? '' };
}

/** What ben gets of it: the bytes, or why not and how many had left by then. */
async function got(
  id: string,
): Promise<{ readonly bytes: number; readonly digest?: string; readonly fault?: unknown }> {
  let bytes = 0;
  try {
    const opened = ben.desk(room).attachments.open(id, {
      signal: never,
      onProgress: (done) => {
        bytes = done;
      },
    });
    const all = await run(readAll(opened.bytes));
    return { bytes, digest: digestOf(all) };
  } catch (error) {
    if (!isVakError(error)) throw error;
    return { bytes, fault: error.details?.['fault'] ?? error.code };
  }
}

test('R12 R53 what is sent is got by who is in the room, under a name that is one, and told as it goes', async () => {
  const bytes = someBytes(200_000);
  const heard: number[] = [];
  const name = `/home/cleo/\u202Egnp.exe${'x'.repeat(10_000_000)}.pdf`;
  const sending = cleo
    .desk(room)
    .attachments.send(file(bytes, name), { signal: never, onProgress: (n) => heard.push(n) });
  const id = await run(sending);
  await people.settle(cleo, ben);
  expect(heard.at(-1)).toBe(200_000);
  expect(heard.length).toBeGreaterThan(2);
  const { attachment } = ben.desk(room).attachments.open(id, { signal: never });
  expect(attachment).toMatchObject({
    size: 200_000,
    mime: 'application/pdf',
    text: 'the plan',
    bucket: 'VAK_MEDIA_4_acme_cleo',
  });
  expect(attachment.name).toMatch(/^[^\u202E/]{1,64}$/u);
  expect(await got(id)).toEqual({ bytes: 200_000, digest: digestOf(bytes) });
  expect(cleo.desk(room).file.read().uploads).toEqual([]);
});

const sealedChunk = 65_552;
test.each<[string, (sealed: Uint8Array) => Uint8Array, string]>([
  ['flipped', (sealed) => sealed.map((byte, at) => (at === 70_000 ? byte ^ 1 : byte)), 'hash'],
  ['truncated', (sealed) => sealed.subarray(0, sealedChunk), 'size'],
  [
    'with its chunks swapped',
    (sealed) =>
      Buffer.concat([
        sealed.subarray(sealedChunk, 2 * sealedChunk),
        sealed.subarray(0, sealedChunk),
        sealed.subarray(2 * sealedChunk),
      ]),
    'hash',
  ],
  ['replaced under the same name', (sealed) => someBytes(sealed.length, 9), 'hash'],
])('R12 an object that was %s lets no byte leave', async (_, change, fault) => {
  const { id, object } = await send(someBytes(200_000));
  const sealed = await run(readAll(bucketOf('cleo').get(object)));
  await run(bucketOf('cleo').put(object, pieces(change(sealed))));
  expect(await got(id)).toEqual({ bytes: 0, fault });
});

test('R12 an object that is gone is told as such, and so is a message that was redacted', async () => {
  const { id, object } = await send(someBytes(10));
  await run(bucketOf('cleo').delete(object));
  expect(await got(id)).toEqual({ bytes: 0, fault: 'not-found' });
  await run(cleo.desk(room).sender.say({ kind: 'redaction', target: id }));
  await people.settle(cleo, ben);
  expect(await got(id)).toEqual({ bytes: 0, fault: 'not-found' });
});

test('R53 a message that names another’s bucket is not followed', async () => {
  const { id } = await send(someBytes(10));
  const { attachment } = ben.desk(room).attachments.open(id, { signal: never });
  const stolen = await run(ben.desk(room).sender.say({ kind: 'attachment', ...attachment }));
  await people.settle(ben, cleo);
  expect(() => cleo.desk(room).attachments.open(stolen, { signal: never })).toThrow(
    expect.objectContaining({ code: 'forbidden' }),
  );
});

test('R53 who is cancelled, or whose message is not kept, leaves nothing behind', async () => {
  const cancelling = new AbortController();
  const { attachments, sender, file: kept } = cleo.desk(room);
  const sending = attachments.send(file(someBytes(400_000)), {
    signal: cancelling.signal,
    onProgress: () => cancelling.abort(),
  });
  await expect(run(sending)).rejects.toMatchObject({ code: 'aborted' });
  const broken = { ...file(someBytes(10)), text: 'x'.repeat(70_000) };
  await expect(run(attachments.send(broken, { signal: never }))).rejects.toMatchObject({ code: 'invalid-payload' });
  expect(await run(bucketOf('cleo').list())).toEqual([]);
  expect(kept.read().uploads).toEqual([]);
  expect(sender.sending()).toEqual([]);
});

test('R53 the object of a message that is taken back goes with it', async () => {
  cleo.line.state = 'cut';
  const id = await run(cleo.desk(room).attachments.send(file(someBytes(10)), { signal: never }));
  expect(await run(bucketOf('cleo').list())).toHaveLength(1);
  await run(cleo.desk(room).sender.cancel(id));
  cleo.line.state = 'up';
  await people.settle(cleo);
  expect(await run(bucketOf('cleo').list())).toEqual([]);
  expect(cleo.desk(room).file.read().uploads).toEqual([]);
});

test('R53 what a killed process had stored before its message was kept is removed a day later, and not what another still stores', async () => {
  const { object } = await send(someBytes(10));
  const { file: kept, attachments } = cleo.desk(room);
  const now = people.place.clock.now();
  await run(
    kept.update((state) => ({
      ...state,
      uploads: [
        { object, atMs: now },
        { object: 'other', atMs: now - 1 },
      ],
    })),
  );
  await run(attachments.tidy());
  expect(await run(bucketOf('cleo').list())).toHaveLength(1);
  await run(kept.update((state) => ({ ...state, uploads: [{ object, atMs: now - 24 * 3_600_000 }] })));
  await run(attachments.tidy());
  expect(await run(bucketOf('cleo').list())).toEqual([]);
});

test('R53 who joins while a file is stored reads it: it is sealed anew', async () => {
  const dan = await people.person('dan');
  await people.invite(room, cleo, dan);
  const bytes = someBytes(150_000);
  let reads = 0;
  const slow: AttachmentFile = {
    ...file(bytes),
    async *read() {
      reads++;
      if (reads === 1) await dan.desk(room).commit({ type: 'JOIN', peer: 'dan' });
      yield* pieces(bytes);
    },
  };
  const id = await run(cleo.desk(room).attachments.send(slow, { signal: never }));
  await people.settle(cleo, dan);
  const { attachment, bytes: opened } = dan.desk(room).attachments.open(id, { signal: never });
  expect(reads).toBe(2);
  expect(attachment.epoch).toBe(dan.desk(room).reader.log().standing()?.epoch);
  expect(digestOf(await run(readAll(opened)))).toBe(digestOf(bytes));
});

test('I3 R12 a file that is looked at and not read leaves no copy of its room’s key behind', async () => {
  const { id } = await send(someBytes(1_000));
  const keyOf = ben.keyring.keyOf;
  let copyCount = 0;
  (ben.keyring as { keyOf: typeof keyOf }).keyOf = (log, epoch) => {
    const key = keyOf(log, epoch);
    if (key === undefined) return undefined;
    const reveal = (): Uint8Array => {
      copyCount++;
      return key.reveal();
    };
    return { ...key, reveal };
  };
  const opened = ben.desk(room).attachments.open(id, { signal: never });
  expect(copyCount).toBe(0);
  await run(readAll(opened.bytes));
  expect(copyCount).toBe(1);
});
