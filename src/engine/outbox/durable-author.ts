/**
 * Publishes durable messages of one session (protocol.md B8, E12, W1).
 * Law: under a mutex, in the order of the calls, the head advances exactly when the outbox has the envelope on disk, or when a
 * conditional one may have been stored; else it stays, and the next one takes the same place.
 */
import { isVakError, VakError } from '../../shared/base/vak-error.ts';
import { type ChainKind, chainKindOf } from '../../shared/protocol/chain-kind.ts';
import type { ChainHead } from '../../shared/protocol/chain-verdict.ts';
import type { Envelope } from '../../shared/protocol/envelope.ts';
import { parseSubject } from '../../shared/protocol/subject.ts';
import type { Appended, DurablePlane } from '../bus/durable.ts';
import type { EnvelopeAuthor, EnvelopeDraft, WrittenEnvelope } from '../envelope/envelope-author.ts';
import type { Outbox, OutboxEntry, PutOptions } from './outbox.ts';
import { isRefusal, streamOfSubject } from './outbox-delivery.ts';

/** `q` work and inbox, `d` the rest (E12). */
export type DurableKind = Exclude<ChainKind, 'e'>;

/** `stored` resolves when it lies in its stream, rejects when it was refused for good (`settled` of the outbox); nobody need wait for it. */
export interface DurablePublished {
  readonly envelope: Envelope;
  readonly stored: Promise<Appended>;
}

export interface ConditionalPublished {
  readonly envelope: Envelope;
  readonly appended: Appended;
}

export interface ConditionalOptions {
  /** Seq of the subject's last message (0: none). */
  readonly expectedLastSeq: number;
  readonly signal?: AbortSignal;
}

export interface PublishOptions extends PutOptions {
  /** What the stream knows it by; of its id and leaf unless told (W1). */
  readonly messageId?: string;
}

export interface DurableAuthor {
  /**
   * Publishes through the outbox; resolves when it is on disk. Throws what writing throws (`EnvelopeAuthor.write`) or `put` of the
   * outbox, `invalid-subject` for a subject that no stream keeps or that belongs to the other kind of session.
   */
  publish(draft: EnvelopeDraft, options?: PublishOptions): Promise<DurablePublished>;
  /**
   * Publishes at once or not at all, past the outbox (B8). Throws `conflict`, `disconnected` and whatever else `append` throws. After
   * `timeout`, `disconnected`, `closed` or `aborted` with `details.isUnknown` it may have been stored: the outbox finds out, and voids
   * its place if not.
   */
  publishExpecting(draft: EnvelopeDraft, options: ConditionalOptions): Promise<ConditionalPublished>;
  /** The chain's last envelope; undefined before the first. */
  head(): ChainHead | undefined;
}

export interface DurableAuthorDeps {
  /** Of kind q or d, with a signer, and with `outbox.heads`. */
  readonly author: EnvelopeAuthor;
  readonly kind: DurableKind;
  readonly outbox: Outbox;
  readonly durable: () => DurablePlane | undefined;
  /** Told of each envelope by which the head has advanced. */
  readonly onAdvanced?: (head: ChainHead, envelope: Envelope) => void;
}

/** Publishes that wait for their turn at most; their payloads are in memory. */
const maxTurns = 4096;
/** Besides refusals: these say that nothing was stored. */
const notStored: ReadonlySet<string> = new Set(['not-found', 'no-responders', 'read-only', 'disk-full', 'locked']);

/** Whether a failure to append leaves no doubt. */
function saysNotStored(error: unknown): boolean {
  return isRefusal(error) || (isVakError(error) && notStored.has(error.code));
}

function doubtOf(error: unknown): unknown {
  if (!isVakError(error)) return error;
  const message = `${error.message}; it may have been stored: read before publishing it again`;
  return new VakError(error.code, message, { cause: error, details: { ...error.details, isUnknown: true } });
}

/** W1: `Nats-Msg-Id` of an envelope, its id and the first 16 hex digits of its leaf. */
export function messageIdOf(id: string, leaf: string): string {
  return id + leaf.slice(0, 16);
}

/** One at a time, in the order of the calls, at most {@link maxTurns}. */
function createTurns() {
  let last: Promise<unknown> = Promise.resolve();
  let count = 0;
  return async function inTurn<T>(act: () => Promise<T>): Promise<T> {
    if (count >= maxTurns) {
      const message = `${count} publishes of this session wait for their turn, at most ${maxTurns} may; publish again later`;
      throw new VakError('limit-exceeded', message, { retryable: true });
    }
    count++;
    const turn = last.then(act).finally(() => count--);
    last = turn.catch(() => undefined);
    return await turn;
  };
}

/** The kind of session that carries a durable subject (E12). Throws `invalid-subject` if no stream keeps it. */
export function durableKindOf(subject: string): DurableKind {
  streamOfSubject(subject);
  return chainKindOf(parseSubject(subject)) === 'q' ? 'q' : 'd';
}

/** Refuses what this kind of session does not carry. */
function checkSubject(subject: string, kind: DurableKind): void {
  const wanted = durableKindOf(subject);
  if (wanted === kind) return;
  const message = `subject: it belongs to the session of kind ${wanted}, this one is ${kind}`;
  throw new VakError('invalid-subject', message, { details: { field: 'subject' } });
}

function entryOf({ envelope, bytes, head }: WrittenEnvelope, subject: string, messageId?: string): OutboxEntry {
  return { subject, data: bytes, messageId: messageId ?? messageIdOf(envelope.id, head.leaf), ...head };
}

/** Creates the author of the durable envelopes of a session; nothing else may publish with the same `author`. */
export function createDurableAuthor(deps: DurableAuthorDeps): DurableAuthor {
  const { author, kind, outbox, durable, onAdvanced } = deps;
  const inTurn = createTurns();

  function write(draft: EnvelopeDraft): WrittenEnvelope {
    checkSubject(draft.subject, kind);
    const written = author.write(draft);
    if (written.envelope.signed !== undefined) return written;
    written.discard();
    throw new TypeError('a durable envelope is signed (E13): give its author a signer');
  }

  function advance(written: WrittenEnvelope): void {
    written.commit();
    onAdvanced?.(written.head, written.envelope);
  }

  async function publish(
    draft: EnvelopeDraft,
    { messageId, ...options }: PublishOptions = {},
  ): Promise<DurablePublished> {
    const written = write(draft);
    try {
      const entry = entryOf(written, draft.subject, messageId);
      const kept = outbox.put(entry, options);
      const stored = outbox.settled(entry.messageId);
      // Whoever does not look at it has the outbox's own word for it.
      stored.catch(() => undefined);
      await kept;
      advance(written);
      return { envelope: written.envelope, stored };
    } finally {
      written.discard();
    }
  }

  /** Nobody knows whether it was stored, so its place is taken: another envelope there would be a fork. */
  async function leaveInDoubt(written: WrittenEnvelope, subject: string, expectedLastSeq: number): Promise<void> {
    advance(written);
    try {
      await outbox.put({ ...entryOf(written, subject), expectedLastSeq });
    } catch (error) {
      // Then readers see a gap, if it was not stored: nothing better can be said of it.
      if (!isVakError(error)) throw error;
    }
  }

  function engineNow(signal: AbortSignal | undefined): DurablePlane {
    if (signal?.aborted) throw new VakError('aborted', 'the conditional message was not published');
    const plane = durable();
    if (plane !== undefined) return plane;
    const message = 'there is no engine now, and a conditional message does not wait for one; nothing was published';
    throw new VakError('disconnected', message, { retryable: true });
  }

  async function publishExpecting(draft: EnvelopeDraft, options: ConditionalOptions): Promise<ConditionalPublished> {
    const plane = engineNow(options.signal);
    const written = write(draft);
    const { envelope, bytes, head } = written;
    try {
      const messageId = messageIdOf(envelope.id, head.leaf);
      const appended = await plane.append(draft.subject, bytes, { ...options, messageId });
      advance(written);
      return { envelope, appended };
    } catch (error) {
      if (saysNotStored(error)) throw error;
      await leaveInDoubt(written, draft.subject, options.expectedLastSeq);
      throw doubtOf(error);
    } finally {
      written.discard();
    }
  }

  return {
    publish: (draft, options) => inTurn(() => publish(draft, options)),
    publishExpecting: (draft, options) => inTurn(() => publishExpecting(draft, options)),
    head: () => author.head(),
  };
}
