/** A workspace with the membership service on a real engine, and peers that ask it, all behind their permits. */
import type { Bus } from '../../src/engine/bus/bus.ts';
import type { Appended } from '../../src/engine/bus/durable.ts';
import type { Fabric } from '../../src/engine/bus/fabric.ts';
import { createEnvelopeAuthor, type EnvelopeAuthor } from '../../src/engine/envelope/envelope-author.ts';
import { createMemoryHeadStore } from '../../src/engine/envelope/memory-head-store.ts';
import type { NkeySigner } from '../../src/engine/identity/nkey.ts';
import { createRecordChecks } from '../../src/engine/identity/signed-record.ts';
import { createFakeClock, type FakeClock } from '../../src/engine/ports/fake-clock.ts';
import { createSessionId } from '../../src/engine/ports/randomness.ts';
import { createMembershipClient, type MembershipClient } from '../../src/engine/rooms/membership-client.ts';
import {
  type MembershipEvent,
  type MembershipService,
  type MembershipServiceDeps,
  serveMembership,
} from '../../src/engine/rooms/membership-service.ts';
import { signRoomCreate, signRoomEntry } from '../../src/engine/rooms/room-entry.ts';
import type { RoomHead, RoomHeads } from '../../src/engine/rooms/room-heads.ts';
import { createRoomLogReader, type RoomLogReader } from '../../src/engine/rooms/room-log-reader.ts';
import type { WorkPeer, WorkPorts } from '../../src/engine/work/work-peer.ts';
import { toBase64Url } from '../../src/shared/base/base64url.ts';
import { createDisposer, type Disposable } from '../../src/shared/base/disposer.ts';
import type { RoomEntry, RoomEntryBody } from '../../src/shared/protocol/payload-room-log.ts';
import type { Role } from '../../src/shared/protocol/roles.ts';
import { type Life, mortal } from './mortal.ts';
import { openPlaneProfile, type PlaneProfile, planeWorkspace } from './plane-profile.ts';
import { commitOf, createBody } from './room-fixture.ts';

const checks = createRecordChecks();

export const logStream = `VAK_ROOMS_${planeWorkspace}`;
export const logOf = (room: string): string => `vak.rooms.${planeWorkspace}.${room}.log`;

/** Heads that last as long as the test. */
export function createMemoryHeads(): Pick<RoomHeads, 'highest' | 'raise'> {
  const heads = new Map<string, RoomHead>();
  return {
    highest: ({ room }) => heads.get(room),
    raise(head) {
      if (head.n > (heads.get(head.room)?.n ?? -1)) heads.set(head.room, head);
    },
  };
}

/** Somebody who is in rooms. */
export interface Asker {
  readonly name: string;
  readonly bus: Bus;
  readonly signer: NkeySigner;
  readonly key: string;
  readonly author: EnvelopeAuthor;
  readonly client: MembershipClient;
  /** One a room. */
  reader(room: string): RoomLogReader;
  /** The next entry of a room as this peer has read it. */
  sign(room: string, body: RoomEntryBody, about?: string): RoomEntry;
  /** A new room's first entry. */
  create(n?: number): { readonly room: string; readonly entry: RoomEntry };
  /** Signs the next entry and has it stored. */
  commit(room: string, body: RoomEntryBody, about?: string): Promise<number>;
}

/** What becomes of an append. */
export type Fate = (append: () => Promise<Appended>) => Promise<Appended>;

export interface ServeOptions extends Pick<MembershipServiceDeps, 'shelf'> {
  readonly through?: (peer: WorkPeer) => WorkPeer;
  readonly life?: Life;
}

export interface RunningService {
  readonly events: MembershipEvent[];
  readonly service: MembershipService;
}

export interface MembershipPlace {
  readonly clock: FakeClock;
  readonly plane: PlaneProfile;
  readonly fabric: Fabric;
  /** What becomes of the next appends to logs, one after the other; of those after them what should. */
  readonly fates: Fate[];
  /** Starts a service; `through`: what it has instead of its peer; `life`: of its process. */
  serve(name?: string, options?: ServeOptions): Promise<RunningService>;
  asker(name: string, roles?: readonly Role[]): Promise<Asker>;
  /** What lies on a log. */
  stored(room: string): Promise<readonly { readonly seq: number; readonly by: string; readonly type: string }[]>;
  /** Waits while the clock goes on. */
  run<T>(work: Promise<T>): Promise<T>;
  /** Lets so much time pass. */
  pass(ms: number): Promise<void>;
  close(): Promise<void>;
}

/** Whoever asks: its connection, and its key. */
export interface AskerParts extends Pick<WorkPeer, 'workspace' | 'peer' | 'bus' | 'durable' | 'judge' | 'signer'> {
  readonly ports: WorkPorts;
  readonly heads?: Pick<RoomHeads, 'highest' | 'raise'>;
}

/** Somebody with a connection of its own; its readers are disposed by whoever makes it. */
export function createAsker(parts: AskerParts, run = <T>(work: Promise<T>): Promise<T> => work): Asker & Disposable {
  const { workspace, peer, bus, durable, judge, signer, ports, heads = createMemoryHeads() } = parts;
  const held = createDisposer();
  const readers = new Map<string, RoomLogReader>();
  const session = createSessionId(peer, ports.randomness);
  const author = createEnvelopeAuthor({
    ...{ ...ports, workspace, peer, session, kind: 'e', signer },
    heads: createMemoryHeadStore(),
  });
  const client = createMembershipClient({ ...ports, workspace, bus, author });
  const reader = (room: string): RoomLogReader => {
    const known = readers.get(room);
    if (known !== undefined) return known;
    const made = held.add(createRoomLogReader({ ...ports, workspace, room, bus, durable, judge, checks, heads }));
    readers.set(room, made);
    return made;
  };
  const sign = (room: string, body: RoomEntryBody, about?: string): RoomEntry =>
    signRoomEntry(reader(room).log().draft(body, about), signer);
  return {
    ...{ name: peer, bus, signer, key: signer.nkey, author, client, reader, sign },
    create: (n = 7) =>
      signRoomCreate(createBody({ peer, nonce: toBase64Url(new Uint8Array(16).fill(n)), commit: commitOf(n) }), signer),
    async commit(room, body, about) {
      await run(reader(room).catchUp());
      return await run(client.append(sign(room, body, about), { reader: reader(room) }));
    },
    dispose: () => held.dispose(),
  };
}

/** A peer whose process can be killed: it is not told of anything then, either. */
function dying(peer: WorkPeer, life: Life): WorkPeer {
  const { bus } = peer;
  const subscribe: Bus['subscribe'] = (pattern, delivery) => {
    if (delivery.kind !== 'inline') return bus.subscribe(pattern, delivery);
    const onMessage: typeof delivery.onMessage = (message) => (life.isOver ? undefined : delivery.onMessage(message));
    return bus.subscribe(pattern, { kind: 'inline', onMessage });
  };
  return { ...mortal(peer, life), bus: { ...bus, subscribe } };
}

/** `isBusy`: time stands still while it says so, for what takes real time. */
export async function openMembershipPlace({
  isBusy = () => false,
}: {
  readonly isBusy?: () => boolean;
} = {}): Promise<MembershipPlace> {
  const clock = createFakeClock();
  const plane = await openPlaneProfile(clock);
  const { fabric: engine } = await plane.openEngine('embedded');
  const fates: Fate[] = [];
  const fabric: Fabric = {
    ...engine,
    durable: {
      ...engine.durable,
      append(subject, data, options) {
        const fate = subject.endsWith('.log') ? fates.shift() : undefined;
        const append = () => engine.durable.append(subject, data, options);
        return fate === undefined ? append() : fate(append);
      },
    },
  };
  const { ports } = plane;
  const held = createDisposer();
  const services: MembershipService[] = [];

  async function turn(): Promise<void> {
    for (let i = 0; i < 10; i++) {
      await new Promise((resolve) => setImmediate(resolve));
      clock.runDeferred();
    }
    for (let waits = 0; isBusy() && waits < 5_000; waits++) await new Promise((resolve) => setImmediate(resolve));
  }

  async function run<T>(work: Promise<T>): Promise<T> {
    let isSettled = false;
    const end = (): void => {
      isSettled = true;
    };
    work.then(end, end);
    for (let rounds = 0; !isSettled && rounds < 2_000; rounds++) {
      await turn();
      // What needs no time takes none.
      if (!isSettled && rounds > 5) clock.advance(50);
    }
    return await work;
  }

  return {
    ...{ clock, plane, fabric, fates, run },
    async serve(name = 'membershipd', { through = (one: WorkPeer) => one, life, ...options }: ServeOptions = {}) {
      const peer = await run(plane.openPeer({ fabric }, name, { roles: ['membershipd'] }));
      const events: MembershipEvent[] = [];
      const own = through(life === undefined ? peer : dying(peer, life));
      const service = serveMembership({ ...ports, ...options, peer: own, onEvent: (event) => events.push(event) });
      // What was killed does not close.
      if (life === undefined) services.push(service);
      return { events, service };
    },
    async asker(name, roles = ['human']) {
      const peer = await run(plane.openPeer({ fabric }, name, { roles }));
      return held.add(createAsker({ ...peer, ports }, run));
    },
    async stored(room) {
      const { messages } = await run(fabric.durable.stream(logStream).read({ subject: logOf(room), limit: 1_000 }));
      return messages.map(({ seq, data }) => {
        const { agentid, type } = JSON.parse(Buffer.from(data).toString()) as { agentid: string; type: string };
        return { seq, by: agentid, type };
      });
    },
    async pass(ms) {
      for (let passed = 0; passed < ms; passed += 250) {
        await turn();
        clock.advance(250);
      }
      await turn();
    },
    async close() {
      held.dispose();
      for (const service of services) await run(service.close());
      await run(plane.close());
    },
  };
}

/** A new room of that asker's, in which the others are. */
export async function openRoom(
  place: Pick<MembershipPlace, 'run'>,
  owner: Asker,
  others: readonly Asker[] = [],
): Promise<string> {
  const { room, entry } = owner.create();
  await place.run(owner.client.append(entry, { reader: owner.reader(room) }));
  for (const other of others) {
    await owner.commit(room, { type: 'INVITE', peer: other.name, role: 'member' }, other.key);
    await other.commit(room, { type: 'JOIN', peer: other.name });
  }
  return room;
}
