/**
 * A lane of a channel: a channel within it, of one engine's life (protocol.md B8).
 * Law: what is said on one lane is never heard on another; a lane that either end closes is closed for good at both.
 */
import { createDisposer, toDisposable } from '../../../shared/base/disposer.ts';
import { isId, readFrame } from './channel-frames.ts';
import type { ChannelPort } from './channel-port.ts';

/** Both ways. */
type LaneFrame =
  | { readonly kind: 'lane'; readonly lane: number; readonly value: unknown }
  | { readonly kind: 'lane-closed'; readonly lane: number };

const checks = {
  lane: (frame: Record<string, unknown>) => isId(frame['lane']) && 'value' in frame,
  'lane-closed': (frame: Record<string, unknown>) => isId(frame['lane']),
};

/** Opens this end of a lane; its number is agreed on before, and used once. Closing it leaves the channel open. */
export function createLanePort(port: ChannelPort, lane: number): ChannelPort {
  const held = createDisposer();
  const hearers = new Set<(value: unknown) => void>();
  const closers = new Set<() => void>();

  function end(): void {
    if (held.isDisposed) return;
    held.dispose();
    hearers.clear();
    const told = [...closers];
    closers.clear();
    for (const tell of told) tell();
  }

  held.add(
    port.onMessage((value) => {
      const reading = readFrame<LaneFrame>(value, checks);
      if (typeof reading === 'string' || reading.frame.lane !== lane) return;
      if (reading.frame.kind === 'lane-closed') return end();
      for (const hear of [...hearers]) hear(reading.frame.value);
    }),
  );
  held.add(port.onClose(end));

  return {
    post(value) {
      if (!held.isDisposed) port.post({ kind: 'lane', lane, value } satisfies LaneFrame);
    },
    onMessage(listener) {
      hearers.add(listener);
      return toDisposable(() => hearers.delete(listener));
    },
    onClose(listener) {
      closers.add(listener);
      return toDisposable(() => closers.delete(listener));
    },
    close() {
      if (held.isDisposed) return;
      port.post({ kind: 'lane-closed', lane } satisfies LaneFrame);
      end();
    },
  };
}
