/**
 * Things that have happened, counted by what they are about: lost and failed tasks, records that do not count, denials (product.md).
 * Law: bounded whatever comes; the worst and the newest are kept, and nobody can push a loss out by failing often.
 *
 * Pure: it is told, it reads nothing.
 */
import {
  compareIncidents,
  type IncidentDetail,
  type IncidentFacts,
  type IncidentMark,
  isLater,
} from './incident-facts.ts';

/** One more thing that happened. */
export interface Happening {
  readonly id: string;
  readonly detail: IncidentDetail;
  readonly queue?: string;
  readonly session?: string;
  readonly mark: IncidentMark;
}

export type TallyFacts = Omit<IncidentFacts, 'acknowledgedMs'>;

export interface IncidentTallies {
  add(happening: Happening): void;
  /** One of them is not so any more; the last one ends the incident. */
  remove(id: string): void;
  /** It is over. */
  drop(id: string): void;
  /** As counted elsewhere: in place of what was known of it. */
  put(facts: TallyFacts): void;
  get(id: string): TallyFacts | undefined;
  all(): Iterable<TallyFacts>;
}

const asOpen = (facts: TallyFacts): IncidentFacts => ({ ...facts, acknowledgedMs: null });

/** Creates an empty count of at most `capacity` incidents, ≥ 1. */
export function createIncidentTallies({ capacity }: { readonly capacity: number }): IncidentTallies {
  const tallies = new Map<string, TallyFacts>();

  function makeRoom(): void {
    if (tallies.size <= capacity) return;
    let least: TallyFacts | undefined;
    for (const one of tallies.values())
      if (least === undefined || compareIncidents(asOpen(one), asOpen(least)) > 0) least = one;
    if (least !== undefined) tallies.delete(least.id);
  }

  function put(facts: TallyFacts): void {
    tallies.set(facts.id, facts);
    makeRoom();
  }

  return {
    put,
    add({ id, detail, queue, session, mark }) {
      const known = tallies.get(id);
      const isNewest = known === undefined || isLater(mark, known.mark);
      const newest = isNewest ? { detail, session: session ?? null, mark } : known;
      put({
        ...{ id, queue: queue ?? null, isStanding: false },
        ...{ detail: newest.detail, session: newest.session, mark: newest.mark, lastMs: newest.mark.atMs },
        firstMs: Math.min(mark.atMs, known?.firstMs ?? mark.atMs),
        count: (known?.count ?? 0) + 1,
      });
    },
    remove(id) {
      const known = tallies.get(id);
      if (known === undefined) return;
      if (known.count > 1) tallies.set(id, { ...known, count: known.count - 1 });
      else tallies.delete(id);
    },
    drop: (id) => void tallies.delete(id),
    get: (id) => tallies.get(id),
    all: () => tallies.values(),
  };
}
