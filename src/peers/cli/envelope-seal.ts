/** `vak envelope seal`: a plain envelope in, the sealed one out (protocol.md E6, E7, E8). */

import { createEnvelopeSealer } from '../../engine/envelope/envelope-sealer.ts';
import { signEnvelope } from '../../engine/envelope/envelope-signature.ts';
import { payloadHashOf } from '../../engine/envelope/hashing.ts';
import { isNeverSealed } from '../../engine/envelope/never-sealed.ts';
import { createSecretRegistry, type WorkspaceSecretEntry } from '../../engine/envelope/secret-registry.ts';
import type { StoredIdentity } from '../../engine/identity/key-store.ts';
import { createNkeySigner } from '../../engine/identity/nkey.ts';
import { toText } from '../../shared/base/bytes.ts';
import { isVakError, VakError } from '../../shared/base/vak-error.ts';
import type { Envelope } from '../../shared/protocol/envelope.ts';
import { decodeEnvelope, encodeEnvelope, payloadBytesOf } from '../../shared/protocol/envelope-codec.ts';
import { parseSource } from '../../shared/protocol/envelope-fields.ts';
import { checkToken, parseSubject, typeOfSubject } from '../../shared/protocol/subject.ts';
import type { CliHost, Command } from './command.ts';
import { type EnvelopeWorkspace, withEnvelopeWorkspace } from './envelope-workspace.ts';
import { secretNeed } from './example-needs.ts';
import { readOneValue } from './standard-input.ts';
import { chosenIdentity, type OpenWorkspace } from './workspace.ts';

function refuse(why: string): never {
  throw new VakError('invalid-input', `envelope: ${why}`);
}

const neverSealed =
  'never sealed (E8): rooms (vak.rooms), keys (vak.keys), control (vak.control), checkpoints and voids (vak.audit) are exempt, ' +
  'for they have a cipher of their own or must be read without the secret; send it plain and signed';

/** The type of the subject that it is for; undefined if it names none. Throws `invalid-input` if it fits no row (S4). */
function subjectType({ subject }: Envelope): string | undefined {
  if (subject === undefined) return undefined;
  try {
    return typeOfSubject(parseSubject(subject));
  } catch (error) {
    if (!isVakError(error)) throw error;
    return refuse(`subject fits no row of the fabric (S4), so nobody would take it: ${error.message}`);
  }
}

/** A hash as it is told: enough of it to know it again. */
const shortened = (hash: string): string => `${hash.slice(0, 12)}…`;

/** Throws `invalid-input` for what cannot be sealed, or would lose a signature, or the proof that its payload was changed. */
function checkSealable(envelope: Envelope, isSigned: boolean): void {
  const { seal, signed, type, payloadhash } = envelope;
  if (seal !== undefined) refuse('is sealed already');
  const bySubject = subjectType(envelope);
  if (isNeverSealed(type)) refuse(`its type is ${neverSealed}`);
  if (bySubject !== undefined && isNeverSealed(bySubject)) refuse(`its subject is of a type that is ${neverSealed}`);
  const actual = payloadHashOf(envelope);
  if (actual !== payloadhash) {
    const both = `payloadhash is ${shortened(payloadhash)}, its payload hashes to ${shortened(actual)}`;
    refuse(`${both}: the payload was changed, and sealing would overwrite the evidence`);
  }
  if (signed === undefined || isSigned) return;
  refuse('is signed, and sealing would break its signature; give --sign-as to sign it anew');
}

/** The one secret to seal with. Throws `invalid-input` if there is none, or it only opens. */
function chosenSecret(secrets: readonly WorkspaceSecretEntry[], wanted: string | undefined): WorkspaceSecretEntry {
  const found =
    wanted === undefined
      ? secrets.findLast(({ state }) => state === 'active')
      : secrets.find(({ id }) => id === wanted);
  if (found?.state === 'active') return found;
  if (found !== undefined)
    throw new VakError('invalid-input', `--secret: that one is ${found.state}, it seals nothing any more`);
  const ids = secrets.map(({ id }) => id).join(', ');
  const there = ids === '' ? 'there is none' : `there are ${ids}`;
  const advice = 'set VAK_WORKSPACE_SECRET_FILE, or VAK_PASSPHRASE_FILE for those of the profile';
  throw new VakError('invalid-input', `--secret: no such secret here, ${there}; ${advice}`);
}

function sealUnder(envelope: Envelope, secret: WorkspaceSecretEntry, { clock, randomness }: CliHost): Envelope {
  const registry = createSecretRegistry({ source: { secrets: () => [secret], version: () => 0 }, clock });
  const sealer = createEnvelopeSealer({ registry, peer: envelope.agentid, clock, randomness });
  const { seal, sealed } = sealer.seal(envelope, payloadBytesOf(envelope));
  const datacontenttype = 'application/octet-stream';
  const plain: Envelope = {
    ...envelope,
    seal,
    datacontenttype,
    data: { kind: 'bytes', bytes: sealed },
    signed: undefined,
  };
  return { ...plain, payloadhash: payloadHashOf(plain) };
}

/** The identity to sign as. Throws `invalid-input` if there is none of that name. */
function signingIdentity(open: OpenWorkspace, peer: string): StoredIdentity {
  try {
    return chosenIdentity(open.contents(), peer);
  } catch (error) {
    if (!isVakError(error, 'not-found')) throw error;
    throw new VakError('invalid-input', `--sign-as: ${error.message}`, { cause: error });
  }
}

/** Signs as an identity of the profile. Throws `invalid-input`, also if the envelope is another peer's. */
function signWith(envelope: Envelope, { open }: EnvelopeWorkspace, peer: string): Envelope {
  if (open === undefined) throw new TypeError('signWith: the workspace is not open');
  const identity = signingIdentity(open, peer);
  if (envelope.agentid !== identity.peer || parseSource(envelope.source)?.peer !== identity.peer) {
    refuse(
      `is not one of ${identity.peer}, who would sign it: source and agentid must name that peer (see vak id show)`,
    );
  }
  const signer = createNkeySigner(identity.signSeed);
  try {
    return signEnvelope(envelope, signer);
  } finally {
    signer.dispose();
  }
}

export const envelopeSeal: Command = {
  words: ['envelope', 'seal'],
  changes: 'nothing',
  args: [],
  options: {
    secret: { value: 'ID', help: 'id of the secret to seal with (default: the newest active one)' },
    'sign-as': { value: 'PEER', help: 'signs it too, with the key of that identity of the profile' },
  },
  summary: 'Seals the payload of the envelope on stdin.',
  notes: `Takes a plain envelope (CloudEvents JSON with all attributes) and prints it with its payload sealed, payloadhash set anew and
datacontenttype application/octet-stream. The nonce is random, the key id that of agentid. Its leaf is another one then, so
seal before the next envelope of the chain is written. A signed one is refused unless --sign-as replaces the signature. Refused
too: what is never sealed by its type or subject (rooms, keys, control, checkpoint, void), a subject that fits no row of the
fabric, and a payload that payloadhash is not the hash of. The secret of the environment has the id env and counts as the
newest; those of the profile need VAK_PASSPHRASE_FILE.`,
  needs: `${secretNeed}; plain.json holds one envelope, plain and without a signature`,
  example: 'VAK_WORKSPACE_SECRET_FILE=~/secret vak envelope seal --secret env < plain.json > sealed.json',
  async run({ common, option }, host) {
    const wantedId = option('secret');
    if (wantedId !== undefined) checkToken(wantedId, '--secret');
    const signAs = option('sign-as');
    if (signAs !== undefined) checkToken(signAs, '--sign-as');
    const envelope = decodeEnvelope(await readOneValue(host.input(), host.signal));
    checkSealable(envelope, signAs !== undefined);
    const wanted = signAs === undefined ? 'secrets' : 'identity';
    await withEnvelopeWorkspace({ common, wanted }, host, (workspace) => {
      const sealed = sealUnder(envelope, chosenSecret(workspace.secrets, wantedId), host);
      const written = signAs === undefined ? sealed : signWith(sealed, workspace, signAs);
      host.output.print(`${toText(encodeEnvelope(written))}\n`);
    });
    return undefined;
  },
};
