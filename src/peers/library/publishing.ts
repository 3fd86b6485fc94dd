/** Publishes what a program says, as the peer that its connection is (protocol.md E8, E12, E13, B8). */
import type { EnvelopeAuthor, EnvelopeDraft } from '../../engine/envelope/envelope-author.ts';
import { leafOf } from '../../engine/envelope/hashing.ts';
import { isNeverSealed } from '../../engine/envelope/never-sealed.ts';
import { checkRecipient } from '../../engine/identity/recipient-check.ts';
import { requireStream } from '../../engine/outbox/require-stream.ts';
import type { WorkPorts } from '../../engine/work/work-peer.ts';
import { utf8 } from '../../shared/base/bytes.ts';
import { VakError } from '../../shared/base/vak-error.ts';
import { chainKindOf } from '../../shared/protocol/chain-kind.ts';
import { buildSubject, parseSubject, type SubjectParts, typeOfSubject } from '../../shared/protocol/subject.ts';
import { startTrace } from '../../shared/protocol/trace-context.ts';
import { publishDurably } from '../cli/publish-delivery.ts';
import { contentTypeOf, findMisfit } from '../cli/publish-payload.ts';
import { needsOwnSession, ownSession, typedPlanes } from '../cli/publish-subject.ts';
import type { RunningPeer } from '../work-peer.ts';
import type { Published, PublishOptions } from './library-api.ts';

export interface PublishingDeps {
  readonly peer: RunningPeer;
  /** Of what no stream keeps. */
  readonly live: { readonly session: string; readonly author: EnvelopeAuthor };
  readonly ports: WorkPorts;
}

/** `signal`: its reason is a VakError. */
export type Publish = (
  subject: string,
  value: unknown,
  options: Omit<PublishOptions, 'signal'> & { readonly signal: AbortSignal },
) => Promise<Published>;

/** A value as JSON. Throws `invalid-payload` for what JSON cannot say. */
export function jsonBytes(value: unknown, field: string): Uint8Array {
  const refuse = (why: string, cause?: unknown): never => {
    throw new VakError('invalid-payload', `${field}: ${why}`, { cause, details: { field } });
  };
  let text: string | undefined;
  try {
    text = JSON.stringify(value);
  } catch (error) {
    return refuse('JSON cannot hold it: it has a cycle, a BigInt, or a toJSON that throws', error);
  }
  return text === undefined ? refuse(`JSON cannot hold ${typeof value}`) : utf8(text);
}

/** Throws `invalid-subject`, `invalid-input` for what every receiver would refuse. */
function checkWanted(parts: SubjectParts, { type, sealed }: PublishOptions, workspace: string): void {
  const rowType = typeOfSubject(parts);
  if (parts.workspace !== workspace) {
    throw new VakError(
      'invalid-subject',
      `subject: is of workspace ${parts.workspace}, this connection of ${workspace}`,
    );
  }
  if (type !== undefined && type !== rowType && typedPlanes.has(parts.plane)) {
    throw new VakError('invalid-input', `type: this subject carries ${rowType} alone; leave it out`);
  }
  if (needsOwnSession(parts) && parts.entity !== ownSession) {
    const own = `vak.${parts.plane}.${workspace}.${ownSession}.${parts.verb}`;
    throw new VakError(
      'invalid-input',
      `subject: names a session, and receivers refuse those of others (A4); write ${own} for this connection's own`,
    );
  }
  if (sealed === true && isNeverSealed(rowType)) {
    throw new VakError('invalid-input', `sealed: ${rowType} is never sealed (E8); leave it out`);
  }
}

/** Creates what publishes for one connection. */
export function createPublishing({ peer, live, ports }: PublishingDeps): Publish {
  const { workspace, bus, durable, publisher, permit, fabric } = peer;
  const { clock, randomness } = ports;
  /** Planes whose stream was seen: it is looked for once. */
  const seenPlanes = new Set<string>();

  async function requireStreamOnce(subject: string, plane: string): Promise<void> {
    if (seenPlanes.has(plane)) return;
    await requireStream(subject, durable);
    // While the server is away nothing is said of it.
    if (fabric.status().kind === 'connected') seenPlanes.add(plane);
  }

  function publishLive(draft: EnvelopeDraft): Published {
    const { kind } = fabric.status();
    if (kind !== 'connected' && kind !== 'stale') {
      const message = `publish ${draft.subject}: the connection is ${kind}, and no stream keeps it; nothing was published`;
      throw new VakError('disconnected', message, { retryable: true });
    }
    const envelope = live.author.publish(draft, (bytes) => bus.publish(draft.subject, bytes));
    return { id: envelope.id, subject: draft.subject, leaf: leafOf(envelope), stream: undefined, seq: undefined };
  }

  async function publishStored(draft: EnvelopeDraft, signal: AbortSignal): Promise<Published> {
    const { subject } = draft;
    // What may not be published takes no place in the chain.
    permit.check('publish', subject);
    await requireStreamOnce(subject, parseSubject(subject).plane);
    signal.throwIfAborted();
    const { id, leaf, stream, seq } = await publishDurably(publisher, draft, { clock, signal });
    return { id, subject, leaf, stream, seq };
  }

  return async (text, value, options) => {
    const parts = parseSubject(text);
    checkWanted(parts, options, workspace);
    const kind = chainKindOf(parts);
    const session = kind === 'e' ? live.session : publisher.session(kind);
    const subject = buildSubject(needsOwnSession(parts) ? { ...parts, entity: session } : parts);
    checkRecipient(subject, peer.open.pins);
    const payload = value instanceof Uint8Array ? value : jsonBytes(value, 'value');
    const { type = typeOfSubject(parts), causationId, sealed, signal } = options;
    const misfit = findMisfit(type, payload);
    if (misfit !== undefined)
      throw new VakError('invalid-payload', `value: ${misfit}`, { details: { field: 'value' } });
    const draft: EnvelopeDraft = {
      ...{ subject, payload, type, trace: startTrace(randomness.bytes), contentType: contentTypeOf(payload) },
      ...(causationId === undefined ? {} : { causationId }),
      ...(sealed === false ? { isPlain: true } : {}),
    };
    return kind === 'e' ? publishLive(draft) : await publishStored(draft, signal);
  };
}
