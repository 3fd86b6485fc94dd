/** What is wrong now, from the snapshots. Pure. Law: nothing is listed that is not in them. */
import type { StreamsStatus } from '../../../shared/contract/streams-contract.ts';
import type { SwarmState } from '../../../shared/contract/swarm-contract.ts';
import { formatCount } from '../../ui/format.ts';

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
}

/** The worst first, then the latest. */
export function findProblems(flow: StreamsStatus | undefined, swarm: SwarmState | undefined): readonly Problem[] {
  const deaths = (swarm?.workers ?? []).flatMap(({ peer, session, death }): Problem[] =>
    death === null
      ? []
      : [{ id: `death ${peer}`, tone: 'bad', title: `${peer} died`, why: death.reason, atMs: death.atMs, session }],
  );
  const dropped = flow?.droppedCount ?? 0;
  const drops: Problem[] =
    dropped === 0
      ? []
      : [
          {
            id: 'drops',
            tone: 'wait',
            title: `${formatCount(dropped)} ${dropped === 1 ? 'message' : 'messages'} dropped since the start`,
            why: 'More came than a bounded subscription or this window could take.',
            atMs: null,
            session: null,
          },
        ];
  return [...deaths.sort((a, b) => (b.atMs ?? 0) - (a.atMs ?? 0)), ...drops];
}
