/**
 * Deliveries that a peer has and has not ended yet, at main's end of its channel (protocol.md B4).
 * Law: bounded by number and by bytes; the oldest gives way, as if its peer had forgotten it: it comes again after its ack wait.
 */
import { VakError } from '../../../shared/base/vak-error.ts';
import type { Delivery } from '../durable.ts';

const maxOpenDeliveries = 1_024;
const maxDeliveryBytes = 64 * 1024 * 1024;

export interface OpenDeliveries {
  /** Gives the number under which the peer ends it. */
  add(delivery: Delivery): number;
  /** Throws `not-found`. */
  find(number: number): Delivery;
  remove(number: number): void;
  clear(): void;
  readonly size: number;
}

/** Creates an empty book. */
export function createOpenDeliveries(): OpenDeliveries {
  const open = new Map<number, Delivery>();
  let bytes = 0;
  let next = 1;

  function remove(number: number): void {
    const delivery = open.get(number);
    if (delivery === undefined) return;
    open.delete(number);
    bytes -= delivery.message.data.length;
  }

  return {
    add(delivery) {
      const number = next++;
      open.set(number, delivery);
      bytes += delivery.message.data.length;
      for (const oldest of open.keys()) {
        if (oldest === number || (open.size <= maxOpenDeliveries && bytes <= maxDeliveryBytes)) break;
        remove(oldest);
      }
      return number;
    },
    find(number) {
      const delivery = open.get(number);
      if (delivery !== undefined) return delivery;
      throw new VakError(
        'not-found',
        'delivery: it is not known here any more; its message comes again after its ack wait',
      );
    },
    remove,
    clear() {
      open.clear();
      bytes = 0;
    },
    get size() {
      return open.size;
    },
  };
}
