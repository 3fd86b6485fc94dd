/**
 * One session as it is looked at: its feed becomes terminal text, what its model said, two series and a list of tasks, at one time.
 * Law: credits go back only when the terminal has taken the text and the frame is painted; nothing here grows without bound.
 */
import type { VakError } from '../../../shared/base/vak-error.ts';
import type { AppContract } from '../../../shared/contract/app-contract.ts';
import type { SessionFrame } from '../../../shared/contract/streams-contract.ts';
import type { OpenFeed } from '../../bridge/client.ts';
import { createPaintedFeed, type PaintDeps } from '../../state/painted-feed.ts';
import { maxMoments } from './session-moments.ts';
import {
  readStatus,
  readTelemetry,
  readTerminal,
  readTokens,
  type StatusChange,
  type TelemetryPoint,
  type TerminalChunk,
  type TokenDelta,
} from './session-payloads.ts';
import { createTaskLog, type TaskRow } from './task-log.ts';
import { appendPoints, emptySeries, type TelemetrySeries } from './telemetry-series.ts';
import { createTerminalReplay, type TerminalSink } from './terminal-replay.ts';
import { createTerminalText, taskBoundary } from './terminal-text.ts';
import { createTokenLog, type TokenLog } from './token-log.ts';

export interface SessionModel {
  readonly series: TelemetrySeries;
  /** As they stand now; `tasksAt` says how they stood at the cursor. */
  readonly tasks: readonly TaskRow[];
  readonly tokens: Pick<TokenLog, 'count' | 'read'>;
  /** The time that is shown, ms since the epoch; undefined: now, and what comes. */
  readonly cursorMs: number | undefined;
  /** Times of its events, in order; the newest of them. */
  readonly moments: readonly number[];
  /** Terminal output that cannot be shown at an earlier time any more, UTF-16 units. */
  readonly forgottenOutput: number;
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
  /** Shows everything as it was at a time; undefined: as it is. */
  setCursor(atMs: number | undefined): void;
  setShown(isShown: boolean): void;
  dispose(): void;
}

export interface SessionModelDeps extends PaintDeps {
  readonly session: string;
  readonly openFeed: OpenFeed<AppContract>;
  readonly terminal: TerminalSink;
  /** How far the charts reach back now, ms. */
  readonly seriesSpanMs: () => number;
  readonly cursorMs?: number | undefined;
}

type Reading =
  | { readonly kind: 'output'; readonly chunk: TerminalChunk }
  | { readonly kind: 'tokens'; readonly delta: TokenDelta }
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
    case 'vak.events.tokens': {
      const delta = readTokens(payload);
      return delta === undefined ? { kind: 'unreadable' } : { kind: 'tokens', delta };
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

/** What the messages of a session come to. */
interface Account {
  readonly tokens: TokenLog;
  readonly tasks: ReturnType<typeof createTaskLog>;
  readonly moments: number[];
  readonly missingBytes: number;
  hasOutput: boolean;
  unreadableCount: number;
  /** Takes one message; gives the terminal's text for it, and its figures. */
  take(item: SessionFrame['items'][number]): { readonly output?: string; readonly point?: TelemetryPoint };
}

function createAccount(): Account {
  const text = createTerminalText();
  const tasks = createTaskLog();
  const tokens = createTokenLog();
  const moments: number[] = [];
  function note(atMs: number): void {
    const newest = moments.at(-1) ?? 0;
    if (atMs > newest) moments.push(atMs);
    if (moments.length > maxMoments) moments.splice(0, maxMoments / 4);
  }
  return {
    ...{ tokens, tasks, moments, hasOutput: false, unreadableCount: 0 },
    get missingBytes() {
      return text.missingBytes;
    },
    take(item) {
      const reading = readItem(item);
      if (reading.kind !== 'telemetry' && reading.kind !== 'other') note(item.atMs);
      switch (reading.kind) {
        case 'output':
          this.hasOutput = true;
          return { output: text.take(reading.chunk) };
        case 'tokens':
          tokens.add(reading.delta, item.atMs);
          return {};
        case 'telemetry':
          return { point: reading.point };
        case 'status':
          tasks.add(reading.change, item.atMs);
          return reading.change.taskId === undefined ? {} : { output: taskBoundary };
        case 'unreadable':
          this.unreadableCount++;
          return {};
        case 'other':
          return {};
      }
    },
  };
}

/** Creates the model and opens its feed. */
export function createSessionModel(deps: SessionModelDeps): SessionModel {
  const { session, openFeed, frameClock, afterPaint, terminal, seriesSpanMs } = deps;
  const account = createAccount();
  const replay = createTerminalReplay(terminal, () => feed.touch());
  let { cursorMs } = deps;
  let series = emptySeries;
  let scannedSeq = 0;
  let droppedCount = 0;
  let refusedCount = 0;
  // Text that the terminal has not taken yet is not on screen.
  const isTaken = (): boolean => replay.isTaken;
  const feed = createPaintedFeed<SessionFrame>({ frameClock, afterPaint, isShown: true, isTaken, onFrame });

  function onFrame(frame: SessionFrame): void {
    const points: (TelemetryPoint & { readonly atMs: number })[] = [];
    for (const item of frame.items) {
      const { output = '', point } = account.take(item);
      replay.add(output, item.atMs);
      if (point !== undefined) points.push({ ...point, atMs: item.atMs });
    }
    if (points.length > 0) series = appendPoints(series, points, seriesSpanMs());
    droppedCount += frame.dropped;
    refusedCount += frame.refused;
    scannedSeq = Math.max(scannedSeq, frame.scannedSeq);
    replay.show(cursorMs);
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
      return account.tasks.rows;
    },
    tokens: account.tokens,
    moments: account.moments,
    get cursorMs() {
      return cursorMs;
    },
    get forgottenOutput() {
      return replay.forgottenLength;
    },
    get forgottenTasks() {
      return account.tasks.forgottenCount;
    },
    get missingBytes() {
      return account.missingBytes;
    },
    get hasOutput() {
      return account.hasOutput;
    },
    get droppedCount() {
      return droppedCount;
    },
    get refusedCount() {
      return refusedCount;
    },
    get unreadableCount() {
      return account.unreadableCount;
    },
    get error() {
      return feed.error;
    },
    subscribe: feed.subscribe,
    getVersion: feed.getVersion,
    retry: () => start(scannedSeq === 0 ? 0 : scannedSeq + 1),
    setCursor(atMs) {
      if (atMs === cursorMs) return;
      cursorMs = atMs;
      replay.show(atMs);
      feed.touch();
    },
    setShown: feed.setShown,
    dispose: feed.dispose,
  };
}
