/**
 * The row of one task: when it waited, when somebody worked on it, what became of it (docs/spec/trace.md T2, T3, T5).
 * Law: waiting and working never overlap, and leave nothing between the publish and the end.
 */
import { visibleText } from '../../shared/base/visible-text.ts';
import type { TraceRow, TraceRowState, TraceSegment } from '../../shared/contract/trace-contract.ts';
import type { ClockSkews } from './clock-skew.ts';
import type { TraceRecord, TraceSaying } from './trace-record.ts';

type Said<K extends TraceSaying['kind']> = TraceRecord & { readonly saying: Extract<TraceSaying, { kind: K }> };

export interface TracedTask {
  readonly id: string;
  readonly queue: string;
  /** Undefined: it is not here any more, others tell of it. */
  record: Said<'task'> | undefined;
  /** In the order in which they began. */
  readonly attempts: Said<'attempt'>[];
  readonly letters: Said<'letter'>[];
}

export interface TaskRowParts {
  readonly skews: ClockSkews;
  readonly rowOf: (record: TraceRecord, skews: ClockSkews) => TraceRow;
  /** When its id was made; undefined: that does not say. */
  readonly madeMs: number | undefined;
  readonly nowMs: number;
}

interface Ending {
  readonly state: TraceRowState;
  /** Null: it goes on. */
  readonly atMs: number | null;
  readonly why: string | null;
}

function endingOf({ attempts, letters }: TracedTask, skews: ClockSkews): Ending {
  const done = attempts.find(({ saying }) => saying.receipt.outcome === 'done');
  const [letter] = letters;
  const letterMs =
    letter === undefined
      ? undefined
      : Date.parse(letter.saying.letter.failedAt) + skews.offsetMs(letter.envelope.agentid);
  if (done !== undefined) {
    const atMs = Date.parse(done.saying.receipt.endedAt) + skews.offsetMs(done.envelope.agentid);
    return { state: letterMs !== undefined && letterMs < atMs ? 'late' : 'done', atMs, why: null };
  }
  if (letter !== undefined && letterMs !== undefined)
    return { state: 'dead', atMs: letterMs, why: visibleText(letter.saying.letter.reason) };
  return { state: 'waiting', atMs: null, why: null };
}

/** Waits and works in turn, from the publish to the end; attempts that overlap count once. */
function segmentsOf(
  { attempts }: TracedTask,
  skews: ClockSkews,
  span: { fromMs: number; toMs: number | null },
): TraceSegment[] {
  const segments: TraceSegment[] = [];
  let atMs = span.fromMs;
  for (const { envelope, saying } of attempts) {
    const offsetMs = skews.offsetMs(envelope.agentid);
    const begunMs = Math.max(atMs, Date.parse(saying.receipt.startedAt) + offsetMs);
    const endedMs = Date.parse(saying.receipt.endedAt) + offsetMs;
    if (endedMs <= atMs) continue;
    if (begunMs > atMs) segments.push({ kind: 'wait', fromMs: atMs, toMs: begunMs });
    segments.push({ kind: 'work', fromMs: begunMs, toMs: Math.max(begunMs, endedMs) });
    atMs = Math.max(begunMs, endedMs);
  }
  if (span.toMs === null || span.toMs > atMs) segments.push({ kind: 'wait', fromMs: atMs, toMs: span.toMs });
  return segments;
}

/** What stands for a task that is known by what others say of it. */
function inferred({ id, queue, attempts, letters }: TracedTask, { skews, madeMs, nowMs }: TaskRowParts): TraceRow {
  const told = [
    ...attempts.map(({ envelope, saying }) => Date.parse(saying.receipt.startedAt) + skews.offsetMs(envelope.agentid)),
    ...letters.map(({ envelope, saying }) => Date.parse(saying.letter.failedAt) + skews.offsetMs(envelope.agentid)),
  ];
  const earliest = Math.min(nowMs, ...told);
  const fromMs = Math.min(madeMs ?? earliest, earliest);
  return {
    ...{ id, kind: 'task', parentId: null, depth: 0, title: '', segments: [], count: 1, isInferred: true },
    ...{ peer: null, session: null, subject: null, fromMs, toMs: fromMs, publishedMs: null, storedMs: null },
    ...{ source: null, chainSeq: null, spanId: null, state: 'said', why: null },
    target: { kind: 'task', queue, taskId: id },
  };
}

/** The row of a task. */
export function taskRow(task: TracedTask, parts: TaskRowParts): TraceRow {
  const { record, queue } = task;
  const { skews } = parts;
  const row = record === undefined ? inferred(task, parts) : parts.rowOf(record, skews);
  const { state, atMs, why } = endingOf(task, skews);
  const toMs = atMs === null ? null : Math.max(row.fromMs, atMs);
  const segments = segmentsOf(task, skews, { fromMs: row.fromMs, toMs });
  return { ...row, kind: 'task', title: `task of ${visibleText(queue)}`, toMs, segments, state, why };
}
