/**
 * Parts of a flow between who brings them and who takes them, one taker.
 * Law: parts come out as they went in, then the end; whoever fills it keeps within the credits that it was given.
 */
export interface PartQueue<T> {
  push(part: T): void;
  /** Nothing more comes. */
  end(): void;
  /** Nothing more comes, and why; what was not taken is dropped. */
  fail(error: unknown): void;
  /** The next part; undefined at the end. Throws what `fail` was given. */
  next(): Promise<T | undefined>;
  readonly size: number;
}

/** Creates an empty queue. */
export function createPartQueue<T>(): PartQueue<T> {
  let parts: T[] = [];
  let ending: { readonly error?: unknown } | undefined;
  let taker: { readonly resolve: (part: T | undefined) => void; readonly reject: (error: unknown) => void } | undefined;

  function settle(): void {
    if (taker === undefined || (parts.length === 0 && ending === undefined)) return;
    const { resolve, reject } = taker;
    taker = undefined;
    if (parts.length > 0) resolve(parts.shift());
    else if (ending !== undefined && 'error' in ending) reject(ending.error);
    else resolve(undefined);
  }

  return {
    push(part) {
      if (ending !== undefined) return;
      parts.push(part);
      settle();
    },
    end() {
      ending ??= {};
      settle();
    },
    fail(error) {
      if (ending !== undefined) return;
      ending = { error };
      parts = [];
      settle();
    },
    next: () =>
      new Promise((resolve, reject) => {
        taker = { resolve, reject };
        settle();
      }),
    get size() {
      return parts.length;
    },
  };
}
