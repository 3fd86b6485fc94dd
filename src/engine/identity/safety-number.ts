/**
 * The safety number of two peers (protocol.md I2, I18): sixty digits that two people read to each other.
 * Law: both sides get the same digits exactly if both know the same two keys under the same two names.
 */
import { createHash } from 'node:crypto';
import { labelledFields } from '../../shared/protocol/labelled-fields.ts';
import type { SafetyPeer } from '../../shared/protocol/safety-text.ts';
import { decodeNkey } from './nkey.ts';

const rounds = 5_200;
const groupCount = 6;
const groupBytes = 5;

/** Thirty digits of one peer: 5 200 rounds of SHA-512, each over the digest before and the key once more. */
function halfOf({ peer, sign }: SafetyPeer): string {
  const key = decodeNkey(sign, 'sign');
  let digest = labelledFields('vak-safety-v1', [key, peer]);
  for (let round = 0; round < rounds; round++) digest = createHash('sha512').update(digest).update(key).digest();
  const view = Buffer.from(digest);
  const groups = Array.from(
    { length: groupCount },
    (_, index) => view.readUIntBE(index * groupBytes, groupBytes) % 100_000,
  );
  return groups.map((group) => String(group).padStart(5, '0')).join('');
}

/** Sixty digits, whichever peer comes first. Throws `invalid-input` for what is no nkey. Takes some 10 ms. */
export function safetyNumber(one: SafetyPeer, other: SafetyPeer): string {
  return [halfOf(one), halfOf(other)].sort().join('');
}
