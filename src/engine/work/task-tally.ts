/**
 * How many tasks are in each state, of all and of each queue (protocol.md W7).
 * Law: each task counts once, where it is now; counting costs the same however many there are.
 */

/** How many tasks are in each state. */
export type TallyCounts<S extends string> = Readonly<Record<S, number>>;

export interface TaskTally<S extends string> {
  /** Counts a task as it is now, and not as it was. */
  put(task: { readonly leaf: string; readonly queue: string; readonly state: S }): void;
  remove(leaf: string): void;
  all(): TallyCounts<S>;
  of(queue: string): TallyCounts<S>;
  /** Queues of which a task is counted. */
  queues(): Iterable<string>;
}

/** Creates a tally of nothing, over these states. */
export function createTaskTally<S extends string>(states: readonly S[]): TaskTally<S> {
  const zeros = (): Record<S, number> => Object.fromEntries(states.map((state) => [state, 0])) as Record<S, number>;
  const all = zeros();
  const queues = new Map<string, Record<S, number>>();
  const counted = new Map<string, { readonly queue: string; readonly state: S }>();

  function remove(leaf: string): void {
    const known = counted.get(leaf);
    if (known === undefined) return;
    counted.delete(leaf);
    all[known.state]--;
    const own = queues.get(known.queue);
    if (own === undefined) return;
    own[known.state]--;
    if (states.every((state) => own[state] === 0)) queues.delete(known.queue);
  }

  return {
    remove,
    put({ leaf, queue, state }) {
      const known = counted.get(leaf);
      if (known?.queue === queue && known.state === state) return;
      remove(leaf);
      counted.set(leaf, { queue, state });
      const own = queues.get(queue) ?? zeros();
      queues.set(queue, own);
      own[state]++;
      all[state]++;
    },
    all: () => ({ ...all }),
    of: (queue) => ({ ...(queues.get(queue) ?? zeros()) }),
    queues: () => queues.keys(),
  };
}
