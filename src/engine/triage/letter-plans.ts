/**
 * Plans of bulk actions: which letters one would touch, frozen before it is confirmed (docs/spec/triage.md D6).
 * Law: what comes later is never in a plan; a plan is good once, for 15 min, and in the environment that it was made for.
 */
import { VakError } from '../../shared/base/vak-error.ts';
import type { LetterPlan } from '../../shared/contract/dlq-contract.ts';
import type { Clock } from '../ports/clock.ts';
import { createUuid, type Randomness } from '../ports/randomness.ts';
import type { LetterEntry } from './letter-book.ts';

/** What a plan is for. */
export type PlannedAction = 'retry' | 'archive' | 'restore' | 'export';

/** What an action may touch. */
export interface FrozenLetters {
  /** Newest first. */
  readonly letters: readonly LetterEntry[];
  readonly cutoffSeq: number;
  /** Of how many. */
  readonly allCount: number;
  /** The filter, or how they were named. */
  readonly scope: string;
}

export interface LetterPlanRequest extends Omit<FrozenLetters, 'cutoffSeq'> {
  readonly action: PlannedAction;
  /** The last place that was read. */
  readonly cutoffSeq: number;
  /** Named by their place, and not known here. */
  readonly unknownCount: number;
}

export interface LetterPlans {
  /** Freezes. */
  make(request: LetterPlanRequest): LetterPlan;
  /** Takes a plan to act by; it is gone then. Throws `conflict` if it is gone, of another action, or of another environment. */
  take(planId: string, action: PlannedAction): FrozenLetters;
}

export interface LetterPlansDeps {
  readonly clock: Clock;
  readonly randomness: Randomness;
  /** Name of the context in use. */
  readonly environment: () => string;
  /** The engine in use; undefined: there is none. */
  readonly destination: () => string | undefined;
  /** Why an action may not touch a letter; undefined: it may. */
  readonly whyLeftOut: (letter: LetterEntry, action: PlannedAction) => string | undefined;
}

const lifeMs = 15 * 60_000;
/** Plans that are remembered; the oldest give way. */
const maxPlans = 32;
const maxWhy = 20;

interface Held extends FrozenLetters {
  readonly action: PlannedAction;
  readonly environment: string;
  readonly destination: string | undefined;
  readonly untilMs: number;
}

/** Counts by a name, most first. */
function countsBy(names: Iterable<string>): [string, number][] {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return [...counts].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1));
}

/** Creates it without a plan. */
export function createLetterPlans(deps: LetterPlansDeps): LetterPlans {
  const { clock, randomness, environment, destination, whyLeftOut } = deps;
  const plans = new Map<string, Held>();

  function keep(planId: string, held: Held): void {
    plans.set(planId, held);
    const oldest = plans.keys().next();
    if (plans.size > maxPlans && oldest.done !== true) plans.delete(oldest.value);
  }

  return {
    make({ action, letters: asked, cutoffSeq, allCount, scope, unknownCount }) {
      const letters: LetterEntry[] = [];
      const reasons: string[] = new Array<string>(unknownCount).fill('not known here');
      for (const letter of asked) {
        const why = letter.seq > cutoffSeq ? 'came later' : whyLeftOut(letter, action);
        if (why === undefined) letters.push(letter);
        else reasons.push(why);
      }
      const planId = createUuid(clock, randomness);
      const place = { environment: environment(), destination: destination() };
      keep(planId, { action, letters, cutoffSeq, allCount, scope, ...place, untilMs: clock.monotonic() + lifeMs });
      return {
        ...{ planId, count: letters.length, allCount, cutoffSeq, environment: place.environment },
        queues: countsBy(letters.map(({ queue }) => queue)).map(([queue, count]) => ({ queue, count })),
        leftOut: countsBy(reasons)
          .slice(0, maxWhy)
          .map(([why, count]) => ({ why, count })),
      };
    },
    take(planId, action) {
      const held = plans.get(planId);
      const isGood = held?.action === action && clock.monotonic() <= held.untilMs;
      if (!isGood) {
        throw new VakError(
          'conflict',
          'the plan is gone: it was used, is older than 15 min, or was for something else; plan again',
        );
      }
      plans.delete(planId);
      if (held.environment === environment() && held.destination === destination()) return held;
      throw new VakError(
        'conflict',
        'the connection was changed since this was planned; look at the letters there again',
      );
    },
  };
}
