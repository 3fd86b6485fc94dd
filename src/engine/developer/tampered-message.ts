/**
 * Messages that are not what they claim, to see how the workbench shows them.
 * Law: each takes a sound message of the developer's peer and changes exactly one thing.
 */
import { fromBase64Url, toBase64Url } from '../../shared/base/base64url.ts';
import { utf8 } from '../../shared/base/bytes.ts';
import type { Tampering } from '../../shared/contract/developer-contract.ts';
import type { Envelope } from '../../shared/protocol/envelope.ts';
import { decodeEnvelope, encodeEnvelope, payloadBytesOf } from '../../shared/protocol/envelope-codec.ts';
import type { StatusPayload } from '../../shared/protocol/payloads.ts';
import { buildSubject } from '../../shared/protocol/subject.ts';
import { startTrace } from '../../shared/protocol/trace-context.ts';
import type { Bus } from '../bus/bus.ts';
import type { Randomness } from '../ports/randomness.ts';
import type { AuthorChanges, DeveloperPeer } from './developer-peer.ts';

/** What publishing takes. */
export interface TamperDeps {
  readonly bus: Bus;
  readonly peer: DeveloperPeer;
  readonly randomness: Randomness;
  readonly workspace: string;
}

function withFlippedBit(bytes: Uint8Array): Uint8Array {
  const changed = bytes.slice();
  changed[0] = (changed[0] ?? 0) ^ 1;
  return changed;
}

function withOtherSignature({ signed }: Envelope): Envelope['signed'] {
  if (signed === undefined) return undefined;
  const signature = toBase64Url(withFlippedBit(fromBase64Url(signed.signature, 'signature')));
  return { ...signed, signature };
}

/** What becomes of a sound envelope's bytes on the way; several: all are published. */
const changes: Readonly<Record<Tampering, (sound: Uint8Array) => readonly Uint8Array[]>> = {
  ciphertext: changedBy((envelope) => ({
    ...envelope,
    data: { kind: 'bytes', bytes: withFlippedBit(payloadBytesOf(envelope)) },
  })),
  metadata: changedBy((envelope) => ({ ...envelope, seqnum: envelope.seqnum + 7 })),
  signature: changedBy((envelope) => ({ ...envelope, signed: withOtherSignature(envelope) })),
  plain: (sound) => [sound],
  unsigned: changedBy((envelope) => ({ ...envelope, signed: undefined })),
  replay: (sound) => [sound, sound.slice()],
  'wrong-sender': (sound) => [sound],
  'no-envelope': () => [utf8('{"state":"done","detail":{"reason":"no envelope around this"}}')],
};

function changedBy(change: (envelope: Envelope) => Envelope): (sound: Uint8Array) => readonly Uint8Array[] {
  return (sound) => [encodeEnvelope(change(decodeEnvelope(sound)))];
}

/** Which author is needed for what cannot be done to bytes afterwards. */
const authors: Partial<Record<Tampering, AuthorChanges>> = {
  plain: { isSealing: false },
  'wrong-sender': { peer: 'worker-1' },
};

/** Publishes a sound message and then the tampered one; gives their session. Throws `locked`, `forbidden`. */
export async function publishTampered(deps: TamperDeps, tampering: Tampering): Promise<string> {
  const { bus, peer, randomness, workspace } = deps;
  const { session, author } = await peer.newSession('tampered', authors[tampering] ?? {});
  const subject = buildSubject({ plane: 'events', workspace, entity: session, verb: 'status' });
  const trace = startTrace(randomness.bytes);
  const say = (reason: string, handOver: (data: Uint8Array) => void): void => {
    const payload = utf8(JSON.stringify({ state: 'progress', detail: { reason } } satisfies StatusPayload));
    author.publish({ subject, payload, trace }, handOver);
  };
  if (authors[tampering] === undefined) say('a sound message', (data) => bus.publish(subject, data));
  say(`the next one was tampered with: ${tampering}`, (data) => {
    for (const one of changes[tampering](data)) bus.publish(subject, one);
  });
  return session;
}
