/**
 * Ownership of whatever listens, times, opens or spawns (architecture.md §6).
 * Law: a resource is added to a Disposer on the line that creates it, and is released once, last in first out.
 */

/** Something that holds a resource until it is disposed; disposing twice is harmless. */
export interface Disposable {
  dispose(): void;
}

/** Owns disposables and releases them together. */
export interface Disposer extends Disposable {
  /** Takes ownership and returns the same value; disposes it at once if the owner is gone already. */
  add<T extends Disposable>(disposable: T): T;
  /** Takes ownership of a plain release function. */
  defer(release: () => void): void;
  /** How many resources are held now; the leak checks read it. */
  readonly size: number;
  readonly isDisposed: boolean;
}

/** Wraps a release function so that it runs at most once. */
export function toDisposable(release: () => void): Disposable {
  let isDone = false;
  return {
    dispose() {
      if (isDone) return;
      isDone = true;
      release();
    },
  };
}

/** Creates an owner. Its `dispose` releases everything even if one release throws, then throws the first error. */
export function createDisposer(): Disposer {
  const held = new Set<Disposable>();
  let isDisposed = false;
  const disposer: Disposer = {
    add(disposable) {
      if (isDisposed) disposable.dispose();
      else held.add(disposable);
      return disposable;
    },
    defer(release) {
      disposer.add(toDisposable(release));
    },
    get size() {
      return held.size;
    },
    get isDisposed() {
      return isDisposed;
    },
    dispose() {
      if (isDisposed) return;
      isDisposed = true;
      const errors: unknown[] = [];
      for (const disposable of [...held].reverse()) {
        try {
          disposable.dispose();
        } catch (error) {
          errors.push(error);
        }
      }
      held.clear();
      if (errors.length > 0) throw errors[0];
    },
  };
  return disposer;
}
