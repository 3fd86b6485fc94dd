/**
 * How main's engine is connected, as its peer knows it (protocol.md B8): the peer asks once, main tells each change.
 * Law: the peer believes main's last word while the channel is open; when it closes that is final.
 */
import { createDisposer, type Disposable } from '../../../shared/base/disposer.ts';
import { createListenerSet } from '../../listener-set.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Logger } from '../../ports/logger.ts';
import type { BusStatus, BusStatusSource } from '../bus-status.ts';
import { readFrame } from './channel-frames.ts';
import type { ChannelPort } from './channel-port.ts';

/** Peer → main. */
interface StatusAsk {
  readonly kind: 'status-ask';
}

/** Main → peer. */
interface StatusTold {
  readonly kind: 'status';
  readonly status: BusStatus;
}

const kinds: ReadonlySet<unknown> = new Set<BusStatus['kind']>([
  ...(['connecting', 'connected', 'stale', 'reconnecting', 'closed'] as const),
]);

function isStatus(value: unknown): boolean {
  return typeof value === 'object' && value !== null && kinds.has((value as { kind?: unknown }).kind);
}

export interface ChannelStatus extends BusStatusSource {
  /** Says `closed`, then nothing more. */
  close(): void;
}

/** Creates the peer's end: `connecting` until main has answered. */
export function createChannelStatus(deps: {
  readonly port: ChannelPort;
  readonly clock: Clock;
  readonly logger: Logger;
}): ChannelStatus {
  const { port, clock, logger } = deps;
  const held = createDisposer();
  const listeners = createListenerSet<BusStatus>(logger, 'channel.status-listener-threw');
  let status: BusStatus = { kind: 'connecting', sinceMs: clock.now() };

  function become(next: BusStatus): void {
    status = next;
    listeners.tell(next);
  }

  function close(): void {
    if (held.isDisposed) return;
    held.dispose();
    become({ kind: 'closed', sinceMs: clock.now(), error: null });
    listeners.clear();
  }

  held.add(
    port.onMessage((value) => {
      const reading = readFrame<StatusTold>(value, { status: (frame) => isStatus(frame['status']) });
      if (typeof reading === 'object') become(reading.frame.status);
    }),
  );
  held.add(port.onClose(close));
  port.post({ kind: 'status-ask' } satisfies StatusAsk);
  return { status: () => status, onStatus: listeners.add, close };
}

/** Tells a peer that asks, and then of each change, until disposed or until the peer has gone. */
export function serveChannelStatus({
  port,
  source,
}: {
  readonly port: ChannelPort;
  readonly source: BusStatusSource;
}): Disposable {
  const held = createDisposer();
  let isAsked = false;
  const tell = (status: BusStatus): void => port.post({ kind: 'status', status } satisfies StatusTold);
  held.add(
    port.onMessage((value) => {
      const reading = readFrame<StatusAsk>(value, { 'status-ask': () => true });
      if (typeof reading === 'string' || isAsked) return;
      isAsked = true;
      tell(source.status());
      held.add(source.onStatus(tell));
    }),
  );
  held.add(port.onClose(() => held.dispose()));
  return held;
}
