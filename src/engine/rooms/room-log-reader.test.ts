import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createScratchFolder } from '../../../tests/support/identity-fixture.ts';
import {
  type Asker,
  createMemoryHeads,
  logOf,
  logStream,
  type MembershipPlace,
  openMembershipPlace,
  openRoom,
} from '../../../tests/support/membership-place.ts';
import {
  commitOf,
  invite,
  keyOf,
  kick,
  peerOf,
  topic,
  type WrittenRoom,
  writeRoom,
} from '../../../tests/support/room-fixture.ts';
import {
  createTrustedWorkspace,
  type TrustedPeer,
  type TrustedWorkspace,
} from '../../../tests/support/trusted-workspace.ts';
import { utf8 } from '../../shared/base/bytes.ts';
import { streamsOf } from '../../shared/protocol/stream-table.ts';
import { startTrace } from '../../shared/protocol/trace-context.ts';
import type { Bus } from '../bus/bus.ts';
import type { Fabric } from '../bus/fabric.ts';
import { createEmbeddedFabric } from '../bus/memory/embedded-fabric.ts';
import { createRecordChecks } from '../identity/signed-record.ts';
import { createSilentLogger } from '../ports/logger.ts';
import { openRoomHeads, type RoomHeads } from './room-heads.ts';
import { createRoomLogReader, type RoomLogReader } from './room-log-reader.ts';

/** A room whose service does what the test wants. */
let workspace: TrustedWorkspace;
let fabric: Fabric;
let membershipd: TrustedPeer;
let written: WrittenRoom;
let readers: RoomLogReader[];

const checks = createRecordChecks();
const subject = () => logOf(written.room);

beforeEach(async () => {
  workspace = createTrustedWorkspace();
  const { clock, randomness } = workspace;
  const memory = { clock, randomness, logger: createSilentLogger(), folder: undefined, durability: 'written' } as const;
  fabric = await createEmbeddedFabric(memory);
  for (const spec of streamsOf('acme')) await fabric.durable.ensureStream(spec);
  membershipd = workspace.peer('membershipd', { roles: ['membershipd'], kind: 'd' });
  written = writeRoom();
  readers = [];
});
afterEach(async () => {
  for (const reader of readers) reader.dispose();
  await run(fabric.close());
  expect(workspace.clock.timerCount).toBe(0);
});

async function settle(): Promise<void> {
  for (let i = 0; i < 20; i++) {
    await new Promise((resolve) => setImmediate(resolve));
    workspace.clock.runDeferred();
  }
}
async function run<T>(work: Promise<T>): Promise<T> {
  await settle();
  return await work;
}

async function pass(ms: number): Promise<void> {
  for (let passed = 0; passed < ms; passed += 500) {
    workspace.clock.advance(500);
    await settle();
  }
}

/** Puts a payload on the log, as membershipd unless told. */
async function store(entry: unknown, by = membershipd, type = 'vak.rooms.entry'): Promise<number> {
  let data = new Uint8Array();
  const payload = utf8(JSON.stringify(entry));
  by.author.publish({ subject: subject(), type, payload, trace: startTrace(workspace.randomness.bytes) }, (bytes) => {
    data = Uint8Array.from(bytes);
  });
  return (await run(fabric.durable.append(subject(), data))).seq;
}
/** Puts all that the room's people wrote there. */
async function storeAll(): Promise<void> {
  for (const { entry } of written.stored) await store(entry);
}

function read(
  heads: Pick<RoomHeads, 'highest' | 'raise'> = createMemoryHeads(),
  bus: Pick<Bus, 'subscribe'> = fabric.bus,
): RoomLogReader {
  const { clock, judge } = workspace;
  const reader = createRoomLogReader({
    ...{ workspace: 'acme', room: written.room, durable: fabric.durable, bus, judge, checks, heads, clock },
    logger: createSilentLogger(),
  });
  readers.push(reader);
  return reader;
}
const nOf = (reader: RoomLogReader) => reader.log().head()?.n;

test('R21 a log is read from its beginning, and what comes is read as it comes', async () => {
  written.admit(2);
  await storeAll();
  const reader = read();
  expect(reader.standing().isBehind).toBe(true);
  let told = 0;
  reader.onChange(() => told++);
  await settle();
  expect([nOf(reader), told, reader.standing()]).toEqual([
    2,
    1,
    { stop: undefined, isBehind: false, skipped: [], skippedCount: 0 },
  ]);
  const entry = written.sign(2, { type: 'LEAVE' });
  const seq = await store(entry);
  await settle();
  expect([reader.log().head()?.seq, told]).toEqual([seq, 2]);
});

test('R21 what the bus does not tell of is found all the same', async () => {
  const deaf = { subscribe: () => ({ dispose() {}, stats: () => expect.fail() }) };
  const reader = read(createMemoryHeads(), deaf);
  await settle();
  await storeAll();
  await settle();
  expect(nOf(reader)).toBeUndefined();
  await pass(30_000);
  expect(nOf(reader)).toBe(0);
});

test('R23 what membershipd did not sign, or is no entry, is skipped and listed; the log goes on', async () => {
  written.write(1, invite(2), 2);
  const [create, second] = written.stored.map(({ entry }) => entry);
  await store(create);
  const eve = workspace.peer('eve', { roles: ['human'] });
  const stranger = workspace.peer('membershipd', { isGranted: false, kind: 'd', session: 'membershipd-x-d', key: 99 });
  const unsigned = workspace.peer('membershipd', {
    isGranted: false,
    isSigning: false,
    kind: 'd',
    session: 'membershipd-y-d',
    key: 98,
  });
  const join = written.sign(2, { type: 'JOIN', peer: peerOf(2) });
  for (const by of [eve, stranger, unsigned]) await store(join, by);
  await store(join, membershipd, 'vak.rooms.log');
  await store({ ...(second as object), more: 1 });
  await store('x'.repeat(20_000));
  await store(second);
  const reader = read();
  await settle();
  expect(nOf(reader)).toBe(1);
  const { skipped, skippedCount, stop } = reader.standing();
  expect([skippedCount, stop]).toEqual([6, undefined]);
  expect(skipped.map(({ why }) => why)).toEqual([
    ...['not-membershipd', 'not-membershipd', 'not-membershipd'],
    ...['bad-form', 'bad-form', 'bad-form'],
  ]);
});

test('E8 R23 a workspace that takes unsigned messages takes no unsigned entry', async () => {
  workspace.policy = { acceptPlain: true, acceptUnsigned: true };
  await store(
    written.stored[0]?.entry,
    workspace.peer('membershipd', { isGranted: false, isSigning: false, kind: 'd' }),
  );
  const reader = read();
  await settle();
  expect([nOf(reader), reader.standing().skipped]).toMatchObject([undefined, [{ why: 'not-membershipd' }]]);
});

test('R1 a service that injects a join, or changes what somebody signed, changes nothing', async () => {
  written.admit(2);
  await storeAll();
  const forged = {
    ...written.log.draft({ type: 'JOIN', peer: peerOf(3) }),
    v: 1,
    actor: keyOf(3),
    sig: written.stored[0]?.entry.sig,
  };
  await store(forged);
  const invited = written.sign(1, invite(4), 4);
  await store({ ...invited, subject: keyOf(3), body: { ...invited.body, peer: peerOf(3) } });
  // Signed by whom it lets in, whom nobody invited.
  await store(written.sign(3, { type: 'JOIN', peer: peerOf(3) }));
  const reader = read();
  await settle();
  expect([...(reader.log().standing()?.members.keys() ?? [])]).toEqual([keyOf(1), keyOf(2)]);
  expect(reader.standing().skipped.map(({ why }) => why)).toEqual(['bad-signature', 'bad-signature', 'not-allowed']);
});

test('R21 a service that forks the log stops the room where the second entry lies', async () => {
  written.admit(2, 3);
  await storeAll();
  const [left, right] = [written.sign(1, kick(2), 2), written.sign(1, kick(3), 3)];
  await store(left);
  const reader = read();
  await settle();
  expect(reader.standing().stop).toBeUndefined();
  const seq = await store(right);
  await settle();
  expect(reader.standing()).toMatchObject({ stop: { kind: 'fork', seq } });
  expect(reader.log().epochAt(seq + 1)).toBeUndefined();
});

/** Purges the log and stores the first entries anew, as a service does that has another history in mind. */
async function rollBackTo(count: number): Promise<void> {
  await run(fabric.durable.stream(logStream).purge(subject()));
  for (const { entry } of written.stored.slice(0, count)) await store(entry);
}
test('R22 a log that ends before what was read of it is told as rolled back, by who comes later too', async () => {
  written.admit(2);
  written.write(1, kick(2), 2);
  await storeAll();
  const heads = createMemoryHeads();
  const first = read(heads);
  await settle();
  expect(nOf(first)).toBe(3);
  const known = { n: 3, hash: first.log().head()?.hash };
  // The kick is gone.
  await rollBackTo(3);
  const second = read(heads);
  await pass(3_000);
  for (const reader of [first, second]) {
    expect(reader.standing()).toMatchObject({ stop: { kind: 'rolled-back', known }, isBehind: true });
  }
  // It never recovers by itself: nobody knows what else was taken back.
  await storeAll();
  await pass(31_000);
  expect(second.standing().stop).toMatchObject({ kind: 'rolled-back' });
});

test('R22 another entry in the place of one that was read is told at once', async () => {
  written.admit(2, 3);
  const other = written.sign(1, topic('another history'));
  written.write(1, kick(2), 2);
  await storeAll();
  const heads = createMemoryHeads();
  read(heads);
  await settle();
  await rollBackTo(5);
  await store(other);
  const reader = read(heads);
  await settle();
  expect(reader.standing().stop).toMatchObject({ kind: 'rolled-back', known: { n: 5 } });
});

test('R22 who answers late is not taken for a log that was rolled back', async () => {
  written.admit(2);
  await storeAll();
  written.write(1, kick(2), 2);
  const heads = createMemoryHeads();
  heads.raise({ ws: 'acme', room: written.room, n: 3, hash: written.log.head()?.hash ?? '' });
  const reader = read(heads);
  await settle();
  expect([nOf(reader), reader.standing()]).toMatchObject([undefined, { stop: undefined, isBehind: true }]);
  await store(written.stored.at(-1)?.entry);
  await pass(3_000);
  expect([nOf(reader), reader.standing()]).toMatchObject([3, { stop: undefined, isBehind: false }]);
});

test('R22 the newest entry is on disk: it rises only, for all processes of the profile', async () => {
  const { clock, randomness } = workspace;
  const folder = createScratchFolder();
  const path = join(folder.path, 'room-heads.json');
  const open = () => openRoomHeads({ path, clock, randomness, report: (error) => expect(error).toBeUndefined() });
  const [mine, others] = [await open(), await open()];
  const at = { ws: 'acme', room: written.room };
  mine.raise({ ...at, n: 4, hash: commitOf(4) });
  await mine.settled();
  clock.advance(200);
  expect(others.highest(at)).toMatchObject({ n: 4 });
  others.raise({ ...at, n: 2, hash: commitOf(2) });
  await others.settled();
  const later = await open();
  expect([later.highest(at), later.highest({ ...at, ws: 'other' })]).toEqual([
    { ...at, n: 4, hash: commitOf(4) },
    undefined,
  ]);
  for (const one of [mine, others, later]) one.dispose();
  rmSync(folder.path, { recursive: true });
});

test('R23 I4 a membershipd whose grant is known later is believed from its first entry on', async () => {
  const late = workspace.peer('membershipd-2', { isGranted: false, kind: 'd', key: 77 });
  written.admit(2);
  for (const { entry } of written.stored) await store(entry, late);
  const heads = createMemoryHeads();
  heads.raise({ ws: 'acme', room: written.room, n: 2, hash: written.log.head()?.hash ?? '' });
  const reader = read(heads);
  await pass(4_000);
  // What is missing may be what is not proven yet: that is no rollback.
  expect([nOf(reader), reader.standing()]).toMatchObject([
    undefined,
    { stop: undefined, isBehind: true, skippedCount: 3 },
  ]);
  workspace.grantElsewhere('membershipd-2', { key: 77, roles: ['membershipd'] });
  workspace.learn();
  await run(reader.catchUp());
  expect([nOf(reader), reader.standing()]).toMatchObject([2, { isBehind: false, skippedCount: 0 }]);
});

test('I4 while nobody can tell who may write a log it is behind, and read when that is known', async () => {
  await storeAll();
  workspace.isRootKnown = false;
  const reader = read();
  await settle();
  expect([nOf(reader), reader.standing().isBehind]).toEqual([undefined, true]);
  workspace.isRootKnown = true;
  await run(reader.catchUp());
  expect([nOf(reader), reader.standing().isBehind]).toEqual([0, false]);
});

test('R21 memory is bounded: of what is skipped the newest 256 are listed, all are counted', async () => {
  await storeAll();
  for (let i = 0; i < 300; i++) await store({ v: i });
  const reader = read();
  await settle();
  await run(reader.catchUp());
  const { skipped, skippedCount } = reader.standing();
  expect([skipped.length, skippedCount, nOf(reader)]).toEqual([256, 300, 0]);
});

/** A room over a real service, whose client reads back. */
let place: MembershipPlace | undefined;
afterEach(async () => {
  await place?.close();
  place = undefined;
});

test('R26 a service that drops a kick, and says that it is stored, is found out by whoever kicks', async () => {
  place = await openMembershipPlace();
  const owner: Asker = await place.asker('anna');
  const ben = await place.asker('ben');
  const { service } = await place.serve();
  const room = await openRoom(place, owner, [ben]);
  await place.run(service.close());
  const { bus } = await place.run(
    place.plane.openPeer({ fabric: place.fabric }, 'membershipd-x', { roles: ['membershipd'] }),
  );
  bus.subscribe('vak.control.acme.rooms.append', {
    kind: 'inline',
    onMessage: ({ respond }) => respond?.(utf8('{"ok":true,"seq":9}')),
  });
  const kicked = { type: 'KICK', commit: commitOf(5) } as const;
  await expect(owner.commit(room, kicked, ben.key)).rejects.toMatchObject({ code: 'corrupt', details: { n: 3 } });
  expect(await place.stored(room)).toHaveLength(3);
});

test('R24 R26 without a service, and in a room that has forked, whoever commits is told so', async () => {
  place = await openMembershipPlace();
  const owner: Asker = await place.asker('anna');
  const { room, entry } = owner.create();
  await expect(place.run(owner.client.append(entry, { reader: owner.reader(room) }))).rejects.toMatchObject({
    code: 'no-responders',
  });
  await place.serve();
  await place.run(owner.client.append(entry, { reader: owner.reader(room) }));
  const commit = owner.sign(room, topic('of a room that is over'));
  const over = { kind: 'fork', seq: 9 } as const;
  const reader = {
    ...owner.reader(room),
    log: () => written.log,
    standing: () => ({ stop: over, isBehind: false, skipped: [], skippedCount: 0 }),
  };
  await expect(place.run(owner.client.append(commit, { reader }))).rejects.toMatchObject({ code: 'corrupt' });
});
