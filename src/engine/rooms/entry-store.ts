/**
 * Stores entries of rooms' logs, one after the other, as any reader would take them (protocol.md R2, docs/spec/rooms.md R21, R24).
 * Law: the stream's expected last sequence decides, whoever else stores there; nothing is answered as stored, or as not stored, before that
 * is known.
 */
import { utf8 } from '../../shared/base/bytes.ts';
import { isVakError, VakError } from '../../shared/base/vak-error.ts';
import type { RoomEntry } from '../../shared/protocol/payload-room-log.ts';
import { childOf, type TraceContext } from '../../shared/protocol/trace-context.ts';
import type { EnvelopeDraft } from '../envelope/envelope-author.ts';
import type { DurablePeer } from '../outbox/durable-peer.ts';
import type { Clock } from '../ports/clock.ts';
import type { Randomness } from '../ports/randomness.ts';
import { pause } from '../wait.ts';
import { type AskerLimits, createAskerRates } from './asker-rates.ts';
import { roomEntryHash, roomEntryMessage, roomIdOf } from './room-entry.ts';
import type { EntryVerdict } from './room-log.ts';
import type { RoomShelf, ShelvedRoom } from './room-shelf.ts';
import { roomEntryType, roomLogSubject } from './room-subjects.ts';

/** Where an entry lies. `isNew`: it was stored by this call. */
export interface StoredEntry {
  readonly room: string;
  readonly seq: number;
  readonly isNew: boolean;
}

export interface EntryStore {
  /**
   * Stores an entry, or finds it stored. Throws `conflict` (another has its place: read again), `forbidden` or `invalid-payload` with
   * `details.why` of R21, `timeout` (it is not known whether it was stored: ask again), and what reading and appending throw.
   */
  store(entry: RoomEntry, trace: TraceContext): Promise<StoredEntry>;
}

export interface EntryStoreDeps {
  readonly workspace: string;
  readonly shelf: RoomShelf;
  readonly publisher: Pick<DurablePeer, 'publishExpecting'>;
  readonly clock: Clock;
  readonly randomness: Randomness;
  /** Aborted when the service ends. */
  readonly signal: AbortSignal;
}

/** Where it goes, and its span. */
type Draft = Pick<EnvelopeDraft, 'subject' | 'trace'>;

/** So often the stream may turn out to be further on than it was read, by what does not count. */
const maxTries = 4;
/** New keys that one member brings to a room at once, and a second: each makes its log longer for everybody, for good (R59). */
const rekeyLimits: AskerLimits = { burst: 64, perSecond: 1 / 60 };
/** What may have been stored is looked for so long, ms, and so often. */
const doubtMs = 4_000;
const doubtEveryMs = 250;

/** The room that an entry is of; that of CREATE follows from itself. Throws `invalid-payload`. */
function roomOfEntry(entry: RoomEntry): string {
  return entry.body.type === 'CREATE' ? roomIdOf(roomEntryHash(roomEntryMessage(entry))) : entry.room;
}

function conflictAt({ log }: ShelvedRoom, why: string): VakError {
  const head = log().head();
  const message = `the log is at entry ${head?.n ?? 'none'}, and this one does not follow it; read it again, and sign anew if it still holds`;
  return new VakError('conflict', message, { details: { why, ...(head === undefined ? {} : { n: head.n }) } });
}

/** Why an entry is not stored (R24), by what a reader would make of it. */
function refusalOf(verdict: EntryVerdict, room: ShelvedRoom): VakError {
  switch (verdict.kind) {
    case 'fork':
      return conflictAt(room, 'taken');
    case 'stopped':
      return new VakError('forbidden', 'the log has forked: the room is over', { details: { why: 'stopped' } });
    case 'skipped': {
      const { why, detail } = verdict;
      if (why === 'wrong-place') return conflictAt(room, why);
      const code = why === 'bad-form' || why === 'bad-signature' ? 'invalid-payload' : 'forbidden';
      return new VakError(code, `not stored (${why}): ${detail}`, { details: { why } });
    }
    case 'counts':
    case 'repeated':
      throw new TypeError('an entry that counts is no refusal');
  }
}

/** Creates it. */
export function createEntryStore(deps: EntryStoreDeps): EntryStore {
  const { workspace, shelf, publisher, clock, randomness, signal } = deps;

  const rekeyRates = createAskerRates(clock, rekeyLimits);

  /** Throws `limit-exceeded`. */
  function checkPace({ room, actor, body }: RoomEntry): void {
    if (body.type !== 'REKEY') return;
    try {
      rekeyRates.take(`${room} ${actor}`, 1);
    } catch (error) {
      if (!isVakError(error, 'limit-exceeded')) throw error;
      const message = `this member has brought the room ${rekeyLimits.burst} new keys in a short time; one a minute is taken now`;
      throw new VakError('limit-exceeded', message, { cause: error });
    }
  }

  /** Where it lies, as the log was read; undefined: it may be stored now. Throws why it may not. */
  function foundIn(room: ShelvedRoom, entry: RoomEntry): number | undefined {
    const verdict = room.log().wouldRead(entry);
    if (verdict.kind === 'repeated') return room.log().entryAt(entry.n)?.seq;
    if (verdict.kind === 'counts') return undefined;
    throw refusalOf(verdict, room);
  }

  /** After an append whose outcome is not known: somebody has to tell what became of it, and that is the stream. */
  async function lookFor(room: ShelvedRoom, entry: RoomEntry): Promise<number> {
    const untilMs = clock.monotonic() + doubtMs;
    while (clock.monotonic() < untilMs && !signal.aborted) {
      await pause(clock, doubtEveryMs, signal);
      try {
        await room.readOn();
      } catch (error) {
        if (!isVakError(error)) throw error;
        continue;
      }
      const seq = foundIn(room, entry);
      if (seq !== undefined) return seq;
    }
    const message = 'it is not known yet whether the entry was stored; ask again, which stores nothing twice';
    throw new VakError('timeout', message, { retryable: true });
  }

  /** Undefined: the log is further on than it was read. */
  async function append(room: ShelvedRoom, entry: RoomEntry, at: Draft): Promise<number | undefined> {
    const draft = { ...at, type: roomEntryType, payload: utf8(JSON.stringify(entry)) };
    try {
      return (await publisher.publishExpecting(draft, { expectedLastSeq: room.lastSeq() })).appended.seq;
    } catch (error) {
      if (!isVakError(error)) throw error;
      if (error.details?.['isUnknown'] === true) return await lookFor(room, entry);
      if (error.code !== 'conflict') throw error;
      return undefined;
    }
  }

  async function storeIn(room: ShelvedRoom, entry: RoomEntry, at: Draft): Promise<Omit<StoredEntry, 'room'>> {
    for (let tries = 0; tries < maxTries; tries++) {
      const found = foundIn(room, entry);
      if (found !== undefined) return { seq: found, isNew: false };
      if (tries === 0) checkPace(entry);
      const seq = await append(room, entry, at);
      if (seq !== undefined) return { seq, isNew: true };
      await room.readOn();
    }
    throw conflictAt(room, 'busy');
  }

  return {
    async store(entry, trace) {
      const id = roomOfEntry(entry);
      const at = { subject: roomLogSubject(workspace, id), trace: childOf(trace, randomness.bytes) };
      return { room: id, ...(await shelf.use(id, (room) => storeIn(room, entry, at))) };
    },
  };
}
