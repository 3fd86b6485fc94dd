/**
 * The live plane of a peer that is on no engine yet, or is between two (protocol.md B8).
 * Law: what it publishes waits, bounded in number, bytes and time, so that a change of engines is no gap; what gives way is counted.
 */
import { isVakError, VakError } from '../../shared/base/vak-error.ts';
import { checkPattern, checkSubject } from '../../shared/protocol/subject.ts';
import type { Clock } from '../ports/clock.ts';
import type { Bus } from './bus.ts';
import { createBusCounters, toBusMetrics } from './bus-counters.ts';
import { checkMessageSize } from './check-message.ts';

/** What may wait: messages, bytes, and ms. A peer that is kept out for longer says nothing old when it is let in. */
const maxWaiting = 1_024;
const maxWaitingBytes = 2 * 1024 * 1024;
const maxWaitMs = 10_000;

interface Waiting {
  readonly subject: string;
  readonly data: Uint8Array;
  readonly atMs: number;
}

export interface WaitingBus extends Bus {
  /** Nothing waits any more; what is given back says on another bus what did, in order. */
  take(): (next: Pick<Bus, 'publish'>) => void;
}

/** A server may take smaller messages than the rule has it. */
function takes(bus: Pick<Bus, 'publish'>, subject: string, data: Uint8Array): boolean {
  try {
    bus.publish(subject, data);
    return true;
  } catch (thrown) {
    if (!isVakError(thrown)) throw thrown;
    return false;
  }
}

/** Creates it with nothing that waits. Subscriptions hear nothing: whoever moves them to an engine has kept them (live-bus.ts). */
export function createWaitingBus(clock: Clock): WaitingBus {
  const counters = createBusCounters(clock);
  let waiting: Waiting[] = [];
  let bytes = 0;

  function makeRoom(): void {
    let from = 0;
    while (waiting.length - from > maxWaiting || bytes > maxWaitingBytes) bytes -= waiting[from++]?.data.length ?? 0;
    counters.droppedCount += from;
    if (from > 0) waiting = waiting.slice(from);
  }

  return {
    publish(subject, data) {
      checkMessageSize(subject, data);
      checkSubject(subject);
      waiting.push({ subject, data, atMs: clock.monotonic() });
      bytes += data.length;
      makeRoom();
    },
    subscribe(given) {
      const pattern = checkPattern(given);
      const none = { pattern, deliveredCount: 0, droppedCount: 0, bufferedCount: 0, failedCount: 0 };
      return { stats: () => none, dispose() {} };
    },
    async request(subject) {
      throw new VakError('disconnected', `request ${subject}: there is no connection now`, { retryable: true });
    },
    whenWritable: () => Promise.resolve(),
    metrics: () => toBusMetrics(counters, new Set()),
    async close() {
      counters.droppedCount += waiting.length;
      [waiting, bytes] = [[], 0];
    },
    take() {
      const all = waiting;
      [waiting, bytes] = [[], 0];
      return (next) => {
        const fromMs = clock.monotonic() - maxWaitMs;
        for (const { subject, data, atMs } of all) {
          if (atMs < fromMs || !takes(next, subject, data)) counters.droppedCount++;
        }
      };
    },
  };
}
