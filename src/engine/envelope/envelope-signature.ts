/**
 * Signatures of envelopes: made, and judged against the grants of the workspace (protocol.md E13, I4).
 * Law: a signature counts only as Ed25519 by the granted key of the peer that `source` and `agentid` name, with a role that the
 * subject needs; whatever else is said with its true cause.
 */
import { fromBase64Url, toBase64Url } from '../../shared/base/base64url.ts';
import { isVakError } from '../../shared/base/vak-error.ts';
import type { SignatureReport } from '../../shared/contract/trust-report.ts';
import type { Envelope, SignatureAttributes } from '../../shared/protocol/envelope.ts';
import { parseSource } from '../../shared/protocol/envelope-fields.ts';
import { roles as allRoles, type Role } from '../../shared/protocol/roles.ts';
import { signatureInput } from '../../shared/protocol/signature-input.ts';
import type { Ed25519Verifier } from '../crypto/ed25519.ts';
import { decodeNkey, type NkeySigner } from '../identity/nkey.ts';
import type { SignerQuestion, SignerResolution } from '../identity/signer-resolution.ts';
import { leafOf } from './hashing.ts';

/** The envelope, signed; what was signed before is replaced. Throws `locked` if the signer was erased. */
export function signEnvelope(envelope: Envelope, signer: NkeySigner): Envelope {
  const signature = toBase64Url(signer.sign(signatureInput(envelope, leafOf(envelope))));
  return { ...envelope, signed: { signer: signer.nkey, signature } };
}

/** Roles any of which lets the envelope's peer publish there; `queue`: the one that a worker must be granted. */
export interface NeededRoles {
  readonly roles: readonly Role[];
  readonly queue?: string;
}

export interface SignatureCheck {
  /**
   * Judges the signature of an envelope that came on `subject`, by the grant in force at `atMs` (the stream's stored time; live:
   * the arrival). Whether `subject` is the envelope's own is the caller's to see. Never throws for what came.
   */
  check(envelope: Envelope, subject: string, atMs: number): SignatureReport;
}

/** What a check is made of. */
export interface SignatureCheckDeps {
  readonly verifier: Ed25519Verifier;
  readonly resolution: SignerResolution;
  readonly rolesFor: (subject: string, envelope: Envelope) => NeededRoles;
}

/** Why source and agentid do not name one peer of the envelope's workspace, if so (A4, I4). */
function findForeignOrigin({ source, workspaceid, agentid, sessionid }: Envelope): string | undefined {
  const origin = parseSource(source);
  if (origin === undefined) return 'source names no peer of a workspace, so no grant can cover the signature.';
  const wrong = [
    origin.ws === workspaceid ? undefined : 'workspaceid',
    origin.peer === agentid ? undefined : 'agentid',
    origin.session === sessionid ? undefined : 'sessionid',
  ].filter((name) => name !== undefined);
  return wrong.length === 0 ? undefined : `source and ${wrong.join(', ')} do not name the same sender.`;
}

/** Whether its signer signed the envelope as it is. Throws `invalid-payload` if key or signature has no such form. */
export function isSignedBy(
  envelope: Envelope,
  { signer, signature }: SignatureAttributes,
  verifier: Ed25519Verifier,
): boolean {
  const signed = {
    publicKey: decodeNkey(signer, 'signer'),
    message: signatureInput(envelope, leafOf(envelope)),
    signature: fromBase64Url(signature, 'signature'),
  };
  return verifier.verify(signed, 'signer');
}

interface Held {
  readonly roles: readonly Role[];
  readonly queues: readonly string[];
}

const nothingHeld: Held = { roles: [], queues: [] };
const heldIn = ({ roles, queues }: Held): Held => ({ roles, queues });

/** Answers the same question again from memory: who reads a stream asks it of message after message. */
function rememberLast(rolesFor: SignatureCheckDeps['rolesFor']): SignatureCheckDeps['rolesFor'] {
  let last: { readonly question: string; readonly needed: NeededRoles } | undefined;
  return (subject, envelope) => {
    const { workspaceid, agentid, sessionid } = envelope;
    const question = JSON.stringify([subject, workspaceid, agentid, sessionid]);
    if (last?.question !== question) last = { question, needed: rolesFor(subject, envelope) };
    return last.needed;
  };
}

/** Creates the check of one workspace. `rolesFor` looks at nothing of an envelope but whose it is. */
export function createSignatureCheck({ verifier, resolution, ...deps }: SignatureCheckDeps): SignatureCheck {
  const rolesFor = rememberLast(deps.rolesFor);

  /** Why the signature is not one of that key over this envelope, if so. */
  function findBadSignature(envelope: Envelope, signed: SignatureAttributes): string | undefined {
    try {
      if (isSignedBy(envelope, signed, verifier)) return undefined;
      return 'The signature does not verify: an attribute was changed after signing, or another key signed.';
    } catch (error) {
      if (isVakError(error)) return `${error.message}.`;
      throw error;
    }
  }

  /** What the grant in force gives, whatever the subject needs; nothing if no grant is. */
  function heldBy({ queue: _, ...question }: SignerQuestion): Held {
    const verdict = resolution.resolveSigner({ ...question, roles: allRoles });
    return verdict.kind === 'granted' ? heldIn(verdict.grant) : nothingHeld;
  }

  function judge(envelope: Envelope, subject: string, at: { readonly signer: string; readonly atMs: number }) {
    const { workspaceid: ws, agentid: peer } = envelope;
    const question = { ws, peer, signer: at.signer, at: at.atMs, ...rolesFor(subject, envelope) };
    if (question.roles.length === 0) {
      const why = `No role lets ${peer} publish on ${subject}.`;
      return { kind: 'invalid', fault: 'sender', isFinal: true, why, ...heldBy(question) } as const;
    }
    const verdict = resolution.resolveSigner(question);
    if (verdict.kind === 'granted') return { kind: 'valid', why: verdict.why, ...heldIn(verdict.grant) } as const;
    const held = verdict.kind === 'wrong-role' ? heldBy(question) : nothingHeld;
    // Each of these says what is known of grants here and now.
    return { kind: 'invalid', fault: 'sender', isFinal: false, why: verdict.why, ...held } as const;
  }

  return {
    check(envelope, subject, atMs) {
      const { signed, agentid: peer } = envelope;
      if (signed === undefined) return { kind: 'unsigned' };
      const { signer } = signed;
      const why = findBadSignature(envelope, signed) ?? findForeignOrigin(envelope);
      if (why !== undefined) {
        return { kind: 'invalid', fault: 'signature', isFinal: true, signer, peer, ...nothingHeld, why };
      }
      return { signer, peer, ...judge(envelope, subject, { signer, atMs }) };
    },
  };
}
