/**
 * Work that is asked for more often than it need be done.
 * Law: it never runs beside itself; whoever asks while it runs has it run once more, and waits for that.
 */
export function createLooking(once: () => Promise<void>): () => Promise<void> {
  let looking: Promise<void> | undefined;
  let isAgain = false;

  async function lookUntilDone(): Promise<void> {
    do {
      isAgain = false;
      await once();
    } while (isAgain);
  }

  return () => {
    isAgain = true;
    looking ??= lookUntilDone().finally(() => {
      looking = undefined;
    });
    return looking;
  };
}
