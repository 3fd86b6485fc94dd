/** People in rooms on a real engine, with the membership service beside them: what the app and `vak` put together. */
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Fabric } from '../../src/engine/bus/fabric.ts';
import { deriveX25519PublicKey } from '../../src/engine/crypto/x25519.ts';
import { emptyContents } from '../../src/engine/identity/contents-codec.ts';
import type { KeyStore, KeyStoreContents } from '../../src/engine/identity/key-store.ts';
import { createSecret, type Secret } from '../../src/engine/identity/secret.ts';
import { createRecordChecks } from '../../src/engine/identity/signed-record.ts';
import { createRoomCommits } from '../../src/engine/rooms/room-commits.ts';
import type { RoomDesk } from '../../src/engine/rooms/room-desk.ts';
import { createFrameGuard } from '../../src/engine/rooms/room-frame-guard.ts';
import { createRoomKeyring, type RoomKeyring } from '../../src/engine/rooms/room-keyring.ts';
import { openRooms, type Rooms } from '../../src/engine/rooms/rooms.ts';
import type { WorkPeer } from '../../src/engine/work/work-peer.ts';
import { toBase64Url } from '../../src/shared/base/base64url.ts';
import { utf8 } from '../../src/shared/base/bytes.ts';
import type { Disposable } from '../../src/shared/base/disposer.ts';
import { VakError } from '../../src/shared/base/vak-error.ts';
import { startTrace } from '../../src/shared/protocol/trace-context.ts';
import {
  type Asker,
  createAsker,
  createMemoryHeads,
  type MembershipPlace,
  openMembershipPlace,
} from './membership-place.ts';
import { planeWorkspace } from './plane-profile.ts';

export interface Person {
  readonly name: string;
  readonly asker: Asker;
  readonly rooms: Rooms;
  /** Texts of a room as this person reads them; of what could not be opened its cause in brackets. */
  texts(room: string): readonly string[];
  say(room: string, text: string): Promise<string>;
  desk(room: string): RoomDesk;
  /** How its appends to rooms' messages fare. */
  readonly line: Line;
  readonly keyring: RoomKeyring;
  hasKey(room: string, epoch: number): boolean;
  /** What it tells others. */
  readonly choice: { sendsReceipts: boolean; sendsTyping: boolean };
  /** A copy of a key that it has. */
  keyOf(room: string, epoch: number): Secret;
  /** Public key of its box. */
  box(): Uint8Array;
  /** Begins an epoch with a key of its own, and does nothing more: as if its process were killed then. */
  commitAlone(room: string): Promise<void>;
  /** Where its files lie. */
  readonly folder: string;
  /** Publishes whatever it is as this peer. */
  publish(subject: string, type: string, record: object): Promise<void>;
}

/** `cut`: nothing arrives; `no-answer`: it arrives, and nobody is told. */
export interface Line {
  state: 'up' | 'cut' | 'no-answer';
  /** The peer takes it for up, whatever it is. */
  isUnnoticed: boolean;
  /** Appends that came to nothing, as far as the peer knows. */
  lostCount: number;
}

export interface RoomPeople {
  readonly place: MembershipPlace;
  person(name: string): Promise<Person>;
  /** Ends a person’s process without a word, and starts another one over the same files and keys. */
  restart(person: Person): Promise<Person>;
  /** Starts a second process of a person, beside the first. */
  twin(person: Person): Promise<Person>;
  /** Makes a room of the first one’s, in which the others are; gives its id. */
  roomOf(owner: Person, ...others: readonly Person[]): Promise<string>;
  /** Invites somebody, who joins. */
  admit(room: string, owner: Person, other: Person): Promise<void>;
  /** Invites somebody, who hears of it. */
  invite(room: string, owner: Person, other: Person): Promise<void>;
  /** Has everybody look until nothing changes any more. */
  settle(...people: readonly Person[]): Promise<void>;
  close(): Promise<void>;
}

/** Whether a process holds a file of a folder. */
const isLocked = (folder: string): boolean =>
  existsSync(folder) && readdirSync(folder).some((name) => name.endsWith('.lock'));

/** A key store in memory, as far as rooms use one. */
export function memoryStore(): Pick<KeyStore, 'state' | 'read' | 'update'> {
  let contents: KeyStoreContents = emptyContents;
  return {
    state: () => ({ kind: 'unlocked' }) as ReturnType<KeyStore['state']>,
    read: () => contents,
    async update(change) {
      const next = change(contents);
      const roomKeys = new Map(
        Array.from(next.roomKeys, ([name, key]) => [
          name,
          contents.roomKeys.get(name) === key ? key : createSecret(key.reveal().slice()),
        ]),
      );
      contents = { ...next, roomKeys };
    },
  };
}

/** A fabric behind a line of its own. */
function behind(fabric: Fabric, line: Line): Fabric {
  const { durable } = fabric;
  const lost = (): VakError => new VakError('disconnected', 'the line is down', { retryable: true });
  return {
    ...fabric,
    durable: {
      ...durable,
      async append(subject, data, options) {
        if (!subject.endsWith('.messages') || line.state === 'up') return await durable.append(subject, data, options);
        if (line.state === 'no-answer') await durable.append(subject, data, options);
        line.lostCount++;
        throw lost();
      },
    },
  };
}

interface Machine {
  readonly line: Line;
  readonly name: string;
  readonly asker: Asker & Disposable;
  readonly peer: WorkPeer;
  readonly folder: string;
  readonly store: Pick<KeyStore, 'state' | 'read' | 'update'>;
  readonly heads: ReturnType<typeof createMemoryHeads>;
}

export async function openRoomPeople(): Promise<RoomPeople> {
  const root = mkdtempSync(join(tmpdir(), 'vak-rooms-'));
  const folders: string[] = [];
  // A lock between processes is waited for by the clock, and held while a disk writes.
  const place = await openMembershipPlace({ isBusy: () => folders.some(isLocked) });
  await place.serve();
  const machines = new Map<string, Machine>();
  const opened = new Set<Rooms>();
  const current = new Map<string, Rooms>();
  const boxKey = (name: string): Uint8Array => new Uint8Array(32).fill(name.charCodeAt(0) % 251);
  const { clock, plane } = place;
  const { randomness, logger } = plane.ports;

  async function start(machine: Machine): Promise<Person> {
    const { name, asker, peer, folder, store, heads, line } = machine;
    const { client } = asker;
    const choice = { sendsReceipts: true, sendsTyping: true };
    const keyring = createRoomKeyring(store, asker.key);
    const rooms = await place.run(
      openRooms({
        own: {
          ...{ workspace: planeWorkspace, peer: name, signer: peer.signer, bus: peer.bus, durable: peer.durable },
          ...{
            judge: peer.judge,
            checks: createRecordChecks(),
            client,
            isConnected: () => line.isUnnoticed || line.state === 'up',
          },
          async publishStored(draft, options) {
            const { stored } = await peer.publisher.publish(draft, options);
            await stored;
          },
          publishNow(draft) {
            asker.author.publish(draft, (bytes) => peer.bus.publish(draft.subject, bytes));
          },
          async publishKept(draft) {
            await peer.publisher.publish(draft);
          },
        },
        keyring,
        choice: () => choice,
        boxes: () => [{ publicKey: deriveX25519PublicKey(boxKey(name)), secretKey: createSecret(boxKey(name)) }],
        boxOf(of, sign) {
          const known = machines.get(of)?.asker.key === sign;
          return known ? { box: toBase64Url(deriveX25519PublicKey(boxKey(of))) } : { reason: 'no-box-key' };
        },
        ...{ heads, folder, clock, randomness, logger, onChange: () => {} },
        fileKey: createSecret(new Uint8Array(32).fill(5)),
      }),
    );
    opened.add(rooms);
    current.set(name, rooms);
    const desk = (room: string): RoomDesk => rooms.get(room);
    return {
      ...{ name, asker, rooms, desk, line, folder, keyring, choice },
      hasKey: (room, epoch) => keyring.keyOf(desk(room).reader.log(), epoch) !== undefined,
      keyOf(room, epoch) {
        const key = keyring.keyOf(desk(room).reader.log(), epoch);
        if (key === undefined) throw new TypeError(`${name} has no key of epoch ${epoch}`);
        return createSecret(key.reveal().slice());
      },
      box: () => deriveX25519PublicKey(boxKey(name)),
      async commitAlone(room) {
        const commits = createRoomCommits({ client, keyring, signer: peer.signer, randomness });
        await commits.commit(asker.reader(room), { type: 'REKEY', cause: 'hand' });
      },
      async publish(subject, type, record) {
        const payload = utf8(JSON.stringify(record));
        await place.run(peer.publisher.publish({ subject, type, payload, trace: startTrace(randomness.bytes) }));
        await place.pass(500);
      },
      texts: (room) =>
        desk(room)
          .reader.timeline()
          .slice({ limit: 200 })
          .map(({ message, text }) => text ?? `[${message.notOpened?.cause ?? 'nothing'}]`),
      async say(room, text) {
        const id = await place.run(desk(room).sender.say({ kind: 'text', text }));
        await place.run(desk(room).look());
        return id;
      },
    };
  }

  const machineOf = (name: string): Machine => {
    const machine = machines.get(name);
    if (machine === undefined) throw new TypeError(`nobody is called ${name}`);
    return machine;
  };

  async function settle(...people: readonly Person[]): Promise<void> {
    for (let round = 0; round < 3; round++) {
      for (const { rooms } of people) await place.run(rooms.look());
      await place.pass(1_000);
    }
  }

  async function invite(room: string, owner: Person, other: Person): Promise<void> {
    const body = { type: 'INVITE', peer: other.name, role: 'member' } as const;
    await place.run(owner.desk(room).commit(body, { subject: other.asker.key }));
    await place.run(owner.rooms.exchange.invite(owner.desk(room).reader.log(), other.name));
    await settle(other);
  }

  async function admit(room: string, owner: Person, other: Person): Promise<void> {
    await invite(room, owner, other);
    await place.run(other.desk(room).commit({ type: 'JOIN', peer: other.name }));
    await settle(owner, other);
  }

  return {
    ...{ place, settle, invite, admit },
    async roomOf(owner, ...others) {
      const { room } = await place.run(owner.rooms.create({ name: 'Night shift', topic: '', history: 'joined' }));
      for (const other of others) await admit(room, owner, other);
      return room;
    },
    twin: ({ name }) => start(machineOf(name)),
    async person(name) {
      const line: Line = { state: 'up', isUnnoticed: false, lostCount: 0 };
      const find = (room: string) =>
        current
          .get(name)
          ?.list()
          .find((desk) => desk.room === room);
      const guard = createFrameGuard(find);
      const peer = await place.run(
        plane.openPeer({ fabric: behind(place.fabric, line) }, name, { roles: ['human'], guard }),
      );
      const asker = createAsker({ ...peer, ports: plane.ports }, place.run);
      const machine = {
        name,
        asker,
        peer,
        line,
        folder: join(root, name),
        store: memoryStore(),
        heads: createMemoryHeads(),
      };
      machines.set(name, machine);
      folders.push(machine.folder);
      return await start(machine);
    },
    async restart({ name, rooms }) {
      opened.delete(rooms);
      rooms.dispose();
      return await start(machineOf(name));
    },
    async close() {
      for (const rooms of opened) await place.run(rooms.close());
      for (const { asker } of machines.values()) asker.dispose();
      await place.close();
      rmSync(root, { recursive: true, force: true });
    },
  };
}
