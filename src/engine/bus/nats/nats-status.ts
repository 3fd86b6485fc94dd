/**
 * How a connection is, as one union that changes once each way for one outage (protocol.md B8).
 * Law: it leaves `connected` at once, and comes back only when the connection has held for a while; `closed` is final.
 */
import { createDisposer } from '../../../shared/base/disposer.ts';
import type { VakError } from '../../../shared/base/vak-error.ts';
import { createListenerSet } from '../../listener-set.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Logger } from '../../ports/logger.ts';
import type { BusStatus, BusStatusSource } from '../bus-status.ts';

/**
 * The source, and what happens to the connection. Listeners hear of another `kind` only: the number of the attempt, its error and the
 * round trip move silently, and are read by `status()`.
 */
export interface NatsStatus extends BusStatusSource {
  /** Connected, or again. */
  up(server: string): void;
  /** The server has answered. */
  answered(rttMs: number): void;
  /** An answer is late. */
  late(): void;
  /** The connection is gone. */
  lost(error: VakError | null): void;
  /** A try to connect again begins; from 1 in each outage. */
  attempt(count: number): void;
  /** The try has failed. */
  failed(error: VakError): void;
  closed(error: VakError | null): void;
}

export interface NatsStatusDeps {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly settleMs: number;
}

/** Begins at `connecting`. */
export function createNatsStatus({ clock, logger, settleMs }: NatsStatusDeps): NatsStatus {
  const listeners = createListenerSet<BusStatus>(logger, 'nats.status-listener-threw');
  let current: BusStatus = { kind: 'connecting', sinceMs: clock.now() };
  let server = '';
  let rttMs: number | null = null;
  /** Runs while the connection is up again and has to hold. */
  let settling = createDisposer();

  function change(next: BusStatus): void {
    const isSilent = next.kind === current.kind;
    current = next;
    if (!isSilent) listeners.tell(next);
  }
  function unsettle(): void {
    settling.dispose();
    settling = createDisposer();
  }
  const toConnected = (): void => {
    unsettle();
    change({ kind: 'connected', sinceMs: clock.now(), server, rttMs });
  };
  function settle(): void {
    if (settling.size === 0) settling.add(clock.setTimer(settleMs, toConnected));
  }

  return {
    status: () => current,
    onStatus: listeners.add,
    up(at) {
      if (current.kind === 'closed') return;
      server = at;
      rttMs = null;
      if (current.kind === 'connecting') toConnected();
      else settle();
    },
    answered(ms) {
      rttMs = ms;
      if (current.kind === 'connected') change({ ...current, rttMs });
      else if (current.kind === 'stale') settle();
    },
    late() {
      if (current.kind === 'connected') change({ kind: 'stale', sinceMs: clock.now() });
      else if (current.kind === 'stale') unsettle();
    },
    lost(error) {
      unsettle();
      if (current.kind === 'closed') return;
      const sinceMs = current.kind === 'reconnecting' ? current.sinceMs : clock.now();
      change({ kind: 'reconnecting', sinceMs, attempt: 0, error: error?.toShape() ?? null });
    },
    attempt(count) {
      if (current.kind === 'reconnecting') change({ ...current, attempt: count });
    },
    failed(error) {
      if (current.kind === 'reconnecting') change({ ...current, error: error.toShape() });
    },
    closed(error) {
      unsettle();
      if (current.kind !== 'closed') {
        change({ kind: 'closed', sinceMs: clock.now(), error: error?.toShape() ?? null });
      }
      listeners.clear();
    },
  };
}
