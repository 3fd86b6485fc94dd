/**
 * In which rooms a key is (docs/spec/rooms.md R25).
 * Law: which logs name a key is noted without judging them, in bounded number; where it stands in one is read from that log alone.
 */
import { isVakError } from '../../shared/base/vak-error.ts';
import { payloadBytesOf } from '../../shared/protocol/envelope-codec.ts';
import { maxRoomHints, type RoomHint } from '../../shared/protocol/payload-room-control.ts';
import type { RoomEntry } from '../../shared/protocol/payload-room-log.ts';
import { decodePayload } from '../../shared/protocol/payloads.ts';
import { parseSubject } from '../../shared/protocol/subject.ts';
import type { DurablePlane, StoredMessage } from '../bus/durable.ts';
import type { EnvelopeReader } from '../envelope/envelope-reader.ts';
import type { Logger } from '../ports/logger.ts';
import { createSerialLane } from '../serial-lane.ts';
import type { RoomShelf } from './room-shelf.ts';
import { roomEntryType, roomLogsPattern, roomStreamOf } from './room-subjects.ts';

export interface RoomHints {
  /** The newest rooms first, 1 000 at most. Throws what reading throws. */
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
}

const pageLimit = 1_000;

/** Whom an entry brings near a room: its creator, or whom it invites. */
function newcomerOf({ body, actor, subject }: RoomEntry): string | undefined {
  if (body.type === 'CREATE') return actor;
  return body.type === 'INVITE' ? subject : undefined;
}

/** Creates it with nothing noted. */
export function createRoomHints(deps: RoomHintsDeps): RoomHints {
  const { workspace, durable, reader, shelf, logger, maxPairs = 200_000 } = deps;
  const stream = durable.stream(roomStreamOf(workspace));
  const rooms = new Map<string, Set<string>>();
  const lane = createSerialLane();
  let pairCount = 0;
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
    const entry = entryIn(message);
    const key = entry && newcomerOf(entry);
    if (key === undefined) return;
    const { entity: room } = parseSubject(message.subject);
    const known = rooms.get(key) ?? new Set();
    if (known.has(room)) return;
    if (pairCount < maxPairs) rooms.set(key, known.add(room));
    else if (pairCount === maxPairs) logger.warn('membership.hints-full', { maxPairs });
    pairCount++;
  }

  async function readOn(): Promise<void> {
    for (;;) {
      const page = await stream.read({ subject: roomLogsPattern(workspace), fromSeq: nextSeq, limit: pageLimit });
      for (const message of page.messages) note(message);
      nextSeq = page.nextSeq ?? (page.messages.at(-1)?.seq ?? nextSeq - 1) + 1;
      if (page.nextSeq === undefined) return;
    }
  }

  const hintOf = (room: string, sign: string): Promise<RoomHint | undefined> =>
    shelf.use(room, ({ log }) => {
      const [standing, head] = [log().standing(), log().head()];
      if (standing === undefined || head === undefined) return undefined;
      if (standing.members.has(sign)) return { room, n: head.n, standing: 'member' };
      return standing.invited.has(sign) ? { room, n: head.n, standing: 'invited' } : undefined;
    });

  async function hintsOf(sign: string): Promise<readonly RoomHint[]> {
    await readOn();
    const hints: RoomHint[] = [];
    for (const room of [...(rooms.get(sign) ?? [])].reverse()) {
      const hint = await hintOf(room, sign);
      if (hint !== undefined) hints.push(hint);
      if (hints.length === maxRoomHints) break;
    }
    return hints;
  }

  // One at a time: each may have to read many logs.
  return { of: (sign) => lane.run(() => hintsOf(sign)) };
}
