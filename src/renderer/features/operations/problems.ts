/** What is wrong now, from the snapshots. Pure. Law: nothing is listed that is not in them. */
import type { QuarantineState, StreamsStatus } from '../../../shared/contract/streams-contract.ts';
import type { SwarmState } from '../../../shared/contract/swarm-contract.ts';
import type { RefusalReason } from '../../../shared/contract/trust-report.ts';
import { formatCount } from '../../ui/format.ts';
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
  readonly place: 'session' | 'streams' | 'quarantine';
}

/** What the snapshots say; a part is missing until its first value came. */
export interface ProblemSources {
  readonly flow: StreamsStatus | undefined;
  readonly swarm: SwarmState | undefined;
  readonly quarantine: QuarantineState | undefined;
}

const messages = (count: number): string => `${formatCount(count)} ${count === 1 ? 'message' : 'messages'}`;

function deathsOf(swarm: SwarmState | undefined): readonly Problem[] {
  return (swarm?.workers ?? []).flatMap(({ peer, session, death }): Problem[] => {
    if (death === null) return [];
    const { reason: why, atMs } = death;
    return [{ id: `death ${peer}`, tone: 'bad', title: `${peer} died`, why, atMs, session, place: 'session' }];
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
      why: 'More came than a bounded subscription or this window could take.',
      atMs: null,
      session: null,
      place: 'streams',
    },
  ];
}

/** The worst first, then the latest. */
export function findProblems({ flow, swarm, quarantine }: ProblemSources): readonly Problem[] {
  const failures = [...deathsOf(swarm), ...refusalsOf(quarantine)];
  return [...failures.sort((a, b) => (b.atMs ?? 0) - (a.atMs ?? 0)), ...dropsOf(flow)];
}
