/**
 * One session as it is looked at: its feed becomes terminal text, two series and a list of tasks.
 * Law: credits go back only when the terminal has taken the text and the frame is painted; nothing here grows without bound.
 */
import type { VakError } from '../../../shared/base/vak-error.ts';
import type { AppContract } from '../../../shared/contract/app-contract.ts';
import type { SessionFrame } from '../../../shared/contract/streams-contract.ts';
import type { OpenFeed } from '../../bridge/client.ts';
import { createPaintedFeed, type PaintDeps } from '../../state/painted-feed.ts';
import {
  readStatus,
  readTelemetry,
  readTerminal,
  type StatusChange,
  type TelemetryPoint,
  type TerminalChunk,
} from './session-payloads.ts';
import { createTaskLog, type TaskRow } from './task-log.ts';
import { appendPoints, emptySeries, type TelemetrySeries } from './telemetry-series.ts';
import { createTerminalText, taskBoundary } from './terminal-text.ts';

/** Takes the terminal's text; calls `onTaken` when it has been parsed. */
export interface TerminalSink {
  write(text: string, onTaken: () => void): void;
}

export interface SessionModel {
  readonly series: TelemetrySeries;
  readonly tasks: readonly TaskRow[];
  readonly forgottenTasks: number;
  /** Terminal bytes that never came. */
  readonly missingBytes: number;
  /** Whether the terminal was given anything. */
  readonly hasOutput: boolean;
  /** Messages of any session that the feed lost. */
  readonly droppedCount: number;
  /** Messages on the session's subjects that broke the policy. */
  readonly refusedCount: number;
  /** Messages of the session whose payload does not fit its type. */
  readonly unreadableCount: number;
  readonly error: VakError | undefined;
  subscribe(listener: () => void): () => void;
  getVersion(): number;
  /** Opens the feed again behind the last message, after an error. */
  retry(): void;
  setShown(isShown: boolean): void;
  dispose(): void;
}

export interface SessionModelDeps extends PaintDeps {
  readonly session: string;
  readonly openFeed: OpenFeed<AppContract>;
  readonly terminal: TerminalSink;
  /** How far the charts reach back now, ms. */
  readonly seriesSpanMs: () => number;
}

type Reading =
  | { readonly kind: 'output'; readonly chunk: TerminalChunk }
  | { readonly kind: 'telemetry'; readonly point: TelemetryPoint }
  | { readonly kind: 'status'; readonly change: StatusChange }
  | { readonly kind: 'unreadable' }
  | { readonly kind: 'other' };

/** What one message is for; types that this view does not show are `other`. */
function readItem({ type, payload }: SessionFrame['items'][number]): Reading {
  switch (type) {
    case 'vak.events.terminal': {
      const chunk = readTerminal(payload);
      return chunk === undefined ? { kind: 'unreadable' } : { kind: 'output', chunk };
    }
    case 'vak.events.telemetry': {
      const point = readTelemetry(payload);
      return point === undefined ? { kind: 'unreadable' } : { kind: 'telemetry', point };
    }
    case 'vak.events.status': {
      const change = readStatus(payload);
      return change === undefined ? { kind: 'unreadable' } : { kind: 'status', change };
    }
    default:
      return { kind: 'other' };
  }
}

/** Creates the model and opens its feed. */
export function createSessionModel({
  session,
  openFeed,
  frameClock,
  afterPaint,
  terminal,
  seriesSpanMs,
}: SessionModelDeps): SessionModel {
  const text = createTerminalText();
  const log = createTaskLog();
  let series = emptySeries;
  let untaken = 0;
  let scannedSeq = 0;
  let droppedCount = 0;
  let refusedCount = 0;
  let unreadableCount = 0;
  let hasOutput = false;
  // Text that the terminal has not taken yet is not on screen.
  const isTaken = (): boolean => untaken === 0;
  const feed = createPaintedFeed<SessionFrame>({ frameClock, afterPaint, isShown: true, isTaken, onFrame });

  function write(output: string): void {
    if (output === '') return;
    hasOutput ||= output !== taskBoundary;
    untaken++;
    terminal.write(output, () => {
      untaken--;
      feed.touch();
    });
  }
  function onFrame(frame: SessionFrame): void {
    const points: (TelemetryPoint & { readonly atMs: number })[] = [];
    let output = '';
    for (const item of frame.items) {
      const reading = readItem(item);
      switch (reading.kind) {
        case 'output':
          output += text.take(reading.chunk);
          break;
        case 'telemetry':
          points.push({ ...reading.point, atMs: item.atMs });
          break;
        case 'status':
          log.add(reading.change, item.atMs);
          if (reading.change.taskId !== undefined) output += taskBoundary;
          break;
        case 'unreadable':
          unreadableCount++;
          break;
        case 'other':
          break;
      }
    }
    if (points.length > 0) series = appendPoints(series, points, seriesSpanMs());
    droppedCount += frame.dropped;
    refusedCount += frame.refused;
    scannedSeq = Math.max(scannedSeq, frame.scannedSeq);
    write(output);
    feed.owe();
  }
  function start(fromSeq: number): void {
    feed.start((handlers) => openFeed('streams.session', { session, fromSeq }, handlers));
  }
  start(0);

  return {
    get series() {
      return series;
    },
    get tasks() {
      return log.rows;
    },
    get forgottenTasks() {
      return log.forgottenCount;
    },
    get missingBytes() {
      return text.missingBytes;
    },
    get hasOutput() {
      return hasOutput;
    },
    get droppedCount() {
      return droppedCount;
    },
    get refusedCount() {
      return refusedCount;
    },
    get unreadableCount() {
      return unreadableCount;
    },
    get error() {
      return feed.error;
    },
    subscribe: feed.subscribe,
    getVersion: feed.getVersion,
    retry: () => start(scannedSeq === 0 ? 0 : scannedSeq + 1),
    setShown: feed.setShown,
    dispose: feed.dispose,
  };
}
