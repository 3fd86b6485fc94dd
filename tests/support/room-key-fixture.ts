/** Rooms' keys, members and places for tests, the same at each run; and `L` written a second time, by the protocol's words alone. */
import { deriveX25519PublicKey } from '../../src/engine/crypto/x25519.ts';
import { createSecret, type Secret } from '../../src/engine/identity/secret.ts';
import type { OwnBox } from '../../src/engine/rooms/key-package.ts';
import { toBase64Url } from '../../src/shared/base/base64url.ts';

export const room = 'abcdefghijklmnopqrstuvwx23';
export const otherRoom = '32xwvutsrqponmlkjihgfedcba';

/** 32 bytes of a number. */
export const bytes32 = (n: number): Uint8Array => new Uint8Array(32).fill(n);
/** The same as base64url. */
export const text32 = (n: number): string => toBase64Url(bytes32(n));

/** A room key of a number. */
export const keyOf = (n: number): Secret => createSecret(bytes32(n));

/** The id of a number's message, a UUID v7. */
export const messageIdOf = (n: number): string => `0197a3c0-0000-7000-8000-${n.toString(16).padStart(12, '0')}`;

/** The box of a number, as its owner has it. */
export const ownBoxOf = (n: number): OwnBox => ({
  publicKey: deriveX25519PublicKey(bytes32(n)),
  secretKey: createSecret(bytes32(n)),
});

const sized = (bytes: Uint8Array): Buffer => {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(bytes.length);
  return Buffer.concat([length, bytes]);
};
const whole = (value: number): Buffer => {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64BE(BigInt(value));
  return bytes;
};

/** `L(label, …)`: a second implementation. */
export function plainLabelled(label: string, ...fields: readonly (string | number | Uint8Array | undefined)[]): Buffer {
  const parts = fields.map((field) => {
    if (field === undefined) return Buffer.from('ffffffff', 'hex');
    if (typeof field === 'string') return sized(Buffer.from(field));
    return sized(typeof field === 'number' ? whole(field) : field);
  });
  return Buffer.concat([Buffer.from(`${label}\0`), ...parts]);
}
