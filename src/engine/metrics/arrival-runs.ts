/**
 * When the messages came that wait in order, as runs of those that came at one time (protocol.md W10).
 * Law: a bounded number of runs is kept, however many messages wait; where runs are joined, the later one counts as early as the other.
 */

export interface ArrivalRuns {
  /** A run begins with message number `place`, which came then; of those below `head` nothing is wanted any more. */
  add(place: number, ms: number, head: number): void;
  /** Tells how many of the messages from `head` up to `end` came when, and forgets all. */
  take(head: number, end: number, tell: (ms: number, count: number) => void): void;
}

const maxRuns = 256;

/** Creates it for messages that are numbered from 0. */
export function createArrivalRuns(): ArrivalRuns {
  /** Number and time of the first one of each run, as many as `size`; what is behind is of former ones. */
  const places: number[] = [];
  const times: number[] = [];
  let size = 0;

  function keep(isKept: (at: number) => boolean): void {
    let kept = 0;
    for (let at = 0; at < size; at++) {
      if (!isKept(at)) continue;
      places[kept] = places[at] ?? 0;
      times[kept] = times[at] ?? 0;
      kept++;
    }
    size = kept;
  }

  function makeRoom(head: number): void {
    keep((at) => at === size - 1 || (places[at + 1] ?? 0) > head);
    if (size > maxRuns / 2) keep((at) => at % 2 === 0);
  }

  return {
    add(place, ms, head) {
      if (size >= maxRuns) makeRoom(head);
      places[size] = place;
      times[size] = ms;
      size++;
    },
    take(head, end, tell) {
      for (let at = 0; at < size; at++) {
        const until = at + 1 < size ? (places[at + 1] ?? end) : end;
        const count = until - Math.max(head, places[at] ?? 0);
        if (count > 0) tell(times[at] ?? 0, count);
      }
      size = 0;
    },
  };
}
