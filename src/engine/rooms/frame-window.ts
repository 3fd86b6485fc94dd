/**
 * Which frames of a room were there before (protocol.md R7, R13; docs/spec/rooms.md R33, R40, R41).
 * Law: a frame counts once. What is remembered depends on the frames up to a place alone, so every reader of an epoch, and every
 * start of one, judges alike.
 */
import { z } from 'zod';
import { VakError } from '../../shared/base/vak-error.ts';
import { count, tokenField } from '../../shared/protocol/payload-fields.ts';
import { exactBytes } from '../../shared/protocol/room-fields.ts';
import type { FramePlace } from '../../shared/protocol/room-frame-input.ts';

/** Highest step from one counter of a boot to the next (R13). */
export const maxCounterJump = 25_000;
/** Process starts of one sender in one epoch. Whoever has used them up commits a REKEY before it sends. */
export const maxBootsPerEpoch = 1024;

const savedWindow = z.strictObject({
  v: z.literal(1),
  epoch: count,
  /** Sender, and of each boot the counter that counted last. */
  senders: z.array(z.tuple([tokenField, z.array(z.tuple([exactBytes(16), count])).max(maxBootsPerEpoch)])),
});

/** A window as plain JSON. It is kept together with the place up to which the room was read. */
export type SavedFrameWindow = z.infer<typeof savedWindow>;

/** Why a frame does not count again, or at all. */
export type WindowFault =
  /** The counter is one that this boot has passed. */
  | 'replayed'
  /** It is more than {@link maxCounterJump} beyond the last. */
  | 'jumped'
  | 'too-many-boots'
  /** It belongs to an epoch that has ended. */
  | 'old-epoch';

export interface FrameWindow {
  /**
   * Takes a frame whose signature, membership and epoch at its place of the stream have been found right; in the stream's order.
   * Undefined: it counts, whether or not it will open. Else nothing is remembered of it.
   */
  take(place: Pick<FramePlace, 'epoch' | 'sender' | 'boot' | 'counter'>): WindowFault | undefined;
  /** How many boots of a sender have spoken in the epoch of the last frame that counted; of another epoch none. */
  bootCount(sender: string, epoch: number): number;
  save(): SavedFrameWindow;
}

/** Creates the window of a room, or goes on with a saved one. Throws `corrupt` if that fits no window. */
export function createFrameWindow(saved?: unknown): FrameWindow {
  let epoch = 0;
  let senders = new Map<string, Map<string, number>>();
  if (saved !== undefined) {
    const parsed = savedWindow.safeParse(saved);
    if (!parsed.success) {
      throw new VakError('corrupt', "a room's replay window is damaged; read the room again from its first epoch");
    }
    epoch = parsed.data.epoch;
    senders = new Map(parsed.data.senders.map(([sender, boots]) => [sender, new Map(boots)]));
  }

  function findFault(last: number | undefined, counter: number, bootCount: number): WindowFault | undefined {
    // Where a boot begins depends on what it said in former epochs, which not every reader has seen.
    if (last === undefined) return bootCount < maxBootsPerEpoch ? undefined : 'too-many-boots';
    if (counter <= last) return 'replayed';
    return counter - last > maxCounterJump ? 'jumped' : undefined;
  }

  return {
    take(place) {
      if (place.epoch < epoch) return 'old-epoch';
      const known = place.epoch === epoch ? senders.get(place.sender) : undefined;
      const fault = findFault(known?.get(place.boot), place.counter, known?.size ?? 0);
      if (fault !== undefined) return fault;
      if (place.epoch > epoch) {
        epoch = place.epoch;
        senders = new Map();
      }
      const boots = senders.get(place.sender) ?? new Map<string, number>();
      boots.set(place.boot, place.counter);
      senders.set(place.sender, boots);
      return undefined;
    },
    bootCount: (sender, of) => (of === epoch ? (senders.get(sender)?.size ?? 0) : 0),
    save: () => ({ v: 1, epoch, senders: [...senders].map(([sender, boots]) => [sender, [...boots]]) }),
  };
}
