/**
 * The rooms that a peer has open (docs/spec/rooms.md R25, R28).
 * Law: each is opened once; one that somebody only named is opened when its log has this peer in it.
 */
import { join } from 'node:path';
import { utf8 } from '../../shared/base/bytes.ts';
import type { Disposable } from '../../shared/base/disposer.ts';
import { isVakError, VakError } from '../../shared/base/vak-error.ts';
import { startTrace } from '../../shared/protocol/trace-context.ts';
import { createBoundedCache } from '../crypto/bounded-cache.ts';
import type { SharedJsonFile } from '../identity/shared-json-file.ts';
import { createSerialLane } from '../serial-lane.ts';
import { type FrameIntakes, roomFrameType } from './frame-intake.ts';
import type { RoomCommits } from './room-commits.ts';
import { createRoomDesk, type RoomDesk } from './room-desk.ts';
import { maxRooms, openRoomFile, type RoomFileOptions, type RoomFileState, type RoomIndexState } from './room-file.ts';
import type { RoomKeyExchange } from './room-key-exchange.ts';
import { createRoomLogReader, type RoomLogReader } from './room-log-reader.ts';
import type { RoomsDeps } from './room-peer.ts';
import { roomMessagesSubject } from './room-subjects.ts';

export interface RoomDesks extends Disposable {
  list(): readonly RoomDesk[];
  find(room: string): RoomDesk | undefined;
  /** Opens a room, or gives it; `logs`: its reader, if there is one already. */
  open(room: string, logs?: RoomLogReader): Promise<RoomDesk>;
  /** Opens those of the named rooms whose log has this peer as a member or invited. */
  openHints(rooms: readonly string[]): Promise<void>;
  readerOf(room: string): RoomLogReader;
  lookSoon(): void;
}

export interface RoomDesksParts {
  readonly index: SharedJsonFile<RoomIndexState>;
  readonly exchange: RoomKeyExchange;
  readonly commits: RoomCommits;
  readonly intake: FrameIntakes;
  readonly fileOptions: Omit<RoomFileOptions, 'path'>;
  readonly onDeskChange: () => void;
}

/** Rooms that this peer is invited to and has open. */
const maxInvitedTo = 100;
/** A named room of which nothing can be made now is looked at again so much later, ms; of so many that is remembered. */
const hintEveryMs = 30_000;
const maxHintsRemembered = 4_096;

/** Creates it empty. */
export function createRoomDesks(deps: RoomsDeps, parts: RoomDesksParts): RoomDesks {
  const { own, keyring, heads, folder, clock, randomness, logger, onChange } = deps;
  const { workspace, peer, signer, bus, durable, judge, checks, isConnected } = own;
  const { index, exchange, commits, intake, fileOptions, onDeskChange } = parts;
  const lane = createSerialLane();
  const desks = new Map<string, RoomDesk>();

  const readerOf = (room: string): RoomLogReader =>
    createRoomLogReader({ workspace, room, bus, durable, judge, checks, heads, clock, logger });

  let isClosed = false;
  /** When those were looked at that were no use then. */
  const inVainMs = createBoundedCache<number>(maxHintsRemembered);
  const closed = (): VakError => new VakError('closed', 'rooms: they were closed');

  async function add(room: string, logs: RoomLogReader): Promise<RoomDesk> {
    if (isClosed) throw closed();
    if (desks.size >= maxRooms) throw new VakError('limit-exceeded', `rooms: ${maxRooms} are open already; leave some`);
    const file = await openRoomFile({ ...fileOptions, path: join(folder, `${room}.sealed`) }, room);
    try {
      await index.update((kept) => (kept.rooms.includes(room) ? kept : { ...kept, rooms: [...kept.rooms, room] }));
      // Whoever closed the rooms meanwhile closes no desk that comes after.
      if (isClosed) throw closed();
    } catch (error) {
      file.dispose();
      throw error;
    }
    const desk = deskOf(room, logs, file);
    desks.set(room, desk);
    onChange();
    return desk;
  }

  function deskOf(room: string, logs: RoomLogReader, file: SharedJsonFile<RoomFileState>): RoomDesk {
    return createRoomDesk({
      ...{ workspace, peer, signer, bus, durable, judge, logs, file, intake, keyring, exchange, commits },
      ...{ isConnected, clock, randomness, logger, onChange: onDeskChange },
      ...{ publishNow: own.publishNow, choice: deps.choice },
      async publishFrame(frame, messageId) {
        const payload = utf8(JSON.stringify(frame));
        const subject = roomMessagesSubject(workspace, room);
        const trace = startTrace(randomness.bytes);
        await own.publishStored({ subject, type: roomFrameType, payload, trace }, { messageId });
      },
    });
  }

  const open: RoomDesks['open'] = (room, given) =>
    lane.run(async () => {
      const known = desks.get(room);
      if (known !== undefined) {
        if (given !== known.logs) given?.dispose();
        return known;
      }
      const logs = given ?? readerOf(room);
      try {
        return await add(room, logs);
      } catch (error) {
        // Nobody else would end it.
        logs.dispose();
        throw error;
      }
    });

  /** How this peer stands in a room that somebody named. */
  async function standingIn(room: string): Promise<'member' | 'invited' | 'none' | 'unknown'> {
    const logs = readerOf(room);
    try {
      await logs.catchUp();
      const standing = logs.log().standing();
      if (standing?.members.has(signer.nkey) === true) return 'member';
      if (standing?.invited.has(signer.nkey) === true) return 'invited';
      return logs.standing().isBehind ? 'unknown' : 'none';
    } finally {
      logs.dispose();
    }
  }

  const invitedCount = (): number =>
    [...desks.values()].filter(({ logs }) => logs.log().standing()?.invited.has(signer.nkey) === true).length;

  async function openHint(room: string): Promise<void> {
    const found = await standingIn(room);
    if (found === 'none') exchange.forgetInvitation(room);
    // Whoever invites to rooms without end fills nobody's list: of those that one is in there is always room.
    else if (found === 'member' || (found === 'invited' && invitedCount() < maxInvitedTo))
      (await open(room)).lookSoon();
    else inVainMs.set(room, clock.monotonic());
  }

  /** One that cannot be opened keeps none of the others. */
  async function tryHint(room: string): Promise<void> {
    try {
      await openHint(room);
    } catch (error) {
      if (!isVakError(error)) throw error;
      inVainMs.set(room, clock.monotonic());
      logger.warn('rooms.open', { room, code: error.code });
    }
  }

  const isDue = (room: string): boolean =>
    clock.monotonic() - (inVainMs.get(room) ?? Number.NEGATIVE_INFINITY) >= hintEveryMs;

  return {
    list: () => [...desks.values()],
    find: (room) => desks.get(room),
    open,
    async openHints(rooms) {
      for (const room of rooms) {
        if (!isClosed && !desks.has(room) && isDue(room)) await tryHint(room);
      }
    },
    readerOf,
    lookSoon() {
      for (const desk of desks.values()) desk.lookSoon();
    },
    dispose() {
      isClosed = true;
      for (const desk of desks.values()) desk.dispose();
    },
  };
}
