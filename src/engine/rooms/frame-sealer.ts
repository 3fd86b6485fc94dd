/**
 * Seals the frames of one process in one room (protocol.md R7).
 * Law: boot is drawn when it is created and kept nowhere, and each counter is given out once, so that no crash, second process or
 * restored profile can use a (key, nonce) again.
 */
import { toBase64Url } from '../../shared/base/base64url.ts';
import { VakError } from '../../shared/base/vak-error.ts';
import type { RoomContent } from '../../shared/protocol/room-content.ts';
import type { FramePlace } from '../../shared/protocol/room-frame-input.ts';
import type { NkeySigner } from '../identity/nkey.ts';
import type { Secret } from '../identity/secret.ts';
import type { Randomness } from '../ports/randomness.ts';
import { sealFrame, type VerifiedFrame } from './room-frame.ts';

const bootBytes = 16;

/** Where in the log a message is said: epoch in force, and head that its sender saw. */
export type SealingPlace = Pick<FramePlace, 'epoch' | 'n' | 'head' | 'messageId'>;

export interface FrameSealer {
  /** Our name as the log has it. */
  readonly sender: string;
  /** base64url of 16 bytes. */
  readonly boot: string;
  /**
   * Seals under the key of `place.epoch` and the next counter. Frames are to be published in the order in which they were sealed (R33).
   * Throws `invalid-payload` if the content fits no schema, `limit-exceeded` when the counters are used up, `locked`.
   */
  seal(place: SealingPlace, content: RoomContent, roomKey: Secret): VerifiedFrame;
}

/** Creates the sealer of a room for this process; another process has another. `sender`: our name as the log has it. */
export function createFrameSealer(options: {
  readonly room: string;
  readonly sender: string;
  readonly signer: NkeySigner;
  readonly randomness: Randomness;
}): FrameSealer {
  const { room, sender, signer, randomness } = options;
  const boot = toBase64Url(randomness.bytes(bootBytes));
  let next = 0;
  return {
    sender,
    boot,
    seal(place, content, roomKey) {
      if (!Number.isSafeInteger(next)) throw new VakError('limit-exceeded', 'no counter is left; start again');
      // Taken before anything can fail: a gap is allowed, a second use is not.
      const counter = next++;
      const { epoch, n, head, messageId } = place;
      return sealFrame({ room, sender, boot, counter, epoch, n, head, messageId }, content, { roomKey, signer });
    },
  };
}
