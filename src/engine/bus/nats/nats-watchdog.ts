/**
 * Notices a server that keeps its connection open and says nothing (protocol.md B8).
 * Law: one unanswered ping is `late`, a few in a row are `lost`; whatever else arrives meanwhile counts as life.
 */
import { createDisposer, type Disposable } from '../../../shared/base/disposer.ts';
import type { Clock } from '../../ports/clock.ts';

export interface WatchdogDeps {
  readonly clock: Clock;
  readonly intervalMs: number;
  readonly lostAfterPings: number;
  /** A word there and back. */
  readonly ping: () => Promise<void>;
  /** Bytes that came so far. */
  readonly bytesIn: () => number;
  readonly onAnswer: (rttMs: number) => void;
  readonly onLate: () => void;
  readonly onLost: () => void;
}

/** Begins at once; ends by `dispose`, or with `onLost`. */
export function createNatsWatchdog(deps: WatchdogDeps): Disposable {
  const { clock } = deps;
  const held = createDisposer();
  let isWaiting = false;
  let missed = 0;
  let lastBytes = deps.bytesIn();

  function ping(): void {
    const sentMs = clock.monotonic();
    isWaiting = true;
    deps.ping().then(
      () => {
        isWaiting = false;
        missed = 0;
        if (!held.isDisposed) deps.onAnswer(clock.monotonic() - sentMs);
      },
      // The connection went: whoever owns it knows.
      () => {},
    );
  }

  function miss(): void {
    missed++;
    if (missed < deps.lostAfterPings) {
      deps.onLate();
      return;
    }
    held.dispose();
    deps.onLost();
  }

  function look(): void {
    const bytes = deps.bytesIn();
    const hasLife = bytes !== lastBytes;
    lastBytes = bytes;
    if (!isWaiting) ping();
    else if (!hasLife) miss();
  }

  held.add(clock.setTicker(deps.intervalMs, look));
  ping();
  return held;
}
