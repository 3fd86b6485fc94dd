/**
 * What is heard of a workspace's live traffic, and how long it was on its way from other processes (protocol.md W10, W10c).
 * Law: every message counts; of a batch a bounded number is measured, and how many were is told. Clocks are not set right: what comes
 * before the time that its author gave it counts as 0, and is told; what is older than an hour is not measured, and told too.
 */
import { isVakError } from '../../shared/base/vak-error.ts';
import { decodeEnvelope } from '../../shared/protocol/envelope-codec.ts';
import { type Plane, subjectRows } from '../../shared/protocol/subject.ts';
import type { Message } from '../bus/bus.ts';
import { createHistogram, type HistogramSnapshot } from './histogram.ts';

/** `foreign`: a subject of no plane. */
export type HeardPlane = Plane | 'foreign';

export interface PlaneTraffic {
  readonly plane: HeardPlane;
  readonly messageCount: number;
  readonly bytes: number;
}

export interface HeardFigures {
  readonly messageCount: number;
  readonly bytes: number;
  /** Every plane, in the order of the table. */
  readonly planes: readonly PlaneTraffic[];
  /** From the time in each measured envelope to its arrival; to the ms, as that time is. */
  readonly publishToDeliver: HistogramSnapshot;
  /** Of the measured ones: came before their time. */
  readonly aheadCount: number;
  /** Were to be measured, and have no time that is an hour old at most. */
  readonly unmeasuredCount: number;
}

export interface HeardTraffic {
  /** What came, at `nowMs` (ms since the epoch). */
  note(messages: readonly Pick<Message, 'subject' | 'data'>[], nowMs: number): void;
  figures(): HeardFigures;
}

/** Of a batch so many are decoded, evenly over it. */
const maxMeasured = 256;
const oldestMs = 3_600_000;

const planes: readonly HeardPlane[] = [...subjectRows.map(({ plane }) => plane), 'foreign'];

/** When its author made it, ms since the epoch; undefined: it does not say. */
function authoredMs(data: Uint8Array): number | undefined {
  try {
    const ms = Date.parse(decodeEnvelope(data).time);
    return Number.isFinite(ms) ? ms : undefined;
  } catch (error) {
    if (isVakError(error)) return undefined;
    throw error;
  }
}

/** Creates it at zero. */
export function createHeardTraffic(): HeardTraffic {
  const counts = new Map<string, { messageCount: number; bytes: number }>(
    planes.map((plane) => [plane, { messageCount: 0, bytes: 0 }]),
  );
  const foreign = { messageCount: 0, bytes: 0 };
  counts.set('foreign', foreign);
  const times = createHistogram();
  let [aheadCount, unmeasuredCount] = [0, 0];

  function measure(data: Uint8Array, nowMs: number): void {
    const atMs = authoredMs(data);
    if (atMs === undefined || nowMs - atMs > oldestMs) {
      unmeasuredCount++;
      return;
    }
    if (nowMs < atMs) aheadCount++;
    times.record(nowMs - atMs);
  }

  return {
    note(messages, nowMs) {
      const step = Math.ceil(messages.length / maxMeasured);
      messages.forEach(({ subject, data }, at) => {
        const own = counts.get(subject.split('.', 2)[1] ?? '') ?? foreign;
        own.messageCount++;
        own.bytes += data.length;
        if (at % step === 0) measure(data, nowMs);
      });
    },
    figures() {
      const all = planes.map((plane) => ({ plane, ...(counts.get(plane) ?? foreign) }));
      return {
        messageCount: all.reduce((sum, one) => sum + one.messageCount, 0),
        bytes: all.reduce((sum, one) => sum + one.bytes, 0),
        planes: all,
        ...{ publishToDeliver: times.snapshot(), aheadCount, unmeasuredCount },
      };
    },
  };
}
