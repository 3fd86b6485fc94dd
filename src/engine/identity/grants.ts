/**
 * Grants of a workspace's root: made, signed and verified (protocol.md I4).
 * Law: a grant counts only under the root that is pinned, and the key that it names is checked before it counts.
 */
import { toBase64Url } from '../../shared/base/base64url.ts';
import { type Grant, grantRecord } from '../../shared/protocol/identity-records.ts';
import { labelledFields } from '../../shared/protocol/labelled-fields.ts';
import { decodeNkey, type NkeySigner } from './nkey.ts';
import { checkRecordSignature, digestRecord, parseRecord, type RecordChecks, type Verified } from './signed-record.ts';

/** A grant whose signature is the pinned root's. */
export type VerifiedGrant = Verified<Grant>;

/** What a grant says. */
export type GrantFields = Omit<Grant, 'v' | 'signature'>;

/** `L("vak-grant-v1", ws, peer, sign, roles, queues, serial, notAfter)`, the key as raw bytes, lists in the order given. */
function grantMessage(grant: GrantFields): Uint8Array {
  return labelledFields('vak-grant-v1', [
    grant.ws,
    grant.peer,
    decodeNkey(grant.sign, 'grant sign'),
    grant.roles,
    grant.queues,
    grant.serial,
    grant.notAfter,
  ]);
}

/** Signs a grant as root. Throws `invalid-payload` if a field does not fit. */
export function signGrant(fields: GrantFields, root: NkeySigner): VerifiedGrant {
  const signature = toBase64Url(root.sign(grantMessage(fields)));
  return parseRecord(grantRecord, { v: 1, ...fields, signature }, 'grant') as VerifiedGrant;
}

/** Verifies what came: schema, the key that it names, root's signature. Throws `invalid-payload` that names the field. */
export function verifyGrant(value: unknown, rootPublic: string, checks: RecordChecks): VerifiedGrant {
  const grant = parseRecord(grantRecord, value, 'grant');
  checkRecordSignature(
    { what: 'grant', nkey: rootPublic, message: grantMessage(grant), signature: grant.signature },
    checks.verifier,
  );
  checks.keys.checkEd25519(decodeNkey(grant.sign, 'grant sign'), 'grant sign');
  return grant as VerifiedGrant;
}

/** Names a grant; see {@link digestRecord}. Throws `invalid-payload` if a field does not fit. */
export function digestGrant(grant: Grant): string {
  return digestRecord(grantMessage(grant), grant.signature);
}
