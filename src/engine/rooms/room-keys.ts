/**
 * Room keys and what is derived of them (protocol.md R4, R5, R7, R12; HKDF as R29 says).
 * Law: no two uses share a key: each has its own label, and a message key its epoch, sender and boot, a file key its salt.
 */
import { fromBase64Url } from '../../shared/base/base64url.ts';
import { utf8 } from '../../shared/base/bytes.ts';
import { labelledFields } from '../../shared/protocol/labelled-fields.ts';
import { type FramePlace, messageKeyInfo } from '../../shared/protocol/room-frame-input.ts';
import { runtimePrimitives } from '../crypto/runtime-primitives.ts';
import { createSecret, type Secret } from '../identity/secret.ts';
import type { Randomness } from '../ports/randomness.ts';

/** Bytes of a room key, and of all that is derived of one. */
export const roomKeyBytes = 32;

const noSalt = new Uint8Array(0);
const commitInfo = utf8('vak-room-commit-v1');
const mediaInfo = utf8('vak-room-media-v1');

function derive(key: Secret, info: Uint8Array, salt: Uint8Array = noSalt): Uint8Array {
  return runtimePrimitives.hkdfSha256({ ikm: key.reveal(), salt, info, length: roomKeyBytes });
}

/** A fresh K: of CREATE, REKEY and KICK. */
export function createRoomKey(randomness: Randomness): Secret {
  return createSecret(randomness.bytes(roomKeyBytes));
}

/** What the log says of a K before anybody is given it (R4): 32 bytes, which tell nothing of K. */
export function commitRoomKey(key: Secret): Uint8Array {
  return derive(key, commitInfo);
}

/** K' of the epoch that a JOIN begins, of the K before it; `joinHash`: 32 bytes of that entry (R4). */
export function stepRoomKey(key: Secret, joinHash: Uint8Array): Secret {
  return createSecret(derive(key, labelledFields('vak-room-step-v1', [joinHash])));
}

/** Whose frames a message key seals. */
export type FrameKeyPlace = Pick<FramePlace, 'room' | 'epoch' | 'sender' | 'boot'>;

/** The key of the frames of one process start of one sender in one epoch (R7). */
export function deriveFrameKey(key: Secret, place: FrameKeyPlace): Secret {
  return createSecret(derive(key, messageKeyInfo(place), utf8(place.room)));
}

/** The key of one attachment (R12). `salt`: base64url of 32 bytes. */
export function deriveMediaKey(key: Secret, salt: string): Secret {
  return createSecret(derive(key, mediaInfo, fromBase64Url(salt, 'salt')));
}
