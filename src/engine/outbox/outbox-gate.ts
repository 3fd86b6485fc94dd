/**
 * When the outbox sends, and whether a refusal is about the message (protocol.md B8).
 * Law: while there is no connection nothing is tried; credentials that fail refuse no message.
 */
import { VakError } from '../../shared/base/vak-error.ts';
import type { DurablePlane } from '../bus/durable.ts';
import type { OutboxDeps } from './outbox.ts';
import { createOutboxDelivery, type Delivered } from './outbox-delivery.ts';
import type { OutboxSlot } from './outbox-slot.ts';
import type { OutboxStore } from './outbox-store.ts';

/** So long a connected engine must deny a message until that is for good. */
const deniedForGoodMs = 10_000;

/** Creates the gate before an engine that comes and goes. */
export function createOutboxGate({ durable, status, clock, guard }: OutboxDeps, store: OutboxStore) {
  const delivery = createOutboxDelivery({ store, clock, guard });

  const isConnected = (): boolean => status.status().kind === 'connected';

  function plane(): DurablePlane | undefined {
    return isConnected() || status.status().kind === 'stale' ? durable() : undefined;
  }

  /**
   * Credentials that have expired, and rights that are just being changed, say nothing of the message: it is refused for good when a
   * connected engine has gone on refusing it for a while.
   */
  function isDeniedForGood(slot: OutboxSlot): boolean {
    if (!isConnected()) slot.deniedSinceMs = undefined;
    else slot.deniedSinceMs ??= clock.monotonic();
    return slot.deniedSinceMs !== undefined && clock.monotonic() - slot.deniedSinceMs >= deniedForGoodMs;
  }

  return {
    /** Whether anything is sent now. */
    isOpen: (): boolean => plane() !== undefined,
    /** Tries once. Never rejects. */
    async deliver(slot: OutboxSlot, signal: AbortSignal): Promise<Delivered> {
      const engine = plane();
      if (engine === undefined) return { kind: 'later', error: new VakError('disconnected', 'there is no engine now') };
      const result = await delivery.deliver({ parcel: slot, plane: engine, signal });
      if (result.kind === 'refused' && result.error.code === 'unauthorized') {
        return isDeniedForGood(slot) ? result : { kind: 'later', error: result.error };
      }
      slot.deniedSinceMs = undefined;
      return result;
    },
  };
}
