/**
 * When the messages came that wait in order, as runs of those that came at one time (protocol.md W10).
 * Law: a bounded number of runs is kept, however many messages wait; where runs are joined, the later one counts as early as the other.
 */

export interface ArrivalRuns {
  /** Message number `place` came, later than those before; of those below `head` nothing is wanted any more. */
  add(place: number, ms: number, head: number): void;
  /** Tells how many of the messages from `head` up to `end` came when, and forgets all. */
  take(head: number, end: number, tell: (ms: number, count: number) => void): void;
}

const maxRuns = 256;

/** Creates it for messages that are numbered from 0. */
export function createArrivalRuns(): ArrivalRuns {
  /** Number and time of the first one of each run. */
  let places: number[] = [];
  let times: number[] = [];
  let lastMs = Number.NaN;

  function keep(isKept: (at: number) => boolean): void {
    places = places.filter((_, at) => isKept(at));
    times = times.filter((_, at) => isKept(at));
  }

  function makeRoom(head: number): void {
    keep((at) => (places[at + 1] ?? Number.POSITIVE_INFINITY) > head);
    if (places.length > maxRuns / 2) keep((at) => at % 2 === 0);
  }

  return {
    add(place, ms, head) {
      if (ms === lastMs) return;
      lastMs = ms;
      if (places.length >= maxRuns) makeRoom(head);
      places.push(place);
      times.push(ms);
    },
    take(head, end, tell) {
      for (let at = 0; at < places.length; at++) {
        const count = (places[at + 1] ?? end) - Math.max(head, places[at] ?? 0);
        if (count > 0) tell(times[at] ?? 0, count);
      }
      places.length = 0;
      times.length = 0;
      lastMs = Number.NaN;
    },
  };
}
