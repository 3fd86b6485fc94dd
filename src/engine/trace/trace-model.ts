/**
 * The waterfall of what was gathered of a trace (docs/spec/trace.md T2–T5).
 * Law: pure; whatever is claimed, every row stands once, below its cause if that is there, and a ring of causes is broken.
 */
import { visibleText } from '../../shared/base/visible-text.ts';
import type { TraceReport, TraceRow, TraceSegment } from '../../shared/contract/trace-contract.ts';
import { type ClockSkews, createClockSkews } from './clock-skew.ts';
import type { GatheredTrace, LiveSession } from './trace-gathering.ts';
import type { TraceRecord, TraceSaying } from './trace-record.ts';
import { type TracedTask, taskRow } from './trace-task.ts';

const maxDepth = 8;
const uuid7 = /^([0-9a-f]{8})-([0-9a-f]{4})-7[0-9a-f]{3}-/;

/** When an id was made, ms since the epoch (E1: version 7). */
function madeMs(id: string): number | undefined {
  const found = uuid7.exec(id);
  return found === null ? undefined : Number.parseInt(`${found[1]}${found[2]}`, 16);
}

type Said<K extends TraceSaying['kind']> = TraceRecord & { readonly saying: Extract<TraceSaying, { kind: K }> };
const isOf =
  <K extends TraceSaying['kind']>(kind: K) =>
  (record: TraceRecord): record is Said<K> =>
    record.saying.kind === kind;

/** Tasks by their ids: those that are here, and those that receipts and dead letters tell of. */
function tasksIn(records: readonly TraceRecord[]): Map<string, TracedTask> {
  const tasks = new Map<string, TracedTask>();
  const taskOf = (id: string, queue: string): TracedTask => {
    const task = tasks.get(id) ?? { id, queue, record: undefined, attempts: [], letters: [] };
    tasks.set(id, task);
    return task;
  };
  for (const record of records.filter(isOf('task'))) taskOf(record.envelope.id, record.saying.queue).record = record;
  for (const record of records.filter(isOf('attempt'))) {
    const { taskId, queue } = record.saying.receipt;
    taskOf(taskId, queue).attempts.push(record);
  }
  for (const record of records.filter(isOf('letter'))) {
    const { envelopeId, queue } = record.saying.letter;
    if (envelopeId !== null) taskOf(envelopeId, queue).letters.push(record);
  }
  for (const task of tasks.values())
    task.attempts.sort((a, b) => Date.parse(a.saying.receipt.startedAt) - Date.parse(b.saying.receipt.startedAt));
  return tasks;
}

/** A receipt or dead letter of another leaf than the task's does not count (W6). */
function withoutOtherLeaves(records: readonly TraceRecord[]): TraceRecord[] {
  const leaves = new Map(
    records.filter(isOf('task')).map(({ envelope, saying }): [string, string] => [envelope.id, saying.leaf]),
  );
  const isOther = ({ saying }: TraceRecord): boolean => {
    if (saying.kind !== 'attempt' && saying.kind !== 'letter') return false;
    const said = saying.kind === 'attempt' ? saying.receipt : saying.letter;
    const id = saying.kind === 'attempt' ? saying.receipt.taskId : saying.letter.envelopeId;
    const leaf = id === null ? undefined : leaves.get(id);
    return leaf !== undefined && leaf !== said.taskLeaf;
  };
  const why = 'It names another leaf than that of its task.';
  return records.map((record) => (isOther(record) ? { ...record, saying: { kind: 'refused', why } } : record));
}

function skewsOf(records: readonly TraceRecord[], tasks: ReadonlyMap<string, TracedTask>): ClockSkews {
  const skews = createClockSkews();
  for (const { envelope, storedMs, saidMs, saying } of records)
    if (storedMs !== null && saying.kind !== 'refused') skews.notAfter(envelope.agentid, saidMs, storedMs);
  for (const { record, attempts } of tasks.values()) {
    if (record?.storedMs == null) continue;
    for (const { envelope, saying } of attempts)
      skews.notBefore(envelope.agentid, Date.parse(saying.receipt.startedAt), record.storedMs);
  }
  return skews;
}

const titles = { letter: 'dead letter', request: 'asked', verdict: 'answered' } as const;

function titleOf({ saying, envelope }: TraceRecord): string {
  switch (saying.kind) {
    case 'attempt':
      return `attempt ${saying.receipt.attempt}`;
    case 'letter':
      return titles.letter;
    case 'request':
    case 'verdict':
      return visibleText(`${titles[saying.kind]}: ${saying.words}`);
    default:
      return visibleText(envelope.type);
  }
}

function targetOf({ saying, envelope, heardSeq, subject }: TraceRecord): TraceRow['target'] {
  if (saying.kind === 'attempt') return { kind: 'task', queue: saying.receipt.queue, taskId: saying.receipt.taskId };
  if (saying.kind === 'letter' && saying.letter.envelopeId !== null)
    return { kind: 'letter', taskId: saying.letter.envelopeId };
  if (saying.kind === 'request') return { kind: 'approval', requestId: envelope.id };
  if (saying.kind === 'verdict' && envelope.causationid !== undefined)
    return { kind: 'approval', requestId: envelope.causationid };
  if (saying.kind === 'task') return { kind: 'task', queue: saying.queue, taskId: envelope.id };
  if (heardSeq !== null) return { kind: 'message', seq: heardSeq };
  return subject.startsWith('vak.events.') ? { kind: 'session', session: subject.split('.')[3] ?? '' } : null;
}

/** What every row of a message has. */
function rowOf(record: TraceRecord, skews: ClockSkews): TraceRow {
  const { envelope, subject, storedMs, saidMs, spanId, saying } = record;
  const { id, agentid: peer, sessionid, source, seqnum, causationid } = envelope;
  const publishedMs = saidMs + skews.offsetMs(peer);
  const isRefused = saying.kind === 'refused';
  return {
    ...{ id, parentId: causationid ?? null, depth: 0, title: titleOf(record), segments: [], count: 1 },
    ...{ peer: visibleText(peer), session: sessionid ?? null, subject: visibleText(subject) },
    ...{ fromMs: publishedMs, toMs: publishedMs, publishedMs, storedMs, isInferred: false },
    ...{ source: visibleText(source), chainSeq: seqnum, spanId, target: targetOf(record) },
    kind: saying.kind === 'refused' ? 'message' : saying.kind,
    state: isRefused ? 'refused' : 'said',
    why: isRefused ? saying.why : null,
  };
}

function attemptRow(record: Said<'attempt'>, skews: ClockSkews): TraceRow {
  const { receipt } = record.saying;
  const offsetMs = skews.offsetMs(record.envelope.agentid);
  const fromMs = Date.parse(receipt.startedAt) + offsetMs;
  const toMs = Math.max(fromMs, Date.parse(receipt.endedAt) + offsetMs);
  const segments: TraceSegment[] = [{ kind: 'work', fromMs, toMs }];
  const state = receipt.outcome === 'done' ? 'done' : 'failed';
  const why = receipt.reason === undefined ? null : visibleText(receipt.reason);
  return { ...rowOf(record, skews), parentId: receipt.taskId, fromMs, toMs, segments, state, why };
}

function letterRow(record: Said<'letter'>, skews: ClockSkews): TraceRow {
  const { envelopeId, reason } = record.saying.letter;
  return { ...rowOf(record, skews), parentId: envelopeId, state: 'dead', why: visibleText(reason) };
}

function liveRow(
  { session, peer, fromMs, toMs, count }: LiveSession,
  tasks: ReadonlyMap<string, TracedTask>,
): TraceRow {
  const of = [...tasks.values()].filter(({ attempts }) =>
    attempts.some(({ saying }) => saying.receipt.session === session),
  );
  return {
    ...{
      id: session,
      kind: 'live',
      parentId: of.length === 1 ? (of[0]?.id ?? null) : null,
      depth: 0,
      title: 'told live',
      fromMs,
      toMs,
      count,
    },
    ...{ peer: visibleText(peer), session, subject: null, segments: [], state: 'said', why: null, isInferred: false },
    ...{ publishedMs: null, storedMs: null, source: null, chainSeq: null, spanId: null },
    target: { kind: 'session', session },
  };
}

/** Puts rows below their causes, by time; a ring of causes begins with whatever of it comes first. */
function inOrder(rows: readonly TraceRow[]): TraceRow[] {
  const byTime = rows.toSorted((a, b) => a.fromMs - b.fromMs || (a.id < b.id ? -1 : 1));
  const ids = new Set(rows.map(({ id }) => id));
  const below = new Map<string | null, TraceRow[]>();
  for (const row of byTime) {
    const parentId = row.parentId !== null && ids.has(row.parentId) && row.parentId !== row.id ? row.parentId : null;
    below.set(parentId, [...(below.get(parentId) ?? []), { ...row, parentId }]);
  }
  const [ordered, placed]: [TraceRow[], Set<string>] = [[], new Set()];
  function place(row: TraceRow, depth: number): void {
    const waiting = [{ row, depth }];
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      if (placed.has(next.row.id)) continue;
      placed.add(next.row.id);
      ordered.push({ ...next.row, depth: Math.min(next.depth, maxDepth) });
      const { id, depth: at } = { id: next.row.id, depth: next.depth };
      for (const child of (below.get(id) ?? []).toReversed()) waiting.push({ row: child, depth: at + 1 });
    }
  }
  for (const row of below.get(null) ?? []) place(row, 0);
  for (const row of byTime) if (!placed.has(row.id)) place({ ...row, parentId: null }, 0);
  return ordered;
}

/** One row an id: what counts rather than what is refused, what came first rather than what came later. */
function unique(rows: readonly TraceRow[]): TraceRow[] {
  const byId = new Map<string, TraceRow>();
  for (const row of rows) {
    const known = byId.get(row.id);
    if (known === undefined || (known.state === 'refused' && row.state !== 'refused')) byId.set(row.id, row);
    else byId.set(`${row.source}#${row.chainSeq}`, { ...row, id: `${row.source}#${row.chainSeq}` });
  }
  return [...byId.values()];
}

function spent(rows: readonly TraceRow[], kind: TraceSegment['kind'], nowMs: number): number {
  const segments = rows.filter((row) => row.kind === 'task').flatMap((row) => row.segments);
  return segments
    .filter((one) => one.kind === kind)
    .reduce((sum, { fromMs, toMs }) => sum + Math.max(0, (toMs ?? nowMs) - fromMs), 0);
}

/** The report of what was gathered, at a time. */
export function buildTrace(traceId: string, gathered: GatheredTrace, nowMs: number): TraceReport {
  const { live, searches, heardCount, isHeardWhole, leftOutCount } = gathered;
  const records = withoutOtherLeaves(gathered.records);
  const tasks = tasksIn(records);
  const skews = skewsOf(records, tasks);
  const toRow = (record: TraceRecord): TraceRow[] => {
    if (isOf('task')(record)) return [];
    if (isOf('attempt')(record)) return [attemptRow(record, skews)];
    return [isOf('letter')(record) ? letterRow(record, skews) : rowOf(record, skews)];
  };
  const rows = inOrder(
    unique([
      ...[...tasks.values()].map((task) => taskRow(task, { skews, rowOf, madeMs: madeMs(task.id), nowMs })),
      ...records.flatMap(toRow),
      ...live.map((one) => liveRow(one, tasks)),
    ]),
  );
  const ends = rows.flatMap(({ fromMs, toMs, storedMs }) => [fromMs, toMs ?? nowMs, storedMs ?? fromMs]);
  const bound = (pick: (a: number, b: number) => number): number =>
    ends.length === 0 ? nowMs : ends.reduce((a, b) => pick(a, b));
  return {
    ...{ traceId, rows, searches, heardCount, isHeardWhole, leftOutCount, readAtMs: nowMs },
    ...{ fromMs: bound(Math.min), toMs: bound(Math.max), skews: skews.all() },
    ...{ waitMs: spent(rows, 'wait', nowMs), workMs: spent(rows, 'work', nowMs) },
  };
}
