/** The rooms of an identity of a profile on a server: what `vak room`, `vak chat` and bots stand on (protocol.md §7). */
import { deriveX25519PublicKey } from '../engine/crypto/x25519.ts';
import { createEnvelopeAuthor, type EnvelopeDraft } from '../engine/envelope/envelope-author.ts';
import { openFileHeadStore } from '../engine/envelope/file-head-store.ts';
import { whyBlocked } from '../engine/identity/recipient-check.ts';
import { createListenerSet } from '../engine/listener-set.ts';
import { outboxFolder } from '../engine/outbox/outbox-folder.ts';
import { createSessionId } from '../engine/ports/randomness.ts';
import { type CardBoxes, createCardBoxes } from '../engine/rooms/card-boxes.ts';
import type { OwnBox } from '../engine/rooms/key-package.ts';
import { createMembershipClient, type MembershipClient } from '../engine/rooms/membership-client.ts';
import { takeRoomFileKey } from '../engine/rooms/room-file-key.ts';
import { createFrameGuard } from '../engine/rooms/room-frame-guard.ts';
import { openRoomHeads, type RoomHeads } from '../engine/rooms/room-heads.ts';
import { createRoomKeyring } from '../engine/rooms/room-keyring.ts';
import type { RoomPeer, RoomsDeps } from '../engine/rooms/room-peer.ts';
import type { RoomSelf } from '../engine/rooms/room-place.ts';
import { presenceChoice } from '../engine/rooms/room-presence.ts';
import { openRooms, type Rooms } from '../engine/rooms/rooms.ts';
import { createDisposer, type Disposable, type Disposer } from '../shared/base/disposer.ts';
import { isVakError, type VakError } from '../shared/base/vak-error.ts';
import { parseSubject } from '../shared/protocol/subject.ts';
import type { CliHost } from './cli/command.ts';
import { type RunningPeer, type WorkPeerAsked, withWorkPeer } from './work-peer.ts';

export interface RoomPeerAsked extends Pick<WorkPeerAsked, 'common' | 'log' | 'onRefused'> {
  /** What its identity is made as at its first use. */
  readonly as: NonNullable<WorkPeerAsked['as']>;
}

export interface RunningRooms {
  readonly peer: RunningPeer;
  readonly rooms: Rooms;
  readonly cards: CardBoxes;
  readonly me: RoomSelf;
  /** Told when anything about a room may have changed. */
  onChange(listener: () => void): Disposable;
}

/** What earlier processes of the peer left unsent is waited for so long, ms: it must not be sent a second time. */
const leftMs = 5_000;
/** The service is asked so long in which rooms this peer is, ms. */
const hintMs = 1_500;
/** It is looked so often whether a key of the peer ends soon, ms. */
const renewEveryMs = 6 * 3_600_000;

/** Hints are worth no long wait: without a service everybody talks on. */
async function hinted(client: MembershipClient, clock: CliHost['clock'], signal?: AbortSignal) {
  const late = new AbortController();
  const timer = clock.setTimer(hintMs, () => late.abort());
  try {
    return await client.mine(signal === undefined ? late.signal : AbortSignal.any([signal, late.signal]));
  } finally {
    timer.dispose();
  }
}

/** The session in which it asks the membership service: nothing of it is kept in a stream. */
async function openClient({ workspace, peer, signer, open, bus }: RunningPeer, host: CliHost) {
  const { clock, randomness, output } = host;
  const heads = await openFileHeadStore({
    ...{ path: open.profile.files.heads, clock, randomness },
    report: (error) => output.talk(`vak: ${error.message}`),
  });
  const session = createSessionId(peer, randomness);
  const author = createEnvelopeAuthor({
    ...{ workspace, peer, session, kind: 'e', signer, clock, randomness, heads },
  });
  const client = createMembershipClient({ workspace, bus, author, clock, randomness });
  return {
    ...{ client: { ...client, mine: (signal?: AbortSignal) => hinted(client, clock, signal) }, heads },
    publishNow(draft: EnvelopeDraft): void {
      author.publish(draft, (bytes) => bus.publish(draft.subject, bytes));
    },
  };
}

async function openHeads({ open }: RunningPeer, { clock, randomness, output }: CliHost): Promise<RoomHeads> {
  const report = (error: VakError): void => output.talk(`vak: ${error.message}`);
  return await openRoomHeads({ path: open.profile.files.roomHeads, clock, randomness, report });
}

/** Boxes of the identity as the key store has it now: of the present card, and of earlier ones. */
function ownBoxes({ open, peer }: RunningPeer): readonly OwnBox[] {
  const { keyStore } = open.profile;
  if (keyStore.state().kind !== 'unlocked') return [];
  const identity = keyStore.read().identities.find((one) => one.peer === peer);
  return (identity?.boxKeys ?? []).map(({ secret }) => {
    return { publicKey: deriveX25519PublicKey(secret.reveal()), secretKey: secret };
  });
}

interface Parts {
  readonly deps: Omit<RoomsDeps, 'onChange'>;
  readonly cards: CardBoxes;
  /** Puts on disk what was seen. */
  close(): Promise<void>;
}

async function partsOf(running: RunningPeer, host: CliHost, held: Disposer): Promise<Parts> {
  const { workspace, peer, signer, bus, durable, judge, publisher, open, fabric, destination } = running;
  const { clock, randomness, logger } = host;
  const { keyStore, files } = open.profile;
  const isBlocked = (subject: string): boolean => {
    const pin = open.pins.find({ ws: workspace, peer: parseSubject(subject).entity });
    return pin !== undefined && whyBlocked(pin) !== undefined;
  };
  const { client, publishNow, heads: liveHeads } = await openClient(running, host);
  const own: RoomPeer = {
    ...{ workspace, peer, signer, bus, durable, judge, checks: open.checks },
    client,
    async publishStored(draft, options) {
      const { stored } = await publisher.publish(draft, options);
      await stored;
    },
    publishNow,
    async publishKept(draft) {
      if (isBlocked(draft.subject)) return;
      const { stored } = await publisher.publish(draft);
      // It is on disk; what becomes of it is the outbox's to tell.
      stored.catch(() => undefined);
    },
    isConnected: () => fabric.status().kind === 'connected',
  };
  const heads = await openHeads(running, host);
  held.defer(() => heads.dispose());
  const cards = createCardBoxes({ workspace, keyStore, pins: open.pins, clock });
  const deps = {
    choice: () => presenceChoice(open.profile.settings.settings()),
    ...{ own, heads, clock, randomness, logger, boxOf: cards.boxOf, boxes: () => ownBoxes(running) },
    keyring: held.add(createRoomKeyring(keyStore, signer.nkey)),
    folder: outboxFolder(files.rooms, { workspace, destination, peer }).path,
    fileKey: held.add(await takeRoomFileKey(keyStore, randomness)),
  };
  return {
    ...{ deps, cards },
    async close() {
      await liveHeads.close();
      await heads.settled();
    },
  };
}

/** A box key ends after 30 days, and a bot may run for longer. */
async function renew({ renewKeys }: RunningPeer, { output, logger }: CliHost): Promise<void> {
  try {
    await renewKeys();
  } catch (error) {
    if (isVakError(error)) output.talk(`vak: its keys could not be renewed: ${error.message}`);
    else logger.bug('rooms.renew', error);
  }
}

/** What is to be done, and who is told of the rooms that are open. */
interface RoomsWork<T> {
  readonly work: (rooms: RunningRooms) => Promise<T>;
  readonly onOpen: (rooms: Rooms) => void;
}

async function runIn<T>(running: RunningPeer, host: CliHost, { work, onOpen }: RoomsWork<T>): Promise<T> {
  const held = createDisposer();
  const changed = createListenerSet<void>(host.logger, 'rooms.listener-threw');
  try {
    const { deps, cards, close } = await partsOf(running, host, held);
    if (deps.own.isConnected()) await running.publisher.drain(leftMs);
    const rooms = await openRooms({ ...deps, onChange: () => changed.tell() });
    held.defer(() => rooms.dispose());
    onOpen(rooms);
    const lookSoon = (): void => {
      for (const desk of rooms.list()) desk.lookSoon();
    };
    // Another process of the profile may have been given a key, or a grant has become known.
    held.add(running.open.profile.keyStore.onChange(lookSoon));
    held.add(running.knowledge.onChange(lookSoon));
    held.add(host.clock.setTicker(renewEveryMs, () => void renew(running, host)));
    // Who is not let in any more waits for nothing.
    const refused = new Promise<never>((_, reject) => void running.ended.catch(reject));
    try {
      const me = { peer: running.peer, sign: running.signer.nkey };
      return await Promise.race([refused, work({ peer: running, rooms, cards, me, onChange: changed.add })]);
    } finally {
      await rooms.close();
      await close();
    }
  } finally {
    held.dispose();
  }
}

/**
 * Connects as the identity, opens its rooms, and runs the work; what waits to be sent goes out meanwhile. Throws as `withWorkPeer`, and what
 * opening the files throws.
 */
export async function withRooms<T>(
  { as, ...asked }: RoomPeerAsked,
  host: CliHost,
  work: (rooms: RunningRooms) => Promise<T>,
): Promise<T> {
  let opened: Rooms | undefined;
  const guard = createFrameGuard((room) => opened?.list().find((desk) => desk.room === room));
  const onOpen = (rooms: Rooms): void => {
    opened = rooms;
  };
  return await withWorkPeer({ ...asked, as, guard, roles: [], queues: [] }, host, (running) =>
    runIn(running, host, { work, onOpen }),
  );
}
