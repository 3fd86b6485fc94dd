/**
 * Runs pieces of asynchronous work one after the other.
 * Law: the order of the calls is the order of the work, and one that fails holds up nobody.
 */
export interface SerialLane {
  /** Runs it when all that was given before has settled; settles as it does. */
  run<T>(work: () => Promise<T>): Promise<T>;
  /** Resolves when all that was given so far has settled. */
  idle(): Promise<void>;
}

/** Creates an idle lane. */
export function createSerialLane(): SerialLane {
  let last: Promise<void> = Promise.resolve();
  return {
    run(work) {
      const result = last.then(work);
      last = result.then(
        () => {},
        () => {},
      );
      return result;
    },
    idle: () => last,
  };
}
