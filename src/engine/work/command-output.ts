/**
 * Reads a command's pipes, no faster than the bus takes it.
 * Law: what is read is handed over once and in order up to the limit; a full bus stops the reading, so memory stays bounded.
 */
import type { Readable } from 'node:stream';
import type { TerminalPayload } from '../../shared/protocol/payloads.ts';
import type { Clock } from '../ports/clock.ts';
import { settlesWithin } from '../wait.ts';

export type OutputStream = TerminalPayload['stream'];

export interface CommandOutput {
  /** Settled when both pipes have ended; never rejects. */
  readonly done: Promise<void>;
  /** Waits up to `limitMs` for the pipes to end. */
  endsWithin(limitMs: number): Promise<boolean>;
  /**
   * For after everybody who is known to write has gone: waits for the end as long as the bus is what holds the reading,
   * else until nothing came for `quietMs` or reading took `readingMs`; then cuts the pipes. False if they were cut.
   */
  drain(limits: { readonly quietMs: number; readonly readingMs: number }): Promise<boolean>;
}

/** What reading takes. */
export interface CommandOutputOptions {
  readonly clock: Clock;
  readonly pipes: Readonly<Record<OutputStream, Readable>>;
  readonly take: (stream: OutputStream, bytes: Uint8Array) => void;
  /** Resolves when more may be read; false: nobody takes anything any more, so the rest is read and discarded. */
  readonly isWritable: () => Promise<boolean>;
  /** Most bytes of both streams together that are handed over. */
  readonly limitBytes: number | undefined;
  /** Called once, when there was more than the limit. */
  readonly onLimit: () => void;
}

const pollMs = 50;

/** Starts reading both pipes. */
export function readCommandOutput(options: CommandOutputOptions): CommandOutput {
  const { clock, pipes, take, isWritable, onLimit } = options;
  let leftBytes = options.limitBytes ?? Number.POSITIVE_INFINITY;
  let isOverLimit = false;
  let isTaken = true;
  let heldCount = 0;
  let lastChangeMs = clock.monotonic();

  function accept(stream: OutputStream, chunk: Uint8Array): void {
    const kept = chunk.length <= leftBytes ? chunk : chunk.subarray(0, leftBytes);
    leftBytes -= kept.length;
    if (kept.length > 0) take(stream, kept);
    if (kept.length === chunk.length || isOverLimit) return;
    isOverLimit = true;
    onLimit();
  }

  async function read(stream: OutputStream): Promise<void> {
    try {
      for await (const chunk of pipes[stream]) {
        if (!isTaken) continue;
        accept(stream, chunk as Uint8Array);
        heldCount++;
        isTaken = (await isWritable()) && isTaken;
        heldCount--;
        lastChangeMs = clock.monotonic();
      }
    } catch {
      // A pipe that was cut, or that broke with its process: what came before it was handed over.
    }
  }

  const done = Promise.all([read('stdout'), read('stderr')]).then(() => {});
  return {
    done,
    endsWithin: (limitMs) => settlesWithin(clock, limitMs, done),
    async drain({ quietMs, readingMs }) {
      let readMs = 0;
      while (!(await settlesWithin(clock, pollMs, done))) {
        if (heldCount > 0) continue;
        readMs += pollMs;
        if (readMs < readingMs && clock.monotonic() - lastChangeMs < quietMs) continue;
        pipes.stdout.destroy();
        pipes.stderr.destroy();
        await settlesWithin(clock, 1_000, done);
        return false;
      }
      return true;
    },
  };
}
