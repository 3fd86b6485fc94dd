/** Attacks by and on people in rooms, on a real engine; those on one form alone are beside it (frames, packages, windows, logs). */
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openRoomPeople, type Person, type RoomPeople } from '../../../tests/support/room-people.ts';
import { fromBase64Url, toBase64Url } from '../../shared/base/base64url.ts';
import type { RoomFrame } from '../../shared/protocol/payload-rooms.ts';
import { frameAad, frameSignatureInput } from '../../shared/protocol/room-frame-input.ts';
import { runtimePrimitives } from '../crypto/runtime-primitives.ts';
import { createSystemRandomness } from '../ports/randomness.ts';
import { createFrameSealer } from './frame-sealer.ts';
import { sealRoomKey } from './key-package.ts';
import { createRoomKey, stepRoomKey } from './room-keys.ts';
import type { EpochStart } from './room-log.ts';

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

const randomness = createSystemRandomness();
const run = <T>(work: Promise<T>): Promise<T> => people.place.run(work);
const messagesOf = (of: string): string => `vak.rooms.acme.${of}.messages`;

async function stored(of = room): Promise<readonly { readonly data: Uint8Array; readonly frame: RoomFrame }[]> {
  const stream = people.place.fabric.durable.stream('VAK_ROOMS_acme');
  const { messages } = await run(stream.read({ subject: messagesOf(of), limit: 1_000 }));
  return messages.map(({ data }) => {
    const { data_base64: body } = JSON.parse(Buffer.from(data).toString()) as { data_base64: string };
    return { data, frame: JSON.parse(Buffer.from(body, 'base64').toString()) as RoomFrame };
  });
}

/** Signed anew by somebody, with other fields. */
function resigned(frame: RoomFrame, by: Person, fields: Partial<RoomFrame>): RoomFrame {
  const changed = { ...frame, ...fields };
  const ctHash = runtimePrimitives.sha256(fromBase64Url(frame.ct, 'ct'));
  return { ...changed, sig: toBase64Url(by.asker.signer.sign(frameSignatureInput(frameAad(changed), ctHash))) };
}

const start = (person: Person): EpochStart => person.desk(room).reader.log().epochs().at(-1) as EpochStart;

/** A package of a room key by whoever, for whoever, of the epoch that is named. */
function packageOf(by: Person, to: Person, { hash, epoch, kind }: EpochStart, key = createRoomKey(randomness)) {
  const box = toBase64Url(to.box());
  const about = { room, epoch, rekeyHash: hash, isStep: kind === 'JOIN', issuedAt: 1 };
  return sealRoomKey(
    { ...about, key, recipient: to.asker.key, recipientBox: box },
    { signer: by.asker.signer, randomness },
  );
}

/** Ends dan’s process, and begins an epoch whose key it is not given. */
async function rotateUnseen(): Promise<EpochStart> {
  dan.rooms.dispose();
  await run(cleo.desk(room).commit({ type: 'REKEY', cause: 'hand' }));
  await people.settle(cleo);
  await run(people.place.fabric.durable.stream('VAK_KEYS_acme').purge());
  return start(cleo);
}

test('R7 a message that was stored counts once: not again in its room, not in another, not in the next epoch, not after a start', async () => {
  const other = await people.roomOf(cleo, ben);
  await cleo.say(room, 'once');
  await people.settle(ben);
  const [{ data, frame } = { data: new Uint8Array(), frame: undefined }] = await stored();
  const { durable } = people.place.fabric;
  await run(durable.append(messagesOf(room), data));
  await run(durable.append(messagesOf(other), data));
  await cleo.publish(messagesOf(other), 'vak.rooms.frame', frame as RoomFrame);
  await run(cleo.desk(room).commit({ type: 'REKEY', cause: 'hand' }));
  await cleo.publish(messagesOf(room), 'vak.rooms.frame', frame as RoomFrame);
  await people.settle(cleo, ben);
  const again = await people.restart(ben);
  await cleo.publish(messagesOf(room), 'vak.rooms.frame', frame as RoomFrame);
  await people.settle(again);
  for (const one of [room, other]) await run(again.desk(one).reader.loadOlder(100));
  expect(again.texts(room)).toEqual(['once', '[replayed]', '[wrong-epoch]', '[wrong-epoch]']);
  expect(again.texts(other)).toEqual(['[bad-signature]', '[wrong-room]']);
});

test('R7 a member that signs another’s ciphertext as its own says nothing with it', async () => {
  await cleo.say(room, 'mine');
  await people.settle(ben);
  const [{ frame } = { frame: undefined }] = await stored();
  await ben.publish(messagesOf(room), 'vak.rooms.frame', resigned(frame as RoomFrame, ben, { sender: 'ben' }));
  await ben.publish(messagesOf(room), 'vak.rooms.frame', resigned(frame as RoomFrame, ben, {}));
  await people.settle(cleo, dan);
  expect(dan.texts(room)).toEqual(['mine', '[tampered]', '[bad-signature]']);
});

test('R4 R8 a kicked member with its old credentials and the old key says nothing, not even in another’s name', async () => {
  await ben.say(room, 'still in');
  const { reader } = ben.desk(room);
  const [before, head] = [reader.log().standing()?.epoch ?? 0, reader.log().head()];
  const key = ben.keyring.keyOf(reader.log(), before);
  await run(cleo.desk(room).commit({ type: 'KICK' }, { subject: ben.asker.key }));
  const seal = (sender: string, epoch: number) =>
    createFrameSealer({ room, sender, signer: ben.asker.signer, randomness }).seal(
      { epoch, n: head?.n ?? 0, head: head?.hash ?? '', messageId: '01890a5d-ac96-774b-bcce-b302099a8057' },
      { kind: 'text', text: 'it was me' },
      key as NonNullable<typeof key>,
    );
  for (const [sender, epoch] of [
    ['ben', before],
    ['ben', before + 1],
    ['dan', before + 1],
  ] as const)
    await ben.publish(messagesOf(room), 'vak.rooms.frame', seal(sender, epoch));
  await people.settle(cleo, dan);
  expect(dan.texts(room)).toEqual(['still in', '[not-member]', '[not-member]', '[bad-signature]']);
});

test('R5 R30 a key counts from the author of its epoch alone: not from a member, not of an old epoch, not sealed to another, not a second one', async () => {
  const own = await rotateUnseen();
  const to = 'vak.keys.acme.dan.package';
  const type = 'vak.keys.package';
  await ben.publish(to, type, packageOf(ben, dan, own));
  await ben.publish(to, type, { ...packageOf(ben, dan, own), sender: cleo.asker.key });
  await cleo.publish(to, type, packageOf(cleo, dan, own));
  await cleo.publish(to, type, packageOf(cleo, dan, { ...own, epoch: own.epoch - 1 }));
  const forBen = packageOf(cleo, ben, own, cleo.keyOf(room, own.epoch));
  await cleo.publish(to, type, { ...forBen, recipient: dan.asker.key });
  dan = await people.restart(dan);
  await run(dan.rooms.look());
  expect(dan.hasKey(room, own.epoch)).toBe(false);
  await cleo.publish(to, type, packageOf(cleo, dan, own, cleo.keyOf(room, own.epoch)));
  await cleo.publish(to, type, packageOf(cleo, dan, own));
  await people.settle(dan);
  await cleo.say(room, 'with the true one');
  await people.settle(dan);
  expect(dan.texts(room)).toEqual(['with the true one']);
});

test('R30 after a JOIN the first key that counts is taken, and whoever sends another is named', async () => {
  const eva = await people.person('eva');
  await people.admit(room, cleo, eva);
  const join = start(eva);
  expect(join.kind).toBe('JOIN');
  const before = cleo.keyOf(room, join.epoch - 1);
  const other = stepRoomKey(before, new Uint8Array(32).fill(3));
  await cleo.publish('vak.keys.acme.eva.package', 'vak.keys.package', packageOf(cleo, eva, join, other));
  await people.settle(eva);
  expect(eva.rooms.exchange.differing(room)).toEqual([cleo.asker.key]);
  await cleo.say(room, 'hello eva');
  await people.settle(eva);
  expect(eva.texts(room)).toEqual(['hello eva']);
});

test('R3 R5 who is invited, or declines, gets no key and is not answered', async () => {
  const eva = await people.person('eva');
  await people.invite(room, cleo, eva);
  await cleo.say(room, 'not for eva');
  const ask = async (): Promise<void> => {
    const { epoch, hash: rekeyHash } = start(cleo);
    await eva.publish('vak.keys.acme.cleo.package', 'vak.keys.request', { v: 1, room, epoch, rekeyHash });
    await people.settle(cleo, eva);
  };
  await ask();
  await run(eva.desk(room).commit({ type: 'DECLINE' }));
  await ask();
  const { messages } = await run(people.place.fabric.durable.stream('VAK_KEYS_acme').read({ limit: 1_000 }));
  const forEva = messages.filter(({ subject }) => subject === 'vak.keys.acme.eva.package');
  expect(forEva.map(({ data }) => (JSON.parse(Buffer.from(data).toString()) as { type: string }).type)).toEqual([
    'vak.keys.invite',
  ]);
  await expect(run(eva.desk(room).commit({ type: 'JOIN', peer: 'eva' }))).rejects.toMatchObject({ code: 'forbidden' });
  await expect(eva.say(room, 'hello')).rejects.toMatchObject({ code: 'forbidden' });
});

test('R6 who joined asks for the keys before in vain, whomever it asks', async () => {
  // Of an epoch that cleo began, so that she is who could give its key.
  await run(cleo.desk(room).commit({ type: 'REKEY', cause: 'hand' }));
  await cleo.say(room, 'before eva');
  const old = start(cleo);
  expect(old.author).toBe(cleo.asker.key);
  const eva = await people.person('eva');
  await people.admit(room, cleo, eva);
  for (const name of ['cleo', 'ben']) {
    const record = { v: 1, room, epoch: old.epoch, rekeyHash: old.hash };
    await eva.publish(`vak.keys.acme.${name}.package`, 'vak.keys.request', record);
  }
  await people.settle(cleo, ben, eva);
  await people.settle(eva);
  expect(eva.hasKey(room, old.epoch)).toBe(false);
  expect(eva.hasKey(room, start(eva).epoch)).toBe(true);
});

test('R6 R32 a key that is handed out late is not given to who joined after it', async () => {
  const eva = await people.person('eva');
  await people.invite(room, cleo, eva);
  await people.settle(cleo);
  // Its author dies between the stream and the members: the key is in its store, and nobody else has it.
  const { reader } = cleo.desk(room);
  cleo.rooms.dispose();
  await run(cleo.commitAlone(room));
  await run(eva.desk(room).commit({ type: 'JOIN', peer: 'eva' }));
  const back = await people.restart(cleo);
  await people.settle(back, ben, dan, eva);
  const rekey = reader.log().epochs().length;
  expect(ben.hasKey(room, rekey)).toBe(true);
  expect(eva.hasKey(room, rekey)).toBe(false);
  expect(eva.hasKey(room, rekey + 1)).toBe(true);
  await back.say(room, 'all of us');
  await people.settle(ben, dan, eva);
  for (const one of [ben, dan, eva]) expect(one.texts(room)).toEqual(['all of us']);
});

test('R42 two processes, one that was killed and one over restored files of one identity never use a (key, nonce) twice', async () => {
  cpSync(join(ben.folder, `${room}.sealed`), join(ben.folder, 'old.sealed'));
  const twin = await people.twin(ben);
  await run(twin.rooms.look());
  for (const [index, one] of [ben, twin, ben, twin].entries()) await one.say(room, `words ${index}`);
  twin.rooms.dispose();
  let back = await people.restart(ben);
  await back.say(room, 'after a kill');
  back.rooms.dispose();
  cpSync(join(ben.folder, 'old.sealed'), join(ben.folder, `${room}.sealed`));
  back = await people.restart(back);
  await run(back.rooms.look());
  await back.say(room, 'over old files');
  const used = (await stored()).map(({ frame }) => `${frame.epoch} ${frame.sender} ${frame.boot} ${frame.counter}`);
  expect(used).toHaveLength(6);
  expect(new Set(used).size).toBe(6);
  await people.settle(cleo);
  expect(cleo.texts(room)).toEqual(['words 0', 'words 1', 'words 2', 'words 3', 'after a kill', 'over old files']);
});

test('R13 a room’s name of 10 MB, or with a control character, is refused before anything is sent', async () => {
  for (const name of ['x'.repeat(10_000_000), 'two\nlines', ''])
    await expect(run(cleo.rooms.create({ name, topic: '', history: 'joined' }))).rejects.toMatchObject({
      code: 'invalid-payload',
    });
});

test('R9 whoever says that the log is another holds a room up as long as it is a member, and no longer', async () => {
  const { reader } = ben.desk(room);
  const standing = reader.log().standing();
  const key = ben.keyring.keyOf(reader.log(), standing?.epoch ?? 0);
  const frame = createFrameSealer({ room, sender: 'ben', signer: ben.asker.signer, randomness }).seal(
    {
      ...{ epoch: standing?.epoch ?? 0, n: 1, head: toBase64Url(new Uint8Array(32).fill(1)) },
      messageId: '01890a5d-ac96-774b-bcce-b302099a8057',
    },
    { kind: 'text', text: 'x' },
    key as NonNullable<typeof key>,
  );
  await ben.publish(messagesOf(room), 'vak.rooms.frame', frame);
  await people.settle(cleo);
  await expect(cleo.say(room, 'held up')).rejects.toMatchObject({ code: 'conflict' });
  await run(cleo.desk(room).commit({ type: 'KICK' }, { subject: ben.asker.key }));
  await people.settle(cleo);
  await cleo.say(room, 'on we go');
  await people.settle(dan);
  expect(dan.texts(room).at(-1)).toBe('on we go');
});
