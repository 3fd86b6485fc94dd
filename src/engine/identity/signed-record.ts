/**
 * What cards and grants have in common: a schema first, then a signature over their fields (protocol.md I1, I4).
 * Law: only what passed both is of a verified type, and only that type is believed further on.
 */
import { createHash } from 'node:crypto';
import type { z } from 'zod';
import { fromBase64Url } from '../../shared/base/base64url.ts';
import { firstIssue } from '../../shared/base/issue-words.ts';
import { VakError } from '../../shared/base/vak-error.ts';
import { createEd25519Verifier, type Ed25519Verifier } from '../crypto/ed25519.ts';
import { createPublicKeyCheck, type PublicKeyCheck } from '../crypto/public-key-check.ts';
import { decodeNkey } from './nkey.ts';

/** A record whose signature was found right, or that was signed here. */
export type Verified<T> = T & { readonly __brand: 'Verified' };

/** What verifying needs; both remember keys, so one of each serves a whole process. */
export interface RecordChecks {
  readonly keys: PublicKeyCheck;
  readonly verifier: Ed25519Verifier;
}

/** Creates the checks of a process. */
export function createRecordChecks(): RecordChecks {
  const keys = createPublicKeyCheck();
  return { keys, verifier: createEd25519Verifier({ keys }) };
}

/** The record if it fits its schema; `invalid-payload` that begins with `what` and names the field otherwise. */
export function parseRecord<T>(schema: z.ZodType<T>, value: unknown, what: string): T {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new VakError('invalid-payload', `${what}: ${firstIssue(parsed.error)}`, {
    details: { field: parsed.error.issues[0]?.path.map(String).join('.') ?? '' },
  });
}

/** A signature as a record carries it. */
export interface RecordSignature {
  /** For errors: `card`, `grant`. */
  readonly what: string;
  /** `U…` of whoever must have signed. */
  readonly nkey: string;
  readonly message: Uint8Array;
  /** base64url */
  readonly signature: string;
}

/** Throws `invalid-payload` (`details.field` is `signature`) unless the signature is that key's over that message. */
export function checkRecordSignature(signed: RecordSignature, verifier: Ed25519Verifier): void {
  const { what, nkey, message } = signed;
  const signature = fromBase64Url(signed.signature, `${what} signature`);
  const publicKey = decodeNkey(nkey, `${what} key`);
  if (verifier.verify({ publicKey, message, signature }, `${what} key`)) return;
  throw new VakError('invalid-payload', `${what}: its signature is not that of the key it needs`, {
    details: { field: 'signature' },
  });
}

/** Names a record with its signature: SHA-256 in hex. Equal digests mean equal records. */
export function digestRecord(message: Uint8Array, signature: string): string {
  return createHash('sha256').update(message).update(signature).digest('hex');
}
