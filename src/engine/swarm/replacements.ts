/**
 * When queue workers of the swarm that have died are replaced.
 * Law: soon, then ever later, and not for ever: workers that keep dying are given up, and why is told.
 */
import type { Disposable } from '../../shared/base/disposer.ts';
import type { Clock } from '../ports/clock.ts';

const firstDelayMs = 500;
const lastDelayMs = 15_000;
/** Deaths longer ago do not count, ms. */
const windowMs = 120_000;
/** So many deaths beside one of each worker are replaced in that time. */
const spareDeaths = 5;

export interface Replacements extends Disposable {
  /** Somebody has died. `isAsked`: because an operator wanted that, so it says nothing about the workers. */
  note(death: { readonly wantedCount: number; readonly isAsked: boolean; readonly reason: string }): void;
  /** Asks for a replacement once more, as none could be made now. */
  later(): void;
  /** Why nobody is replaced any more; null: they are. */
  problem(): string | null;
  /** As at the beginning: nothing is under way. */
  reset(): void;
}

/** What it is made of. `replace` is called once for each that is due. */
export interface ReplacementsDeps {
  readonly clock: Clock;
  readonly replace: () => void;
}

/** Creates it with nobody dead. */
export function createReplacements({ clock, replace }: ReplacementsDeps): Replacements {
  const due = new Set<Disposable>();
  let deathsMs: number[] = [];
  let problem: string | null = null;

  function schedule(delayMs: number): void {
    const timer = clock.setTimer(delayMs, () => {
      due.delete(timer);
      replace();
    });
    due.add(timer);
  }

  function cancel(): void {
    for (const timer of due) timer.dispose();
    due.clear();
  }

  return {
    note({ wantedCount, isAsked, reason }) {
      if (problem !== null) return;
      if (isAsked) return schedule(firstDelayMs);
      const nowMs = clock.monotonic();
      deathsMs = [...deathsMs.filter((atMs) => nowMs - atMs < windowMs), nowMs];
      if (deathsMs.length > wantedCount + spareDeaths) {
        const seconds = Math.round((nowMs - (deathsMs[0] ?? nowMs)) / 1_000);
        problem = `${deathsMs.length} workers died within ${seconds} s and are not replaced any more; the last one: ${reason}. Mend the cause, then stop and start the swarm`;
        return cancel();
      }
      schedule(Math.min(lastDelayMs, firstDelayMs * 2 ** (deathsMs.length - 1)));
    },
    later: () => schedule(lastDelayMs),
    problem: () => problem,
    reset() {
      cancel();
      deathsMs = [];
      problem = null;
    },
    dispose: cancel,
  };
}
