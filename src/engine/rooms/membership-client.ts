/**
 * Asks the membership service (docs/spec/rooms.md R24–R26).
 * Law: the service is believed nothing: that an entry is stored its actor reads in the log; whatever has no answer is asked again, which
 * stores nothing twice.
 */
import type { z } from 'zod';
import { utf8 } from '../../shared/base/bytes.ts';
import { type ErrorCode, isVakError, VakError } from '../../shared/base/vak-error.ts';
import { maxRoomHints, type RoomHint, roomAppended, roomHints } from '../../shared/protocol/payload-room-control.ts';
import type { RoomEntry } from '../../shared/protocol/payload-room-log.ts';
import { startTrace, type TraceContext } from '../../shared/protocol/trace-context.ts';
import type { Bus } from '../bus/bus.ts';
import { readAnswer } from '../control/control-answer.ts';
import type { EnvelopeAuthor } from '../envelope/envelope-author.ts';
import type { Clock } from '../ports/clock.ts';
import type { Randomness } from '../ports/randomness.ts';
import { pause } from '../wait.ts';
import { roomEntryHash, roomEntryMessage } from './room-entry.ts';
import type { LogStanding, RoomLogReader } from './room-log-reader.ts';
import { type RoomRequest, roomRequestSubject, roomRequestType } from './room-subjects.ts';

export interface AppendOptions {
  /** Of the entry's room. */
  readonly reader: Pick<RoomLogReader, 'catchUp' | 'log' | 'standing'>;
  readonly trace?: TraceContext;
  readonly signal?: AbortSignal;
}

export interface MembershipClient {
  /**
   * Has an entry stored, and reads it back; resolves with its place. Throws `conflict` (the log has gone on: read it, and sign anew if it
   * still holds), `forbidden` or `invalid-payload` (the log refuses it, `details.why`), `corrupt` (the service said that it is stored, and it is
   * not in the log, or the log is not to be believed), `no-responders` (no service runs), and what asking throws.
   */
  append(entry: RoomEntry, options: AppendOptions): Promise<number>;
  /** In which rooms this peer's key is, as the service says: the logs prove it. Throws as asking does. */
  mine(signal?: AbortSignal): Promise<readonly RoomHint[]>;
}

export interface MembershipClientDeps {
  readonly workspace: string;
  readonly bus: Pick<Bus, 'request'>;
  /** Of this peer's live session (kind e), with its signer. */
  readonly author: Pick<EnvelopeAuthor, 'publish'>;
  readonly clock: Clock;
  readonly randomness: Randomness;
}

/** Longer than the service looks for what it may have stored. */
const tryMs = 12_000;
const maxTries = 4;
const againMs = 1_000;
/** What the service has stored is in the log so soon (R26). */
const readBackMs = 10_000;
const readBackEveryMs = 500;
const maxAnswerBytes = maxRoomHints * 128;

/** Said by the way, not by the service: it may have heard nothing, or answered into the void. */
const wayCodes: ReadonlySet<ErrorCode> = new Set(['timeout', 'disconnected', 'no-responders']);

const isWorthAsking = (error: unknown): error is VakError =>
  isVakError(error) && (wayCodes.has(error.code) || (error.retryable && error.code !== 'conflict'));

const never = new AbortController().signal;

/** What is said when an entry that is stored, as the service says, is not in the log as it is read here. */
function notThere(n: number, { stop, isBehind }: Pick<LogStanding, 'stop' | 'isBehind'>): VakError {
  const details = { n };
  if (stop !== undefined) {
    const what = stop.kind === 'fork' ? 'has forked' : 'was rolled back';
    return new VakError('corrupt', `entry ${n}: the log ${what}; the room is over`, { details });
  }
  if (isBehind) {
    const message = `entry ${n} is stored, as the service says; not all of the log can be judged here yet: read it later`;
    return new VakError('timeout', message, { details, retryable: true });
  }
  const message = `entry ${n}: the membership service said that it is stored, and ${readBackMs / 1_000} s later the log does not have it; tell whoever runs the service`;
  return new VakError('corrupt', message, { details });
}

/** Creates it. */
export function createMembershipClient(deps: MembershipClientDeps): MembershipClient {
  const { workspace, bus, author, clock, randomness } = deps;

  interface Asked<T> {
    readonly verb: RoomRequest;
    readonly payload: Uint8Array;
    readonly schema: z.ZodType<T>;
    readonly trace: TraceContext;
    readonly signal: AbortSignal;
  }

  /** Each try is a request of its own: one that is said twice is refused. */
  async function askOnce<T>({ verb, payload, schema, trace, signal }: Asked<T>): Promise<T> {
    const subject = roomRequestSubject(workspace, verb);
    const data = await new Promise<Uint8Array>((resolve) => {
      author.publish({ subject, type: roomRequestType(verb), payload, trace }, (bytes) =>
        resolve(bus.request(subject, bytes, { timeoutMs: tryMs, signal })),
      );
    });
    return readAnswer(schema, data, maxAnswerBytes);
  }

  async function ask<T>(asked: Asked<T>): Promise<T> {
    for (let tries = 1; ; tries++) {
      try {
        return await askOnce(asked);
      } catch (error) {
        if (asked.signal.aborted || tries === maxTries || !isWorthAsking(error)) throw error;
        await pause(clock, againMs, asked.signal);
      }
    }
  }

  async function readBack({ n }: RoomEntry, hash: string, { reader, signal = never }: AppendOptions): Promise<number> {
    const untilMs = clock.monotonic() + readBackMs;
    for (;;) {
      await reader.catchUp();
      const found = reader.log().entryAt(n);
      if (found?.hash === hash) return found.seq;
      if (signal.aborted)
        throw new VakError('aborted', `entry ${n} is stored, as the service says; it was not read back`);
      const { stop, isBehind } = reader.standing();
      if (stop !== undefined || clock.monotonic() >= untilMs) throw notThere(n, { stop, isBehind });
      await pause(clock, readBackEveryMs, signal);
    }
  }

  return {
    async append(entry, options) {
      const { signal = never, trace = startTrace(randomness.bytes) } = options;
      const hash = roomEntryHash(roomEntryMessage(entry));
      const payload = utf8(JSON.stringify({ entry }));
      await ask({ verb: 'append', payload, schema: roomAppended, trace, signal });
      return await readBack(entry, hash, options);
    },
    async mine(signal = never) {
      const trace = startTrace(randomness.bytes);
      return (await ask({ verb: 'mine', payload: utf8('{}'), schema: roomHints, trace, signal })).rooms;
    },
  };
}
