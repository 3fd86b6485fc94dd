/**
 * Tells main that the user is there, seldom: at the first input, and again after each interval that had some.
 * The last input of an interval counts too, or a short idle limit would lock under busy hands.
 */

export interface PresenceReporter {
  /** There was input now. */
  used(): void;
  dispose(): void;
}

export interface PresenceReporterDeps {
  readonly report: () => void;
  readonly intervalMs: number;
  readonly setTimer: (run: () => void, delayMs: number) => number;
  readonly clearTimer: (id: number) => void;
}

const longestMs = 60_000;

/** Once a minute; four times within a limit that is shorter than four minutes. */
export function reportIntervalMs(idleLockMinutes: number): number {
  return Math.min(longestMs, (idleLockMinutes * 60_000) / 4);
}

export function createPresenceReporter({
  report,
  intervalMs,
  setTimer,
  clearTimer,
}: PresenceReporterDeps): PresenceReporter {
  let timer: number | undefined;
  let isUsedSince = false;
  const begin = (): void => {
    report();
    isUsedSince = false;
    timer = setTimer(() => {
      timer = undefined;
      if (isUsedSince) begin();
    }, intervalMs);
  };
  return {
    used() {
      if (timer === undefined) begin();
      else isUsedSince = true;
    },
    dispose() {
      if (timer !== undefined) clearTimer(timer);
      timer = undefined;
    },
  };
}
