/**
 * The workers of the swarm, living and dead: who is called what, and who is still listed.
 * Law: no two living workers have one name, and every one that has ended is listed until enough others have.
 */
import type { WorkerSummary } from '../../shared/contract/swarm-contract.ts';
import type { SwarmWorker, WorkerStanding } from './swarm-worker.ts';

/** Workers that have ended and are still listed. */
export const maxEndedWorkers = 32;

export type WorkerKind = WorkerSummary['kind'];

export interface Member {
  readonly worker: SwarmWorker;
  readonly kind: WorkerKind;
  /** Promised to a `run` that is under way. */
  isReserved: boolean;
}

export interface SwarmCrew {
  readonly all: readonly Member[];
  /** Those whose process has not ended, of a kind if one is named. */
  live(kind?: WorkerKind): readonly Member[];
  /** Queue workers that can claim. */
  readonly workingCount: number;
  /** The name that the next one gets. */
  nextName(): string;
  /** Starts one; without its standing that is asked for. */
  launch(kind: WorkerKind, standing?: WorkerStanding): Member;
  /** Forgets those that ended as they were asked. */
  forgetEnded(): void;
}

export interface SwarmCrewDeps {
  readonly launch: (peer: string, kind: WorkerKind, standing: Promise<WorkerStanding>) => SwarmWorker;
  readonly standingOf: (peer: string) => Promise<WorkerStanding>;
  readonly onChange: () => void;
  /** Told when a worker and all that it started are gone. */
  readonly onGone: (member: Member) => void;
}

function freeName(taken: ReadonlySet<string>): string {
  let number = 1;
  while (taken.has(`worker-${number}`)) number++;
  return `worker-${number}`;
}

/** Creates a crew of nobody. */
export function createSwarmCrew({ launch, standingOf, onChange, onGone }: SwarmCrewDeps): SwarmCrew {
  let members: Member[] = [];

  const live = (kind?: WorkerKind): Member[] =>
    members.filter((one) => one.worker.isLive && (kind === undefined || one.kind === kind));
  const nextName = (): string => freeName(new Set(live().map(({ worker }) => worker.peer)));

  function trim(): void {
    const ended = members.filter(({ worker }) => !worker.isLive);
    const surplus = new Set(ended.slice(0, Math.max(0, ended.length - maxEndedWorkers)));
    if (surplus.size > 0) members = members.filter((member) => !surplus.has(member));
  }

  return {
    get all() {
      return members;
    },
    live,
    get workingCount() {
      return live('queue').filter(({ worker }) => ['idle', 'busy'].includes(worker.summary().state)).length;
    },
    nextName,
    launch(kind, standing) {
      const peer = nextName();
      const given = standing === undefined ? standingOf(peer) : Promise.resolve(standing);
      const member: Member = { worker: launch(peer, kind, given), kind, isReserved: false };
      members.push(member);
      onChange();
      void member.worker.gone.then(() => {
        trim();
        onGone(member);
      });
      return member;
    },
    forgetEnded() {
      members = members.filter(({ worker }) => worker.summary().state !== 'ended');
    },
  };
}
