import { afterEach, beforeEach, expect, test } from 'vitest';
import {
  type Asker,
  logOf,
  logStream,
  type MembershipPlace,
  openMembershipPlace,
  openRoom,
} from '../../../tests/support/membership-place.ts';
import type { Life } from '../../../tests/support/mortal.ts';
import { planeWorkspace } from '../../../tests/support/plane-profile.ts';
import { commitOf } from '../../../tests/support/room-fixture.ts';
import { toText, utf8 } from '../../shared/base/bytes.ts';
import { VakError } from '../../shared/base/vak-error.ts';
import type { RoomEntry, RoomEntryBody } from '../../shared/protocol/payload-room-log.ts';
import { startTrace } from '../../shared/protocol/trace-context.ts';
import { createRecordChecks } from '../identity/signed-record.ts';
import type { WorkPeer } from '../work/work-peer.ts';
import { signRoomEntry } from './room-entry.ts';
import { createRoomHints } from './room-hints.ts';
import { createRoomShelf } from './room-shelf.ts';

let place: MembershipPlace;
let ada: Asker;
let ben: Asker;

const topic = (text: string): RoomEntryBody => ({ type: 'TOPIC', name: 'Night shift', topic: text });
const subject = `vak.control.${planeWorkspace}.rooms.append`;

beforeEach(async () => {
  place = await openMembershipPlace();
  [ada, ben] = [await place.asker('anna'), await place.asker('ben')];
});
afterEach(async () => {
  await place.close();
  expect(place.plane.log.filter((line) => line.includes('"bug"'))).toEqual([]);
});

/** A request's bytes, as the asker signs them. */
function request(by: Asker, payload: unknown, { type = 'vak.control.rooms.append', to = subject } = {}): Uint8Array {
  let data = new Uint8Array();
  const draft = {
    subject: to,
    type,
    payload: utf8(JSON.stringify(payload)),
    trace: startTrace(place.plane.ports.randomness.bytes),
  };
  by.author.publish(draft, (bytes) => {
    data = Uint8Array.from(bytes);
  });
  return data;
}

/** What is answered to these bytes. */
async function answerTo(by: Asker, data: Uint8Array, to = subject): Promise<Record<string, unknown>> {
  return JSON.parse(toText(await place.run(by.bus.request(to, data, { timeoutMs: 10_000 }))));
}

test('R24 entries are stored in order under membershipd’s signature; asked twice, one lies there', async () => {
  const { events } = await place.serve();
  const room = await openRoom(place, ada, [ben]);
  const entry = ben.sign(room, { type: 'LEAVE' });
  const first = await place.run(ben.client.append(entry, { reader: ben.reader(room) }));
  expect(await place.run(ben.client.append(entry, { reader: ben.reader(room) }))).toBe(first);
  const stored = await place.stored(room);
  expect(stored.map(({ by, type }) => [by, type])).toEqual(Array(4).fill(['membershipd', 'vak.rooms.entry']));
  expect(stored.at(-1)?.seq).toBe(first);
  expect(events.map(({ type, n, by }) => [type, n, by])).toEqual([
    ['CREATE', 0, 'anna'],
    ['INVITE', 1, 'anna'],
    ['JOIN', 2, 'ben'],
    ['LEAVE', 3, 'ben'],
  ]);
});

test('R2 of two commits for one place one is stored; the other is told to read again, and then follows', async () => {
  await place.serve();
  const room = await openRoom(place, ada, [ben]);
  const [left, right] = [ada.sign(room, topic('left')), ada.sign(room, topic('right'))];
  const options = { reader: ada.reader(room) };
  const outcomes = await place.run(
    Promise.allSettled([ada.client.append(left, options), ada.client.append(right, options)]),
  );
  expect(outcomes.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
  const lost = outcomes.find(({ status }) => status === 'rejected');
  expect(lost).toMatchObject({ reason: { code: 'conflict', details: { n: 3 } } });
  await ada.commit(room, topic('again'));
  expect(await place.stored(room)).toHaveLength(5);
});

test('R24 what a reader would skip is refused with why, and never stored', async () => {
  await place.serve();
  const room = await openRoom(place, ada, [ben]);
  const cleo = await place.asker('cleo');
  await place.run(cleo.reader(room).catchUp());
  const append = (by: Asker, entry: RoomEntry) => place.run(by.client.append(entry, { reader: by.reader(room) }));
  const entry = ada.sign(room, topic('x'));
  await expect(append(ben, ben.sign(room, topic('mine')))).rejects.toMatchObject({
    code: 'forbidden',
    details: { why: 'not-allowed' },
  });
  await expect(append(cleo, cleo.sign(room, { type: 'JOIN', peer: 'cleo' }))).rejects.toMatchObject({
    details: { why: 'not-allowed' },
  });
  await expect(append(ada, { ...entry, epoch: entry.epoch + 1 })).rejects.toMatchObject({
    code: 'invalid-payload',
    details: { why: 'bad-signature' },
  });
  const ahead = signRoomEntry({ ...ada.reader(room).log().draft(topic('far')), n: 9 }, ada.signer);
  await expect(append(ada, ahead)).rejects.toMatchObject({ code: 'conflict', details: { why: 'wrong-place', n: 2 } });
  expect(await place.stored(room)).toHaveLength(3);
});

test('R1 R24 a service that is asked for an injected join, a kick by nobody, or another’s entry stores none of them', async () => {
  await place.serve();
  const room = await openRoom(place, ada);
  const { signer } = await place.asker('eve');
  const join = signRoomEntry({ ...ada.reader(room).log().draft({ type: 'JOIN', peer: 'eve' }), room }, signer);
  const data = request(ada, { entry: join });
  expect(await answerTo(ada, data)).toMatchObject({ code: 'forbidden', details: { why: 'not-allowed' } });
  expect(await place.stored(room)).toHaveLength(1);
});

test('S5 R24 a request that is replayed, misplaced, held back, unsigned, or of who may not ask is refused', async () => {
  await place.serve();
  const { entry, room } = ada.create();
  const data = request(ada, { entry });
  expect(await answerTo(ada, data)).toMatchObject({ ok: true });
  const refused = async (bytes: Uint8Array, by = ada) => (await answerTo(by, bytes))['message'];
  expect(await refused(data)).toMatch(/Reordered/);
  expect(await refused(request(ada, {}, { to: `vak.control.${planeWorkspace}.rooms.mine` }))).toMatch(
    /another subject/,
  );
  expect(await refused(request(ada, { entry }, { type: 'vak.control.append' }))).toMatch(/type is not that/);
  const { signed: _, ...bare } = JSON.parse(toText(request(ada, { entry })));
  const unsigned = utf8(JSON.stringify({ ...bare, signer: undefined, signature: undefined }));
  expect(await refused(unsigned)).toMatch(/not signed/);
  const held = request(ada, { entry });
  await place.pass(61_000);
  expect(await refused(held)).toMatch(/not of now/);
  const watcher = await place.asker('watcher', ['observer']);
  expect(await refused(request(watcher, { entry }))).toMatch(/watcher held observer/);
  expect(await place.stored(room)).toHaveLength(1);
});

test('R24 R37 who asks too much, or says too much, is told so; others are answered', async () => {
  await place.serve();
  const { entry } = ada.create();
  expect(await answerTo(ada, request(ada, { entry, more: 'x'.repeat(40_000) }))).toMatchObject({
    code: 'invalid-payload',
  });
  const answers = [];
  for (let i = 0; i < 201; i++) answers.push(ada.bus.request(subject, request(ada, { entry }), { timeoutMs: 10_000 }));
  const codes = (await place.run(Promise.all(answers))).map((data) => JSON.parse(toText(data)).code ?? 'ok');
  expect(codes.filter((code) => code === 'ok')).toHaveLength(200);
  expect(codes.at(-1)).toBe('limit-exceeded');
  expect(await answerTo(ben, request(ben, { entry: ben.create(8).entry }))).toMatchObject({ ok: true });
});

test('R25 mine names the rooms in which the asker’s key is a member or invited, and no others', async () => {
  await place.serve();
  const shared = await openRoom(place, ada, [ben]);
  const { room: own, entry } = ben.create(9);
  await place.run(ben.client.append(entry, { reader: ben.reader(own) }));
  await ben.commit(own, { type: 'INVITE', peer: 'anna', role: 'member' }, ada.key);
  expect(await place.run(ada.client.mine())).toEqual([
    { room: shared, n: 2, standing: 'member' },
    { room: own, n: 1, standing: 'invited' },
  ]);
  await ada.commit(own, { type: 'DECLINE' });
  await ben.commit(shared, { type: 'LEAVE' });
  expect(await place.run(ada.client.mine())).toEqual([{ room: shared, n: 3, standing: 'member' }]);
  expect(await place.run(ben.client.mine())).toEqual([{ room: own, n: 2, standing: 'member' }]);
  const { client } = await place.asker('nobody');
  expect(await place.run(client.mine())).toEqual([]);
});

/** A peer whose readings of one log are told. */
const toldReads =
  (reads: string[]) =>
  (peer: WorkPeer): WorkPeer => ({
    ...peer,
    durable: {
      ...peer.durable,
      stream(name) {
        const stream = peer.durable.stream(name);
        return {
          ...stream,
          async last(subject) {
            if (subject.endsWith('.log')) reads.push(subject);
            return await stream.last(subject);
          },
        };
      },
    },
  });

test('R25 whoever asks in which rooms it is has a log read only if there is something new on it, whoever asked before', async () => {
  const reads: string[] = [];
  await place.serve('membershipd', { through: toldReads(reads) });
  const rooms = [await openRoom(place, ada, [ben])];
  for (let n = 20; n < 24; n++) {
    const { room, entry } = ada.create(n);
    await place.run(ada.client.append(entry, { reader: ada.reader(room) }));
    rooms.push(room);
  }
  const [shared = ''] = rooms;
  expect(await place.run(ada.client.mine())).toHaveLength(5);
  reads.length = 0;
  expect(await place.run(ada.client.mine())).toHaveLength(5);
  expect(await place.run(ben.client.mine())).toHaveLength(1);
  expect(reads).toEqual([]);
  await ben.commit(shared, { type: 'LEAVE' });
  reads.length = 0;
  expect(await place.run(ben.client.mine())).toEqual([]);
  expect(await place.run(ada.client.mine())).toContainEqual({ room: shared, n: 3, standing: 'member' });
  expect(reads).toEqual([logOf(shared)]);
});

test('R25 whoever invites a key to rooms without end hides no room that it is in, and is held to a number', async () => {
  await place.serve();
  const shared = await openRoom(place, ada, [ben]);
  const flood: string[] = [];
  for (let n = 30; n < 36; n++) {
    const { room, entry } = ada.create(n);
    await place.run(ada.client.append(entry, { reader: ada.reader(room) }));
    await ada.commit(room, { type: 'INVITE', peer: 'ben', role: 'member' }, ben.key);
    flood.push(room);
  }
  const peer = await place.run(
    place.plane.openPeer({ fabric: place.fabric }, 'membershipd', { roles: ['membershipd'] }),
  );
  const deps = { ...peer, ...place.plane.ports };
  const shelf = createRoomShelf({ ...deps, checks: createRecordChecks() });
  const hints = await place.run(createRoomHints({ ...deps, shelf, maxInvited: 3 }).of(ben.key));
  expect(hints.map(({ room }) => room)).toEqual([shared, ...flood.slice(3).reverse()]);
});

test('R24 memory is bounded: the room that was used longest ago gives way, and is read again', async () => {
  const reads: string[] = [];
  const through = (peer: WorkPeer): WorkPeer => ({
    ...peer,
    durable: {
      ...peer.durable,
      stream(name) {
        const stream = peer.durable.stream(name);
        const read: typeof stream.read = async (options) => {
          if ((options.fromSeq ?? 1) === 1) reads.push(options.subject ?? '');
          return await stream.read(options);
        };
        return { ...stream, read };
      },
    },
  });
  await place.serve('membershipd', { through, shelf: { maxRooms: 2 } });
  const rooms = [ada.create(1), ada.create(2), ada.create(3)];
  for (const { room, entry } of rooms) await place.run(ada.client.append(entry, { reader: ada.reader(room) }));
  const [first = '', , third = ''] = rooms.map(({ room }) => room);
  await ada.commit(third, topic('read on'));
  reads.length = 0;
  await ada.commit(third, topic('at hand'));
  expect(reads).toEqual([]);
  await ada.commit(first, topic('read again'));
  expect(reads).toEqual([logOf(first)]);
});

test('R2 two services at once do not fork a room: each asker has one answer, and the loser reads again', async () => {
  await Promise.all([place.serve('membershipd'), place.serve('membershipd-2')]);
  const room = await openRoom(place, ada, [ben]);
  for (let round = 0; round < 5; round++) {
    await place.run(ada.reader(room).catchUp());
    await place.run(ben.reader(room).catchUp());
    const [mine, his] = [
      ada.sign(room, topic(`round ${round}`)),
      ben.sign(room, { type: 'REKEY', commit: ada.create().entry.prevHash, cause: 'hand' }),
    ];
    const outcomes = await place.run(
      Promise.allSettled([
        ada.client.append(mine, { reader: ada.reader(room) }),
        ben.client.append(his, { reader: ben.reader(room) }),
      ]),
    );
    expect(outcomes.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
  }
  expect(await place.stored(room)).toHaveLength(3 + 5);
  expect(ada.reader(room).standing()).toMatchObject({ stop: undefined, skippedCount: 0 });
});

const lost = () => Promise.reject(new VakError('timeout', 'no answer'));

test('R24 an append whose answer is lost is read back before anybody is answered', async () => {
  place.fates.push((append) => append().then(lost));
  await place.serve();
  const { room, entry } = ada.create();
  const answer = await answerTo(ada, request(ada, { entry }));
  expect(answer).toEqual({ ok: true, seq: (await place.stored(room))[0]?.seq });
});

test('R24 what may still be on its way is told as not known; asked again it is stored once', async () => {
  place.fates.push(lost);
  await place.serve();
  const { room, entry } = ada.create();
  expect(await answerTo(ada, request(ada, { entry }))).toMatchObject({ code: 'timeout', retryable: true });
  expect(await place.stored(room)).toEqual([]);
  expect(await answerTo(ada, request(ada, { entry }))).toMatchObject({ ok: true });
  expect(await place.stored(room)).toHaveLength(1);
});

test('R24 a service that is killed between append and answer: the next one answers for what lies there, once', async () => {
  const life: Life = { isOver: false };
  const { room, entry } = ada.create();
  place.fates.push(async (append) => {
    const appended = await append();
    life.isOver = true;
    return appended;
  });
  await place.serve('membershipd', { life });
  const asking = ada.client.append(entry, { reader: ada.reader(room) });
  await place.pass(1_000);
  expect(life.isOver).toBe(true);
  await place.serve('membershipd');
  const seq = await place.run(asking);
  expect(await place.stored(room)).toEqual([{ seq, by: 'membershipd', type: 'vak.rooms.entry' }]);
});

test('R24 when it ends it answers what it was asked, and takes no more', async () => {
  const { service } = await place.serve();
  const { room, entry } = ada.create();
  const asking = ada.bus.request(subject, request(ada, { entry }), { timeoutMs: 10_000 });
  await place.run(service.close());
  expect(JSON.parse(toText(await place.run(asking)))).toMatchObject({ ok: true });
  expect(await place.stored(room)).toHaveLength(1);
  await expect(place.run(ada.bus.request(subject, request(ada, { entry }), { timeoutMs: 100 }))).rejects.toMatchObject({
    code: 'no-responders',
  });
  expect((await place.run(place.fabric.durable.stream(logStream).state())).messageCount).toBe(1);
});

test('R59 a member that rotates a key without end makes no log longer than so much in a time', async () => {
  await place.serve();
  const room = await openRoom(place, ada, [ben]);
  const rotate = (): Promise<number> => ben.commit(room, { type: 'REKEY', commit: commitOf(3), cause: 'hand' });
  let storedCount = 0;
  const flood = async (): Promise<void> => {
    for (;;) {
      await rotate();
      storedCount++;
    }
  };
  await expect(flood()).rejects.toMatchObject({ code: 'limit-exceeded', retryable: false });
  expect(storedCount).toBeGreaterThanOrEqual(64);
  expect(storedCount).toBeLessThan(70);
  // Others go on.
  await ada.commit(room, { type: 'REKEY', commit: commitOf(4), cause: 'hand' });
  await place.pass(61_000);
  await rotate();
});
