/**
 * In which rooms a key is (docs/spec/rooms.md R25).
 * Law: which logs name a key is noted without judging them, in bounded number; where it stands in one is read from that log alone, and
 * once for each state of it, whoever asks.
 */
import { isVakError } from '../../shared/base/vak-error.ts';
import { payloadBytesOf } from '../../shared/protocol/envelope-codec.ts';
import { maxRoomHints, type RoomHint } from '../../shared/protocol/payload-room-control.ts';
import type { RoomEntry } from '../../shared/protocol/payload-room-log.ts';
import { decodePayload } from '../../shared/protocol/payloads.ts';
import { parseSubject } from '../../shared/protocol/subject.ts';
import type { DurablePlane, StoredMessage } from '../bus/durable.ts';
import { createBoundedCache } from '../crypto/bounded-cache.ts';
import type { EnvelopeReader } from '../envelope/envelope-reader.ts';
import type { Logger } from '../ports/logger.ts';
import { createSerialLane } from '../serial-lane.ts';
import type { RoomShelf } from './room-shelf.ts';
import { roomEntryType, roomLogsPattern, roomStreamOf } from './room-subjects.ts';

export interface RoomHints {
  /** Those that it is in first, then those that it is invited to, of each the newest first, 1 000 at most. Throws what reading throws. */
  of(sign: string): Promise<readonly RoomHint[]>;
}

export interface RoomHintsDeps {
  readonly workspace: string;
  readonly durable: DurablePlane;
  readonly reader: EnvelopeReader;
  readonly shelf: RoomShelf;
  readonly logger: Logger;
  /** Pairs of a key and a room that are noted, 200 000 unless told; what comes then is left out. */
  readonly maxPairs?: number;
  /** Invitations that are noted of one key, the newest 2 000 unless told: whoever invites without end hides no room that it is in. */
  readonly maxInvited?: number;
}

const pageLimit = 1_000;
/** Rooms whose newest place is known, and standings that are kept; what gave way is read again. */
const maxKnown = 200_000;

/** Rooms that a key may be in, by what their logs say unjudged; the newest last. */
interface Noted {
  readonly in: Set<string>;
  readonly invited: Set<string>;
}

/** How keys stand in a room at a place of its log. */
interface Stood {
  readonly seq: number;
  readonly n: number;
  readonly byKey: ReadonlyMap<string, RoomHint['standing']>;
}

/** Which keys may be in which rooms. */
function createPairs({ maxPairs = 200_000, maxInvited = 2_000, logger }: Omit<RoomHintsDeps, 'durable'>) {
  const byKey = new Map<string, Noted>();
  let pairCount = 0;

  function hasPlace(): boolean {
    if (pairCount === maxPairs) logger.warn('membership.hints-full', { maxPairs });
    // One beyond the bound: it was told.
    if (pairCount <= maxPairs) pairCount++;
    return pairCount <= maxPairs;
  }

  function of(key: string): Noted {
    const known = byKey.get(key) ?? { in: new Set(), invited: new Set() };
    byKey.set(key, known);
    return known;
  }

  return {
    find: (key: string): Noted | undefined => byKey.get(key),
    /** Whoever made a room or came into it. */
    noteIn(key: string, room: string): void {
      const known = byKey.get(key);
      if (known?.in.has(room) === true) return;
      // The place of its invitation is its own.
      if (known?.invited.delete(room) === true || hasPlace()) of(key).in.add(room);
    },
    noteInvited(key: string, room: string): void {
      const known = byKey.get(key);
      if (known?.in.has(room) === true || known?.invited.has(room) === true) return;
      const [oldest] = known?.invited ?? [];
      const isFull = known !== undefined && oldest !== undefined && known.invited.size >= maxInvited;
      if (isFull) known.invited.delete(oldest);
      if (isFull || hasPlace()) of(key).invited.add(room);
    },
  };
}

/** Creates it with nothing noted. */
export function createRoomHints(deps: RoomHintsDeps): RoomHints {
  const { workspace, durable, reader, shelf } = deps;
  const stream = durable.stream(roomStreamOf(workspace));
  const pairs = createPairs(deps);
  /** Place of the newest message on a room's log. */
  const newest = createBoundedCache<number>(maxKnown);
  const stood = createBoundedCache<Stood>(maxKnown, { maxWeight: maxKnown, weightOf: ({ byKey }) => 1 + byKey.size });
  const lane = createSerialLane();
  let nextSeq = 1;

  function entryIn({ data }: StoredMessage): RoomEntry | undefined {
    const reading = reader.read(data);
    if (reading.kind !== 'envelope' || reading.envelope.type !== roomEntryType) return undefined;
    try {
      return decodePayload(roomEntryType, payloadBytesOf(reading.envelope));
    } catch (error) {
      if (isVakError(error)) return undefined;
      throw error;
    }
  }

  function note(message: StoredMessage): void {
    const { entity: room } = parseSubject(message.subject);
    newest.set(room, message.seq);
    const entry = entryIn(message);
    if (entry === undefined) return;
    const { body, actor, subject } = entry;
    if (body.type === 'CREATE' || body.type === 'JOIN') pairs.noteIn(actor, room);
    else if (body.type === 'INVITE' && subject !== undefined) pairs.noteInvited(subject, room);
  }

  async function readOn(): Promise<void> {
    for (;;) {
      const page = await stream.read({ subject: roomLogsPattern(workspace), fromSeq: nextSeq, limit: pageLimit });
      for (const message of page.messages) note(message);
      nextSeq = page.nextSeq ?? (page.messages.at(-1)?.seq ?? nextSeq - 1) + 1;
      if (page.nextSeq === undefined) return;
    }
  }

  const read = (room: string): Promise<Stood> =>
    shelf.use(room, ({ log, lastSeq, isUnproven }) => {
      const { members = [], invited = [] } = log().standing() ?? {};
      const byKey = new Map<string, RoomHint['standing']>([
        ...Array.from(invited, ([key]) => [key, 'invited'] as const),
        ...Array.from(members, ([key]) => [key, 'member'] as const),
      ]);
      const found = { seq: lastSeq(), n: log().head()?.n ?? 0, byKey };
      // What is not proven yet may be tomorrow, without anything new on the log.
      if (!isUnproven()) stood.set(room, found);
      return found;
    });

  async function hintOf(room: string, sign: string): Promise<RoomHint | undefined> {
    const known = stood.get(room);
    const { n, byKey } = known !== undefined && known.seq === newest.get(room) ? known : await read(room);
    const standing = byKey.get(sign);
    return standing === undefined ? undefined : { room, n, standing };
  }

  return {
    async of(sign) {
      await lane.run(readOn);
      const noted = pairs.find(sign);
      const rooms = [...[...(noted?.in ?? [])].reverse(), ...[...(noted?.invited ?? [])].reverse()];
      const hints: RoomHint[] = [];
      for (const room of rooms) {
        const hint = await hintOf(room, sign);
        if (hint !== undefined) hints.push(hint);
        if (hints.length === maxRoomHints) break;
      }
      return hints;
    },
  };
}
