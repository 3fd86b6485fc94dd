/** What is wrong now, from the snapshots. Pure. Law: nothing is listed that is not in them. */
import type { ConnectionsState } from '../../../shared/contract/connections-contract.ts';
import type { Incident, OperationsState } from '../../../shared/contract/operations-contract.ts';
import type { ProvisioningState } from '../../../shared/contract/provisioning-contract.ts';
import type { QueuesState } from '../../../shared/contract/queues-contract.ts';
import type { QuarantineState, StreamsStatus } from '../../../shared/contract/streams-contract.ts';
import type { SwarmState } from '../../../shared/contract/swarm-contract.ts';
import type { RefusalReason } from '../../../shared/contract/trust-report.ts';
import { storeFault } from '../../ui/connection-words.ts';
import { formatCount, formatDuration } from '../../ui/format.ts';
import { refusalWords } from '../../ui/refusal-words.ts';
import { keptOutWords } from '../../ui/swarm-words.ts';

/** What there is to look at. */
export type ProblemPlace =
  | { readonly kind: 'session'; readonly session: string }
  | { readonly kind: 'queue'; readonly queue: string }
  /** Dead letters, as their filter finds them. */
  | { readonly kind: 'letters'; readonly filter: string }
  | {
      readonly kind:
        | 'dropped'
        | 'outage'
        | 'quarantine'
        | 'connections'
        | 'queues'
        | 'approvals'
        | 'access'
        | 'records';
    };

export interface Problem {
  /** Stable while the problem lasts. */
  readonly id: string;
  /** `bad`: something has failed. `wait`: something was lost or waits. */
  readonly tone: 'bad' | 'wait';
  readonly title: string;
  readonly why: string;
  /** What to do; null: the place says it. */
  readonly next: string | null;
  /** When it happened last, or since when it stands; null: it cannot be told. */
  readonly atMs: number | null;
  /** When it happened first. */
  readonly firstMs: number | null;
  readonly place: ProblemPlace;
  /** A past event can be acknowledged as it is (`mark`); a condition stands `until` it is over, whoever has read of it. */
  readonly lasting:
    | { readonly kind: 'event'; readonly mark: string }
    | { readonly kind: 'standing'; readonly until: string };
  /** The engine's incident, which it acknowledges and mutes itself; null: only this window knows of it. */
  readonly incident: Incident | null;
}

const sentence = (text: string): string => (/[.!?]$/.test(text) ? text : `${text}.`);
const event = (mark: string | number): Problem['lasting'] => ({ kind: 'event', mark: String(mark) });
const standing = (until: string): Problem['lasting'] => ({ kind: 'standing', until });
const ofWindow = { next: null, firstMs: null, incident: null } as const;

/** What the snapshots say; a part is missing until its first value came. */
export interface ProblemSources {
  readonly flow: StreamsStatus | undefined;
  readonly swarm: SwarmState | undefined;
  readonly quarantine: QuarantineState | undefined;
  readonly connection: ConnectionsState | undefined;
  readonly provisioning: ProvisioningState | undefined;
  readonly work: OperationsState | undefined;
  readonly queues: QueuesState | undefined;
}

const messages = (count: number): string => `${formatCount(count)} ${count === 1 ? 'message' : 'messages'}`;

function deathsOf(swarm: SwarmState | undefined): readonly Problem[] {
  return (swarm?.workers ?? []).flatMap(({ peer, session, death }): Problem[] => {
    if (death === null) return [];
    const { reason: why, atMs } = death;
    const place = { kind: 'session', session } as const;
    const base = { id: `death ${session}`, tone: 'bad', title: `${peer} died`, place } as const;
    return [{ ...ofWindow, ...base, why, atMs, lasting: event(atMs) }];
  });
}

/** What keeps the swarm from its work, while it should work. */
function swarmProblems(swarm: SwarmState | undefined): readonly Problem[] {
  if (swarm === undefined || swarm.state === 'stopped') return [];
  const { problem, coordinator, keptOut, queue } = swarm;
  const base = { ...ofWindow, tone: 'wait', atMs: null, place: { kind: 'queue', queue } } as const;
  const problems: Problem[] = [];
  if (problem !== null) {
    const title = 'Workers that die are not replaced';
    problems.push({ ...base, id: 'swarm', title, why: sentence(problem), lasting: standing('stands until they are') });
  }
  if (keptOut !== null) {
    const count = keptOut.peers.length;
    problems.push({
      ...{ ...base, id: 'kept-out', tone: 'bad', place: { kind: 'access' } },
      title: `The server does not let in ${formatCount(count)} ${count === 1 ? 'peer' : 'peers'} of the local swarm`,
      why: keptOutWords(keptOut),
      lasting: standing('stands until they are let in'),
    });
  }
  if (coordinator.kind === 'failed') {
    problems.push({
      ...{ ...base, id: 'coordinator', title: 'The local swarm enqueues nothing' },
      why: sentence(coordinator.why ?? 'Its coordinator has failed'),
      lasting: standing('stands until it does'),
    });
  }
  return problems;
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
      ...ofWindow,
      id: 'refused',
      tone: 'bad',
      title: `${messages(quarantine.refusedCount)} refused since the start`,
      why: reasonCounts(quarantine),
      atMs: quarantine.recent[0]?.atMs ?? null,
      place: { kind: 'quarantine' },
      lasting: event(quarantine.refusedCount),
    },
  ];
}

function dropsOf(flow: StreamsStatus | undefined): readonly Problem[] {
  const dropped = flow?.droppedCount ?? 0;
  if (dropped === 0) return [];
  return [
    {
      ...ofWindow,
      id: 'drops',
      tone: 'wait',
      title: `${messages(dropped)} dropped since the start`,
      why: 'More came than a bounded subscription or this window could take, or there was no connection to send them.',
      atMs: null,
      place: { kind: 'dropped' },
      lasting: event(dropped),
    },
  ];
}

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
  const base = { ...ofWindow, place: { kind: 'connections' }, tone: 'bad', atMs: null } as const;
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
      ...{ ...ofWindow, id: 'outage', tone: 'wait', title, place: { kind: 'outage' } },
      ...{ atMs: last.toMs, lasting: event(last.fromMs) },
      why: `${over.length === 1 ? 'It' : 'The last one'} took ${took}. What passed on the bus meanwhile is not here.`,
    },
  ];
}

/** The connection that is lost, by since when, and the change of it that failed last. */
function connectionProblems(connection: ConnectionsState | undefined): readonly Problem[] {
  if (connection === undefined) return [];
  const { status, staleSinceMs, current, problem } = connection;
  const base = { ...ofWindow, place: { kind: 'connections' } } as const;
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

/** A server that nobody has made ready for this workspace. */
function lackingOf(provisioning: ProvisioningState | undefined, connection: ConnectionsState | undefined) {
  const lacking = provisioning?.lacking ?? [];
  if (lacking.length === 0) return [];
  const what = `${formatCount(lacking.length)} ${lacking.length === 1 ? 'stream' : 'streams'}`;
  const problem: Problem = {
    ...{
      ...ofWindow,
      id: 'streams',
      tone: 'bad',
      title: `${connection?.current ?? 'The server'} lacks ${what} of this workspace`,
    },
    why: 'What belongs into them cannot be stored: tasks, receipts, approvals.',
    next: 'Create the streams there, or have it done with vak provision by whoever runs the server.',
    ...{ atMs: null, place: { kind: 'connections' }, lasting: standing('stands until they are made') },
  };
  return [problem];
}

/** Why the queues are not what is shown of them, though there is a connection. */
function unreadOf(queues: QueuesState | undefined, connection: ConnectionsState | undefined): readonly Problem[] {
  if (queues === undefined || queues.problem === null || connection?.status.kind !== 'connected') return [];
  return [
    {
      ...{ ...ofWindow, id: 'unread', tone: 'wait', title: 'The queues cannot be read', atMs: queues.readAtMs },
      why: `${sentence(queues.problem.message)} What is shown of them may be old.`,
      place: { kind: 'queues' },
      lasting: standing('stands until they can be read'),
    },
  ];
}

/** Dead letters are looked into where they are; an incident of one class of them names it behind its queue. */
function placeOf({ id, kind, queue, place }: Incident): ProblemPlace {
  if (kind !== 'dead-letters' || queue === null) return place;
  const errorClass = id.split(':').slice(2).join(':');
  const isApart = errorClass !== '' && errorClass !== '*' && !/[\s"]/.test(errorClass);
  return { kind: 'letters', filter: `queue:${queue}${isApart ? ` error:${errorClass}` : ''}` };
}

function incidentProblem(incident: Incident): Problem {
  const { id, tone, title, why, next, firstMs, lastMs, isStanding } = incident;
  const place = placeOf(incident);
  return {
    ...{ id: `incident ${id}`, tone, title, why, next, place, firstMs: isStanding ? null : firstMs },
    atMs: isStanding ? firstMs : lastMs,
    lasting: isStanding ? standing('stands until it is over') : event(`${lastMs} ${incident.count}`),
    incident,
  };
}

/** Whether somebody has acknowledged it as it is. */
export function isAcknowledged(
  { id, lasting, incident }: Problem,
  acknowledged: Readonly<Record<string, string>>,
): boolean {
  if (incident !== null) return incident.acknowledged !== null;
  return lasting.kind === 'event' && acknowledged[id] === lasting.mark;
}

/** What is the worst comes first; what is of one rank is told by when it began, so that nothing jumps while it goes on. */
const ranks =
  'lost refused-record refused-approval denied refused supervisor kept-out death dead-letters swarm coordinator stuck no-consumer age lag drops'.split(
    ' ',
  );

/** What it is of: the kind of its incident, or what this window calls it. */
export const kindOf = ({ id, incident }: Problem): string => incident?.kind ?? id.replace(/ .*/, '');
const rankOf = (problem: Problem): number => ranks.indexOf(kindOf(problem));

/** When it happened first, or since when it stands, ms since the epoch; 0: it cannot be told. */
export const beganMs = ({ atMs, firstMs }: Problem): number => firstMs ?? atMs ?? 0;

/** What is wrong with the connection first, since it decides what else is seen; then the worst, then what began last. */
export function findProblems(sources: ProblemSources): readonly Problem[] {
  const { flow, swarm, quarantine, connection, provisioning, work, queues } = sources;
  const others = [
    ...(work?.incidents ?? []).map(incidentProblem),
    ...deathsOf(swarm),
    ...swarmProblems(swarm),
    ...refusalsOf(quarantine),
    ...dropsOf(flow),
  ];
  const byRank = others.sort((a, b) => rankOf(a) - rankOf(b) || beganMs(b) - beganMs(a) || (a.id < b.id ? -1 : 1));
  return [
    ...connectionProblems(connection),
    ...lackingOf(provisioning, connection),
    ...unreadOf(queues, connection),
    ...byRank,
  ];
}
