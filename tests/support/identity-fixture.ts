/** Keys, cards and grants for tests of identity: the same ones at each run. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { deriveX25519PublicKey } from '../../src/engine/crypto/x25519.ts';
import { type CardFields, signCard, type VerifiedCard } from '../../src/engine/identity/cards.ts';
import { type GrantFields, signGrant, type VerifiedGrant } from '../../src/engine/identity/grants.ts';
import { createNkeySigner, encodeNkeySeed, type NkeySigner } from '../../src/engine/identity/nkey.ts';
import { toBase64Url } from '../../src/shared/base/base64url.ts';
import { type Disposable, toDisposable } from '../../src/shared/base/disposer.ts';

const bytesOf = (n: number): Uint8Array => new Uint8Array(32).fill(n);

/** The signer of a number, 0–255. */
export function signerOf(n: number): NkeySigner {
  return createNkeySigner(encodeNkeySeed(bytesOf(n)));
}

/** Root of workspace `acme` in these tests. */
export const root = signerOf(255);

/** X25519 public key of a number, base64url. */
export function boxOf(n: number): string {
  return toBase64Url(deriveX25519PublicKey(bytesOf(n)));
}

/** A card of peer `ada`, signed with key 1. */
export function cardWith(fields: Partial<CardFields> = {}, signer: NkeySigner = signerOf(1)): VerifiedCard {
  const base = {
    ws: 'acme',
    peer: 'ada',
    kind: 'human',
    agent: false,
    name: 'Ada',
    boxExpiresAt: 2_000_000_000,
  } as const;
  return signCard({ ...base, box: boxOf(1), serial: 1, ...fields }, signer);
}

/** A grant of peer `ada`, key 1, signed by root. */
export function grantWith(fields: Partial<GrantFields> = {}, by: NkeySigner = root): VerifiedGrant {
  const base = {
    ws: 'acme',
    peer: 'ada',
    sign: signerOf(1).nkey,
    roles: ['human'],
    queues: [],
  } satisfies Partial<GrantFields>;
  return signGrant({ ...base, serial: 1, notAfter: 0, ...fields } as GrantFields, by);
}

/** A folder of its own under the system's temporary one. */
export function createScratchFolder(): { readonly path: string } & Disposable {
  const path = mkdtempSync(join(tmpdir(), 'vak-identity-'));
  return { path, ...toDisposable(() => rmSync(path, { recursive: true, force: true })) };
}
