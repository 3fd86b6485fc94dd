/**
 * Frames of a room: sealed and signed, verified, opened (protocol.md R7, R35).
 * Law: a frame opens only under the key of its own epoch, sender and boot, at the place that its sender signed; nothing is tried.
 */
import { fromBase64Url, toBase64Url } from '../../shared/base/base64url.ts';
import { isVakError, VakError } from '../../shared/base/vak-error.ts';
import { padBytes, unpadBytes } from '../../shared/protocol/padded-bytes.ts';
import type { RoomFrame } from '../../shared/protocol/payload-rooms.ts';
import { decodeRoomContent, encodeRoomContent, type RoomContent } from '../../shared/protocol/room-content.ts';
import { type FramePlace, frameAad, frameSignatureInput } from '../../shared/protocol/room-frame-input.ts';
import type { Ed25519Verifier } from '../crypto/ed25519.ts';
import { runtimePrimitives } from '../crypto/runtime-primitives.ts';
import { decodeNkey, type NkeySigner } from '../identity/nkey.ts';
import type { Secret } from '../identity/secret.ts';
import type { Verified } from '../identity/signed-record.ts';
import { countedNonce } from './counted-nonce.ts';
import { deriveFrameKey } from './room-keys.ts';

/** A frame whose signature is that of the member it names. */
export type VerifiedFrame = Verified<RoomFrame>;

/** Runs with the key of the frame's sender, and erases it. */
function withFrameKey<T>(roomKey: Secret, place: FramePlace, work: (key: Uint8Array) => T): T {
  const key = deriveFrameKey(roomKey, place);
  try {
    return work(key.reveal());
  } finally {
    key.dispose();
  }
}

/**
 * Seals and signs. The counter must never have been used with that boot: {@link createFrameSealer} sees to it.
 * Throws `invalid-payload` if the content fits no schema, `locked` if key or signer was erased.
 */
export function sealFrame(
  place: Omit<FramePlace, 'kind'>,
  content: RoomContent,
  { roomKey, signer }: { readonly roomKey: Secret; readonly signer: NkeySigner },
): VerifiedFrame {
  const whole = { ...place, kind: content.kind };
  const aad = frameAad(whole);
  const text = padBytes(encodeRoomContent(content));
  const ct = withFrameKey(roomKey, whole, (key) =>
    runtimePrimitives.chacha20Poly1305.seal({ key, nonce: countedNonce(whole.counter), text, aad }),
  );
  const sig = signer.sign(frameSignatureInput(aad, runtimePrimitives.sha256(ct)));
  return { v: 1, ...whole, ct: toBase64Url(ct), sig: toBase64Url(sig) } as VerifiedFrame;
}

/** Who must have sent a frame, and where. */
export interface FrameOrigin {
  /** The room on whose subject it came. */
  readonly room: string;
  /** `U…` of the member that `sender` names at that place of the log. */
  readonly nkey: string;
  readonly verifier: Ed25519Verifier;
}

/** Why a frame is nobody's. */
export type FrameFault = 'wrong-room' | 'bad-signature';

/** The first check of a frame that was decoded by its schema. Never throws for what came. */
export function verifyFrame(
  frame: RoomFrame,
  { room, nkey, verifier }: FrameOrigin,
):
  | { readonly kind: 'verified'; readonly frame: VerifiedFrame }
  | { readonly kind: 'refused'; readonly fault: FrameFault } {
  if (frame.room !== room) return { kind: 'refused', fault: 'wrong-room' };
  try {
    const ctHash = runtimePrimitives.sha256(fromBase64Url(frame.ct, 'ct'));
    const signed = {
      publicKey: decodeNkey(nkey, 'sender'),
      message: frameSignatureInput(frameAad(frame), ctHash),
      signature: fromBase64Url(frame.sig, 'sig'),
    };
    if (verifier.verify(signed, 'sender')) return { kind: 'verified', frame: frame as VerifiedFrame };
  } catch (error) {
    if (!isVakError(error, 'invalid-payload')) throw error;
  }
  return { kind: 'refused', fault: 'bad-signature' };
}

/** Why a frame that its sender did sign says nothing: another key or changed bytes, a padding of another form, no schema that fits. */
export type OpeningFault = 'does-not-open' | 'bad-padding' | 'bad-content';

/** `why`: for people; types and lengths only. */
export type OpenedFrame =
  | { readonly kind: 'opened'; readonly content: RoomContent }
  | { readonly kind: 'refused'; readonly fault: OpeningFault; readonly why: string };

const refused = (fault: OpeningFault, why: string): OpenedFrame => ({ kind: 'refused', fault, why });

function openText(frame: VerifiedFrame, roomKey: Secret): Uint8Array | undefined {
  const input = { nonce: countedNonce(frame.counter), text: fromBase64Url(frame.ct, 'ct'), aad: frameAad(frame) };
  return withFrameKey(roomKey, frame, (key) => {
    try {
      return runtimePrimitives.chacha20Poly1305.open({ key, ...input });
    } catch {
      // The lengths fit, so the tag is all that can be refused.
      return undefined;
    }
  });
}

/**
 * The last check: opens under the key of the frame's epoch. Membership, epoch and replay window come before (R7).
 * Throws `locked` if the key was erased.
 */
export function openFrame(frame: VerifiedFrame, roomKey: Secret): OpenedFrame {
  const text = openText(frame, roomKey);
  if (text === undefined) {
    return refused('does-not-open', `the key of epoch ${frame.epoch} does not open it: it was sealed under another`);
  }
  const bytes = unpadBytes(text);
  if (bytes === undefined) return refused('bad-padding', `its padding has no such form (${text.length} bytes)`);
  try {
    return { kind: 'opened', content: decodeRoomContent(frame.kind, bytes) };
  } catch (error) {
    if (error instanceof VakError) return refused('bad-content', error.message);
    throw error;
  }
}
