/**
 * The rooms of one peer on one engine (protocol.md §7): which there are, each of them open, and the keys that come for them.
 * Law: a room is one's own because its log says so; what a service or an invitation says is a hint.
 */
import { join } from 'node:path';
import { createDisposer } from '../../shared/base/disposer.ts';
import { isVakError, VakError } from '../../shared/base/vak-error.ts';
import { startTrace } from '../../shared/protocol/trace-context.ts';
import type { Secret } from '../identity/secret.ts';
import type { SharedJsonFile } from '../identity/shared-json-file.ts';
import { createFrameIntake } from './frame-intake.ts';
import { createRoomCommits, type NewRoom } from './room-commits.ts';
import type { RoomDesk } from './room-desk.ts';
import { createRoomDesks } from './room-desks.ts';
import { openRoomIndex, type RoomIndexState } from './room-file.ts';
import { createRoomKeyExchange, type RoomKeyExchange } from './room-key-exchange.ts';
import { createRoomKeyInbox } from './room-key-inbox.ts';
import { createKeyLooking } from './room-key-looking.ts';
import type { RoomKeyring } from './room-keyring.ts';
import type { RoomLog } from './room-log.ts';
import type { RoomLogReader } from './room-log-reader.ts';
import type { RoomsDeps } from './room-peer.ts';
import { roomKeysSubject } from './room-subjects.ts';
import type { NotOpened } from './room-timeline.ts';

export interface Rooms {
  /** Rooms that this peer is or was in, or is invited to. */
  list(): readonly RoomDesk[];
  /** Throws `not-found`. */
  get(room: string): RoomDesk;
  /** Opens a room by its id; its log says what this peer is there. */
  open(room: string): Promise<RoomDesk>;
  /** Makes a room. Throws as `RoomCommits.create`. */
  create(fields: Omit<NewRoom, 'peer'>): Promise<RoomDesk>;
  /** Asks the service for rooms that this peer is in or invited to, and opens them. Without one it does nothing. */
  findRooms(): Promise<void>;
  /** Looks for rooms that somebody invited this peer to, and reads its keys. Throws what reading throws. */
  look(): Promise<void>;
  readonly exchange: RoomKeyExchange;
  /** What is kept of all rooms together. */
  readonly index: SharedJsonFile<RoomIndexState>;
  /** Puts what was read on disk, and ends. */
  close(): Promise<void>;
  /** Ends at once: what was read since the last second is read again. */
  dispose(): void;
}

const lookEveryMs = 30_000;

/** Finds the key of an epoch, or says who is asked for it. */
function keyFinder({
  keyring,
  exchange,
}: {
  readonly keyring: RoomKeyring;
  readonly exchange: Pick<RoomKeyExchange, 'refusalOf'>;
}) {
  return (log: RoomLog, epoch: number): Secret | NotOpened => {
    const key = keyring.keyOf(log, epoch);
    if (key !== undefined) return key;
    const base = keyring.baseOf(log, epoch);
    const refusal = base && exchange.refusalOf(log.room, base.epoch);
    if (refusal !== undefined) {
      const detail = `${refusal.by} does not hand out the key of epoch ${epoch}: ${refusal.reason}.`;
      return { cause: 'withheld', detail };
    }
    // Who joined is given its key by whoever invited it.
    const giver = base?.kind === 'JOIN' ? base.inviter : base?.author;
    const from = base === undefined ? 'its members' : ((giver && log.peerOf(giver)) ?? 'its author');
    return { cause: 'no-key', detail: `The key of epoch ${epoch} has not come yet; ${from} can give it.` };
  };
}

/** The exchange of keys over the peer's own publisher. */
function createExchange(deps: RoomsDeps, logOf: (room: string) => RoomLog | undefined): RoomKeyExchange {
  const { own, keyring, boxes, boxOf, clock, randomness, onChange } = deps;
  const { workspace, signer, checks } = own;
  return createRoomKeyExchange({
    ...{ signer, boxes, keyring, boxOf, clock, randomness, onChange, logOf, verifier: checks.verifier },
    async publish(to, type, payload) {
      const subject = roomKeysSubject(workspace, to);
      await own.publishKept({ subject, type, payload, trace: startTrace(randomness.bytes) });
    },
  });
}

/** Without a service invitations still come; who runs none has nothing to hint. */
async function hintsOf(client: RoomsDeps['own']['client']): Promise<readonly string[]> {
  try {
    return (await client.mine()).map(({ room }) => room);
  } catch (error) {
    if (isVakError(error)) return [];
    throw error;
  }
}

/** Opens the rooms of a peer, and reads them. Throws what opening its files throws. */
export async function openRooms(deps: RoomsDeps): Promise<Rooms> {
  const { own, keyring, folder, fileKey, clock, randomness, logger, onChange } = deps;
  const { workspace, peer, signer, bus, durable, judge, checks, client } = own;
  const held = createDisposer();
  const report = (error: VakError): void => logger.warn('profile.damaged', { message: error.message });
  const fileOptions = { key: fileKey, clock, randomness, report };
  const index = held.add(await openRoomIndex({ ...fileOptions, path: join(folder, 'index.sealed') }));

  const exchange = createExchange(deps, (room) => desks.find(room)?.reader.log());
  const inbox = createRoomKeyInbox({
    ...{ workspace, peer, durable, judge, clock, take: exchange.take },
    kept: {
      read: () => index.read().keysSeq,
      write: (seq) => index.update((kept) => (kept.keysSeq >= seq ? kept : { ...kept, keysSeq: seq })),
    },
  });
  const commits = createRoomCommits({ client, keyring, signer, randomness });

  const intake = createFrameIntake({ judge, verifier: checks.verifier, keyOf: keyFinder({ keyring, exchange }) });
  const desks = held.add(
    createRoomDesks(deps, { index, exchange, commits, intake, fileOptions, onDeskChange: () => onDeskChange() }),
  );

  const findRooms = async (): Promise<void> => await desks.openHints(await hintsOf(client));

  const { lookSoon, onDeskChange } = createKeyLooking({ inbox, exchange, desks, held, clock, logger, onChange });

  try {
    for (const room of index.read().rooms) await desks.open(room);
  } catch (error) {
    held.dispose();
    throw error;
  }
  held.add(bus.subscribe(roomKeysSubject(workspace, peer), { kind: 'latest', capacity: 1, onBatch: lookSoon }));
  held.add(clock.setTicker(lookEveryMs, lookSoon));
  lookSoon();

  return {
    list: desks.list,
    get(room) {
      const desk = desks.find(room);
      if (desk !== undefined) return desk;
      throw new VakError('not-found', `room ${room}: this peer is not in it, and was not invited to it`);
    },
    open: desks.open,
    async create(fields) {
      let logs: RoomLogReader | undefined;
      const begin = (id: string): RoomLogReader => {
        logs = desks.readerOf(id);
        return logs;
      };
      const room = await commits.create({ ...fields, peer }, begin).catch((error: unknown) => {
        logs?.dispose();
        throw error;
      });
      return await desks.open(room, logs);
    },
    findRooms,
    async look() {
      await findRooms();
      await inbox.read();
      await desks.openHints(exchange.invitations());
      await Promise.all(desks.list().map((desk) => desk.look()));
    },
    exchange,
    index,
    async close() {
      await Promise.all(desks.list().map((desk) => desk.settle()));
      held.dispose();
    },
    dispose: () => held.dispose(),
  };
}
