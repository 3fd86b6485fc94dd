/** Judges one envelope as it lies there (protocol.md E1, E2, E7, E10, E13, I4): what `vak envelope verify` prints. */
import { isSignedBy } from '../../engine/envelope/envelope-signature.ts';
import { leafOf, payloadHashOf } from '../../engine/envelope/hashing.ts';
import { createRecordChecks, type RecordChecks } from '../../engine/identity/signed-record.ts';
import { createSignerResolution, type SignerVerdict } from '../../engine/identity/signer-resolution.ts';
import { isVakError } from '../../shared/base/vak-error.ts';
import { rolesThatMayPublish } from '../../shared/protocol/acl.ts';
import type { Envelope, SignatureAttributes } from '../../shared/protocol/envelope.ts';
import { aadOf } from '../../shared/protocol/envelope-aad.ts';
import { parseSource } from '../../shared/protocol/envelope-fields.ts';
import { parseKeyId } from '../../shared/protocol/key-id.ts';
import { readMessage } from './message-reading.ts';
import type { OpenWorkspace } from './workspace.ts';

/** `valid`: the signature is that key's over this envelope and, where grants are known, the key may sign it. */
export type SignatureState = 'unsigned' | 'valid' | 'invalid' | 'unknown-signer';

export type GrantState = 'judged' | 'not-judged';

export interface EnvelopeVerdict {
  readonly ok: boolean;
  readonly wire: 'cloudevents' | 'vak-rs' | 'unknown';
  readonly leaf: string | null;
  /** What the envelope says. */
  readonly payloadhash: string | null;
  readonly payloadhashOk: boolean;
  /** Of a sealed one. */
  readonly aad?: string;
  readonly sealed: boolean;
  readonly signature: {
    readonly state: SignatureState;
    /** Whether the workspace's grants were asked if the key may sign this. */
    readonly grant: GrantState;
    readonly signer?: string;
  };
  /** What is wrong, in sentences; none if `ok`. */
  readonly errors: readonly string[];
}

/** Whose grants are known, and the time at which they are judged, ms since the epoch. */
export interface KnownGrants {
  readonly open: OpenWorkspace | undefined;
  readonly atMs: number;
}

interface Judged {
  readonly state: SignatureState;
  readonly grant: GrantState;
  readonly why?: string;
}

/** What a judgement rests on. */
interface Known extends KnownGrants {
  readonly checks: RecordChecks;
}

/** Why the bytes of a signature are not right, if so. */
function findBadSignature(
  envelope: Envelope,
  signed: SignatureAttributes,
  { verifier }: RecordChecks,
): string | undefined {
  try {
    if (isSignedBy(envelope, signed, verifier)) return undefined;
    return 'signature: does not verify: an attribute was changed after signing, or another key signed';
  } catch (error) {
    if (isVakError(error)) return error.message;
    throw error;
  }
}

const stateOf: Readonly<Record<SignerVerdict['kind'], SignatureState>> = {
  granted: 'valid',
  unknown: 'unknown-signer',
  'wrong-peer': 'unknown-signer',
  'wrong-role': 'invalid',
  expired: 'invalid',
  replayed: 'invalid',
};

/** Whether the workspace grants the key what it signed. */
function judgeGrant(envelope: Envelope, signer: string, { open, atMs, checks }: Known): Judged {
  const held = open?.contents().workspaces.find(({ workspace }) => workspace === open.workspace);
  if (open === undefined || held === undefined) return { state: 'valid', grant: 'not-judged' };
  const { workspaceid: ws, agentid: peer, sessionid = '', subject = '' } = envelope;
  const roles = rolesThatMayPublish(subject, { workspace: ws, peer, session: sessionid });
  const { directory, floor } = open;
  const resolution = createSignerResolution({
    ws: open.workspace,
    rootPublic: held.rootPublic,
    directory,
    floor,
    checks,
  });
  const verdict = resolution.resolveSigner({ ws, peer, signer, roles, at: atMs });
  if (verdict.kind === 'granted') return { state: 'valid', grant: 'judged' };
  const why = roles.length === 0 ? `No role lets ${peer} publish on its subject.` : verdict.why;
  return { state: stateOf[verdict.kind], grant: 'judged', why: `signer: ${why}` };
}

function judgeSignature(envelope: Envelope, known: Known): Judged {
  const { signed } = envelope;
  if (signed === undefined) return { state: 'unsigned', grant: 'not-judged' };
  const why = findBadSignature(envelope, signed, known.checks);
  return why === undefined
    ? judgeGrant(envelope, signed.signer, known)
    : { state: 'invalid', grant: 'not-judged', why };
}

/** What does not fit together between attributes (A4, E7). */
function findDisagreements({ source, workspaceid, agentid, sessionid, seal, signed }: Envelope): readonly string[] {
  const errors: string[] = [];
  const origin = parseSource(source);
  if (origin === undefined && signed !== undefined)
    errors.push('source: names no peer, so no grant can cover the signature');
  if (origin !== undefined) {
    const { ws, peer, session } = origin;
    if (ws !== workspaceid) errors.push('workspaceid: is not the workspace that source names');
    if (peer !== agentid) errors.push('agentid: is not the peer that source names');
    if (session !== sessionid) errors.push('sessionid: is not the session that source names');
  }
  const keyPeer = seal === undefined ? undefined : parseKeyId(seal.keyid)?.peer;
  if (keyPeer !== undefined && keyPeer !== agentid) errors.push('keyid: is a key of another peer than agentid names');
  return errors;
}

function judge(wire: EnvelopeVerdict['wire'], envelope: Envelope, known: Known): EnvelopeVerdict {
  const { payloadhash, seal, signed } = envelope;
  const payloadhashOk = payloadHashOf(envelope) === payloadhash;
  const { state, grant, why } = judgeSignature(envelope, known);
  const errors = [
    ...(payloadhashOk ? [] : ['payloadhash: is not the SHA-256 of the payload that came']),
    ...findDisagreements(envelope),
    ...(why === undefined ? [] : [why]),
  ];
  return {
    ok: errors.length === 0,
    wire,
    leaf: leafOf(envelope),
    payloadhash,
    payloadhashOk,
    ...(seal === undefined ? {} : { aad: aadOf(envelope) }),
    sealed: seal !== undefined,
    signature: { state, grant, ...(signed === undefined ? {} : { signer: signed.signer }) },
    errors,
  };
}

/** The verdict on the bytes of one message. Never throws for what they hold. */
export function judgeBytes(bytes: Uint8Array, known: KnownGrants): EnvelopeVerdict {
  try {
    const { wire, envelope } = readMessage(bytes);
    return judge(wire, envelope, { ...known, checks: createRecordChecks() });
  } catch (error) {
    if (!isVakError(error)) throw error;
    return {
      ...{ ok: false, wire: 'unknown', leaf: null, payloadhash: null, payloadhashOk: false, sealed: false },
      signature: { state: 'unsigned', grant: 'not-judged' },
      errors: [error.message],
    };
  }
}
