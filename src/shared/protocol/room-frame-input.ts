/**
 * The bytes that bind a frame to its place: associated data, and what its sender signs (protocol.md R7).
 * Law: every field but `v`, `ct` and `sig` is in the first, and the first with the ciphertext's hash in the second.
 */
import { fromBase64Url } from '../base/base64url.ts';
import { labelledFields } from './labelled-fields.ts';
import type { RoomFrame } from './payload-rooms.ts';

/** What of a frame is bound to its ciphertext. */
export type FramePlace = Pick<
  RoomFrame,
  'room' | 'epoch' | 'sender' | 'boot' | 'counter' | 'messageId' | 'kind' | 'n' | 'head'
>;

/** `L("vak-room-aad-v1", room, epoch, sender, boot, counter, messageId, kind, n, head)`. Throws `invalid-payload`. */
export function frameAad(place: FramePlace): Uint8Array {
  return labelledFields('vak-room-aad-v1', [
    place.room,
    place.epoch,
    place.sender,
    fromBase64Url(place.boot, 'boot'),
    place.counter,
    place.messageId,
    place.kind,
    place.n,
    fromBase64Url(place.head, 'head'),
  ]);
}

/** `L("vak-room-frame-v1", AAD, SHA-256(ct))`. */
export function frameSignatureInput(aad: Uint8Array, ctHash: Uint8Array): Uint8Array {
  return labelledFields('vak-room-frame-v1', [aad, ctHash]);
}

/** `L("vak-room-msg-v1", epoch, sender, boot)`: what a message key is derived for. */
export function messageKeyInfo({ epoch, sender, boot }: Pick<FramePlace, 'epoch' | 'sender' | 'boot'>): Uint8Array {
  return labelledFields('vak-room-msg-v1', [epoch, sender, fromBase64Url(boot, 'boot')]);
}
