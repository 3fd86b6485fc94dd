/**
 * The rooms that a peer has open (docs/spec/rooms.md R25, R28).
 * Law: each is opened once; one that somebody only named is opened when its log has this peer in it.
 */
import { join } from 'node:path';
import { utf8 } from '../../shared/base/bytes.ts';
import type { Disposable } from '../../shared/base/disposer.ts';
import { VakError } from '../../shared/base/vak-error.ts';
import { startTrace } from '../../shared/protocol/trace-context.ts';
import type { SharedJsonFile } from '../identity/shared-json-file.ts';
import { createSerialLane } from '../serial-lane.ts';
import { type FrameIntakes, roomFrameType } from './frame-intake.ts';
import type { RoomCommits } from './room-commits.ts';
import { createRoomDesk, type RoomDesk } from './room-desk.ts';
import { maxRooms, openRoomFile, type RoomFileOptions, type RoomIndexState } from './room-file.ts';
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

/** Creates it empty. */
export function createRoomDesks(deps: RoomsDeps, parts: RoomDesksParts): RoomDesks {
  const { own, keyring, heads, folder, clock, randomness, logger, onChange } = deps;
  const { workspace, peer, signer, bus, durable, judge, checks, isConnected } = own;
  const { index, exchange, commits, intake, fileOptions, onDeskChange } = parts;
  const lane = createSerialLane();
  const desks = new Map<string, RoomDesk>();

  const readerOf = (room: string): RoomLogReader =>
    createRoomLogReader({ workspace, room, bus, durable, judge, checks, heads, clock, logger });

  async function add(room: string, logs: RoomLogReader): Promise<RoomDesk> {
    if (desks.size >= maxRooms) throw new VakError('limit-exceeded', `rooms: ${maxRooms} are open already; leave some`);
    const file = await openRoomFile({ ...fileOptions, path: join(folder, `${room}.sealed`) }, room);
    const desk = createRoomDesk({
      ...{ workspace, peer, signer, bus, durable, judge, logs, file, intake, keyring, exchange, commits },
      ...{ isConnected, clock, randomness, logger, onChange: onDeskChange },
      ...{ publishNow: own.publishNow, choice: () => index.read() },
      async publishFrame(frame, messageId) {
        const payload = utf8(JSON.stringify(frame));
        const subject = roomMessagesSubject(workspace, room);
        const trace = startTrace(randomness.bytes);
        await own.publishStored({ subject, type: roomFrameType, payload, trace }, { messageId });
      },
    });
    desks.set(room, desk);
    await index.update((kept) => (kept.rooms.includes(room) ? kept : { ...kept, rooms: [...kept.rooms, room] }));
    onChange();
    return desk;
  }

  const open: RoomDesks['open'] = (room, logs) =>
    lane.run(async () => desks.get(room) ?? (await add(room, logs ?? readerOf(room))));

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
  }

  return {
    list: () => [...desks.values()],
    find: (room) => desks.get(room),
    open,
    async openHints(rooms) {
      for (const room of rooms) {
        if (!desks.has(room)) await openHint(room);
      }
    },
    readerOf,
    lookSoon() {
      for (const desk of desks.values()) desk.lookSoon();
    },
    dispose() {
      for (const desk of desks.values()) desk.dispose();
    },
  };
}
