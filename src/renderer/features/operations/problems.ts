/** What is wrong now, from the snapshots. Pure. Law: nothing is listed that is not in them. */
import type { ConnectionsState } from '../../../shared/contract/connections-contract.ts';
import type { QuarantineState, StreamsStatus } from '../../../shared/contract/streams-contract.ts';
import type { SwarmState } from '../../../shared/contract/swarm-contract.ts';
import type { RefusalReason } from '../../../shared/contract/trust-report.ts';
import { storeFault } from '../../ui/connection-words.ts';
import { formatCount, formatDuration } from '../../ui/format.ts';
import { refusalWords } from '../../ui/refusal-words.ts';

export interface Problem {
  /** Stable while the problem lasts. */
  readonly id: string;
  /** `bad`: something has failed. `wait`: something was lost or waits. */
  readonly tone: 'bad' | 'wait';
  readonly title: string;
  readonly why: string;
  /** When it happened; null: it lasts or cannot be told. */
  readonly atMs: number | null;
  /** Session that shows what happened. */
  readonly session: string | null;
  /** What there is to look at. */
  readonly place: 'session' | 'dropped' | 'outage' | 'quarantine' | 'connections';
  /** A past event can be acknowledged as it is (`mark`); a condition stands `until` it is over, whoever has read of it. */
  readonly lasting:
    | { readonly kind: 'event'; readonly mark: string }
    | { readonly kind: 'standing'; readonly until: string };
}

const event = (mark: string | number): Problem['lasting'] => ({ kind: 'event', mark: String(mark) });
const standing = (until: string): Problem['lasting'] => ({ kind: 'standing', until });

/** What the snapshots say; a part is missing until its first value came. */
export interface ProblemSources {
  readonly flow: StreamsStatus | undefined;
  readonly swarm: SwarmState | undefined;
  readonly quarantine: QuarantineState | undefined;
  readonly connection: ConnectionsState | undefined;
}

const messages = (count: number): string => `${formatCount(count)} ${count === 1 ? 'message' : 'messages'}`;

function deathsOf(swarm: SwarmState | undefined): readonly Problem[] {
  return (swarm?.workers ?? []).flatMap(({ peer, session, death }): Problem[] => {
    if (death === null) return [];
    const { reason: why, atMs } = death;
    const lasting = event(atMs);
    return [
      { id: `death ${session}`, tone: 'bad', title: `${peer} died`, why, atMs, session, place: 'session', lasting },
    ];
  });
}

/** `3 invalid signature · 1 sent plain`: the most frequent first. */
function reasonCounts({ countByReason }: Pick<QuarantineState, 'countByReason'>): string {
  return (Object.entries(countByReason) as [RefusalReason, number][])
    .filter(([, count]) => count > 0)
    .sort((a, b) => b[1] - a[1])
    .map(([reason, count]) => `${formatCount(count)} ${refusalWords[reason]}`)
    .join(' · ');
}

function refusalsOf(quarantine: QuarantineState | undefined): readonly Problem[] {
  if (quarantine === undefined || quarantine.refusedCount === 0) return [];
  return [
    {
      id: 'refused',
      tone: 'bad',
      title: `${messages(quarantine.refusedCount)} refused since the start`,
      why: reasonCounts(quarantine),
      atMs: quarantine.recent[0]?.atMs ?? null,
      session: null,
      place: 'quarantine',
      lasting: event(quarantine.refusedCount),
    },
  ];
}

function dropsOf(flow: StreamsStatus | undefined): readonly Problem[] {
  const dropped = flow?.droppedCount ?? 0;
  if (dropped === 0) return [];
  return [
    {
      id: 'drops',
      tone: 'wait',
      title: `${messages(dropped)} dropped since the start`,
      why: 'More came than a bounded subscription or this window could take, or there was no connection to send them.',
      atMs: null,
      session: null,
      place: 'dropped',
      lasting: event(dropped),
    },
  ];
}

const sentence = (text: string): string => (/[.!?]$/.test(text) ? text : `${text}.`);

/** Why the connection in use is none, as far as it is known. */
function lossWords({ status }: ConnectionsState): string {
  switch (status.kind) {
    case 'closed':
      return `${sentence(status.error?.message ?? 'It was closed')} Use it again, or another one.`;
    case 'reconnecting':
      return `${sentence(status.error?.message ?? 'The server cannot be reached')} It is tried again by itself (attempt ${formatCount(status.attempt)}).`;
    case 'stale':
      return 'The server does not answer in time; what is shown may be old.';
    case 'connecting':
    case 'connected':
      return 'What is shown may be old.';
  }
}

/** A store that takes nothing any more, and an outbox that cannot be used. */
function storeProblems(connection: ConnectionsState): readonly Problem[] {
  const base = { session: null, place: 'connections', tone: 'bad', atMs: null } as const;
  const lasting = standing('stands until it is repaired');
  const { outbox } = connection;
  const fault = storeFault(connection);
  const problems: Problem[] = [];
  if (fault !== undefined) {
    problems.push({ ...base, lasting, id: 'store', title: 'The store is read-only', why: sentence(fault) });
  }
  if (outbox !== null && outbox.problem !== null) {
    problems.push({
      ...base,
      lasting,
      id: 'outbox',
      title: 'The outbox is damaged or full',
      why: sentence(outbox.problem.message),
    });
  }
  return problems;
}

/** Outages that are over: what passed meanwhile is missing, and stays so. */
function outagesOf({ outages }: ConnectionsState): readonly Problem[] {
  const over = outages.flatMap(({ fromMs, toMs }) => (toMs === null ? [] : [{ fromMs, toMs }]));
  const last = over.at(-1);
  if (last === undefined) return [];
  const took = formatDuration(Math.max(0, last.toMs - last.fromMs));
  const title =
    over.length === 1 ? 'The connection was lost for a time' : `${formatCount(over.length)} outages are over`;
  return [
    {
      ...{
        id: 'outage',
        tone: 'wait',
        title,
        session: null,
        place: 'outage',
        atMs: last.toMs,
        lasting: event(last.fromMs),
      },
      why: `${over.length === 1 ? 'It' : 'The last one'} took ${took}. What passed on the bus meanwhile is not here.`,
    },
  ];
}

/** The connection that is lost, by since when, and the change of it that failed last. */
function connectionProblems(connection: ConnectionsState | undefined): readonly Problem[] {
  if (connection === undefined) return [];
  const { status, staleSinceMs, current, problem } = connection;
  const base = { session: null, place: 'connections' } as const;
  const problems: Problem[] = [];
  const isLost = status.kind === 'reconnecting' || status.kind === 'closed';
  if (isLost || staleSinceMs !== null) {
    problems.push({
      ...base,
      id: 'connection',
      tone: isLost ? 'bad' : 'wait',
      title: isLost ? `Not connected to ${current}` : `${current} is stale`,
      why: lossWords(connection),
      atMs: staleSinceMs ?? status.sinceMs,
      lasting: standing(status.kind === 'closed' ? 'stands until one is used' : 'stands until it is back'),
    });
  }
  if (problem !== null) {
    const why = `${sentence(problem.message)} The connection before it stays in use.`;
    problems.push({
      ...base,
      id: 'connection-change',
      tone: 'bad',
      title: 'The connection could not be changed',
      why,
      atMs: null,
      lasting: event(problem.message),
    });
  }
  return [...problems, ...storeProblems(connection), ...outagesOf(connection)];
}

/** Those that nobody has acknowledged as they are. */
export function unacknowledged(
  problems: readonly Problem[],
  acknowledged: Readonly<Record<string, string>>,
): readonly Problem[] {
  return problems.filter(({ id, lasting }) => lasting.kind === 'standing' || acknowledged[id] !== lasting.mark);
}

/** What is wrong with the connection first, since it decides what else is seen; then the worst, then the latest. */
export function findProblems({ flow, swarm, quarantine, connection }: ProblemSources): readonly Problem[] {
  const failures = [...deathsOf(swarm), ...refusalsOf(quarantine)];
  return [
    ...connectionProblems(connection),
    ...failures.sort((a, b) => (b.atMs ?? 0) - (a.atMs ?? 0)),
    ...dropsOf(flow),
  ];
}
