/** Lines that anybody can cause by the thousand: the first ones of a while are told, and of more how many there were. */
import type { Clock } from '../engine/ports/clock.ts';
import type { Disposable } from '../shared/base/disposer.ts';

/** Lines that are told in a while. */
const toldAtOnce = 5;
/** A while, ms. */
const whileMs = 5_000;

export interface CalmLines {
  /** Tells it, or counts it. */
  say(tell: () => void): void;
  /** Tells how many were only counted, and begins anew: for whoever ends. */
  sum(): void;
}

/** Creates it. `more`: tells how many were held back, when the while is over. */
export function createCalmLines({
  clock,
  more,
}: {
  readonly clock: Pick<Clock, 'setTimer'>;
  readonly more: (count: number) => void;
}): CalmLines {
  let timer: Disposable | undefined;
  let count = 0;

  function sum(): void {
    timer?.dispose();
    timer = undefined;
    const heldBack = count - toldAtOnce;
    count = 0;
    if (heldBack > 0) more(heldBack);
  }

  return {
    say(tell) {
      timer ??= clock.setTimer(whileMs, sum);
      if (++count <= toldAtOnce) tell();
    },
    sum,
  };
}
