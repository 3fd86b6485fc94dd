/**
 * Writes the envelopes of one session of one kind: one chain, from 0 on (protocol.md E8, E12).
 * Law: what cannot be sealed, signed or handed over is not published, and the head stays where it was.
 */
import { hash } from 'node:crypto';
import { VakError } from '../../shared/base/vak-error.ts';
import type { ChainKind } from '../../shared/protocol/chain-kind.ts';
import type { ChainHead } from '../../shared/protocol/chain-verdict.ts';
import { type Envelope, genesisHash } from '../../shared/protocol/envelope.ts';
import { encodeEnvelope } from '../../shared/protocol/envelope-codec.ts';
import { sourceOf } from '../../shared/protocol/envelope-fields.ts';
import { parseSubject, typeOfSubject } from '../../shared/protocol/subject.ts';
import { formatTraceparent, type TraceContext } from '../../shared/protocol/trace-context.ts';
import type { NkeySigner } from '../identity/nkey.ts';
import type { Clock } from '../ports/clock.ts';
import type { HeadStore } from '../ports/head-store.ts';
import { createUuid, type Randomness } from '../ports/randomness.ts';
import type { EnvelopeSealer } from './envelope-sealer.ts';
import { signEnvelope } from './envelope-signature.ts';
import { leafOf } from './hashing.ts';
import { isNeverSealed } from './never-sealed.ts';

/** What is to be published. */
export interface EnvelopeDraft {
  readonly subject: string;
  /** Stays the caller's: it is neither changed nor kept. */
  readonly payload: Uint8Array;
  /** The message's own span. */
  readonly trace: TraceContext;
  /** Id of the envelope that caused it. */
  readonly causationId?: string;
  /** The subject's own type unless told. */
  readonly type?: string;
  /** `application/json` unless told; of what is sealed it is not told to others. */
  readonly contentType?: string;
  /** It goes plain although there is a sealer: for a workspace whose policy lets that be (E8). */
  readonly isPlain?: boolean;
  /** For who must know it before anything is written: a UUID that nothing else has. A new one unless told. */
  readonly id?: string;
}

/** An envelope that is written and not handed over yet; until one of the two is called its author writes no other. */
export interface WrittenEnvelope {
  readonly envelope: Envelope;
  readonly bytes: Uint8Array;
  /** Its place in the chain. */
  readonly head: ChainHead;
  /** It is handed over: the head advances to it. Does nothing after either of the two. */
  commit(): void;
  /** It is not: its place stays free. Does nothing after either of the two. */
  discard(): void;
}

export interface EnvelopeAuthor {
  /**
   * Writes the draft as the next envelope of the chain and hands its bytes over, at once. Throws what sealing (`locked`,
   * `not-found`), signing (`locked`), encoding (`invalid-payload`, `limit-exceeded`) or `handOver` throws, `invalid-subject` for
   * a subject of no row or of another workspace, `already-running` if `handOver` itself publishes here.
   */
  publish(draft: EnvelopeDraft, handOver: (bytes: Uint8Array) => void): Envelope;
  /**
   * Writes the draft as the next envelope and leaves handing over, which takes its time, to the caller: `commit` or `discard` ends
   * it. Throws as `publish` does, and `already-running` while another one is neither.
   */
  write(draft: EnvelopeDraft): WrittenEnvelope;
  /** The chain's last envelope; undefined before the first. */
  head(): ChainHead | undefined;
}

/** What an author is made of. Without a signer its envelopes are unsigned, without a sealer plain. */
export interface EnvelopeAuthorDeps {
  readonly workspace: string;
  readonly peer: string;
  /** New at each process start and for each kind; it ends with `-` and the kind. */
  readonly session: string;
  readonly kind: ChainKind;
  readonly signer?: NkeySigner;
  readonly sealer?: EnvelopeSealer;
  readonly clock: Clock;
  readonly randomness: Randomness;
  readonly heads: HeadStore;
}

/** The type of a subject's row (S4). Throws `invalid-subject`. */
function rowTypeOf(subject: string, workspace: string): string {
  const parts = parseSubject(subject);
  if (parts.workspace === workspace) return typeOfSubject(parts);
  const message = 'workspace: the subject belongs to another workspace than the author';
  throw new VakError('invalid-subject', message, { details: { field: 'workspace' } });
}

const formatHead = ({ source, seq, leaf }: ChainHead): string => `${source}#${seq}:${leaf}`;

/** Creates the author of one session. Throws `invalid-payload` if a name is no token. */
export function createEnvelopeAuthor(deps: EnvelopeAuthorDeps): EnvelopeAuthor {
  const { workspace, peer, session, kind, signer, sealer, clock, randomness, heads } = deps;
  const source = sourceOf(workspace, peer, session);
  if (!session.endsWith(`-${kind}`)) throw new TypeError(`a session of kind ${kind} has an id that ends with -${kind}`);
  let head: ChainHead | undefined;
  let isWriting = false;

  /** Where the next envelope stands. The first one names the peer's previous chain of that kind. */
  function nextPlace(): Pick<Envelope, 'seqnum' | 'prevhash' | 'resumes'> {
    if (head !== undefined) return { seqnum: head.seq + 1, prevhash: head.leaf, resumes: undefined };
    const previous = heads.previous(peer, kind);
    return { seqnum: 0, prevhash: genesisHash, resumes: previous === undefined ? undefined : formatHead(previous) };
  }

  /** The payload as it is sent. What is exempt is so by its subject: a type is only its sender's word. */
  function sentPayload(envelope: Envelope, { payload, isPlain }: EnvelopeDraft, rowType: string): Partial<Envelope> {
    if (sealer === undefined || isPlain === true || isNeverSealed(rowType)) {
      return { data: { kind: 'bytes', bytes: Uint8Array.from(payload) }, payloadhash: hash('sha256', payload, 'hex') };
    }
    const { seal, sealed } = sealer.seal(envelope, payload);
    return {
      seal,
      data: { kind: 'bytes', bytes: sealed },
      payloadhash: hash('sha256', sealed, 'hex'),
      datacontenttype: 'application/octet-stream',
    };
  }

  function write(draft: EnvelopeDraft) {
    const { subject, trace, causationId, type, contentType = 'application/json' } = draft;
    const rowType = rowTypeOf(subject, workspace);
    const bare: Envelope = {
      id: draft.id ?? createUuid(clock, randomness),
      source,
      type: type ?? rowType,
      time: new Date(clock.now()).toISOString(),
      datacontenttype: contentType,
      subject,
      data: { kind: 'none' },
      traceparent: formatTraceparent(trace),
      tracestate: trace.tracestate,
      workspaceid: workspace,
      agentid: peer,
      sessionid: session,
      parentagentid: undefined,
      ...nextPlace(),
      payloadhash: '',
      causationid: causationId,
      seal: undefined,
      signed: undefined,
      extensions: [],
    };
    const filled = { ...bare, ...sentPayload(bare, draft, rowType) };
    return signer === undefined ? filled : signEnvelope(filled, signer);
  }

  function take({
    bytes,
    envelope,
    place,
  }: {
    bytes: Uint8Array;
    envelope: Envelope;
    place: ChainHead;
  }): WrittenEnvelope {
    let isOpen = true;
    const end = (): boolean => {
      const wasOpen = isOpen;
      if (wasOpen) isWriting = false;
      isOpen = false;
      return wasOpen;
    };
    return {
      ...{ envelope, bytes, head: place },
      commit() {
        if (!end()) return;
        head = place;
        heads.keep(peer, kind, place);
      },
      discard: () => void end(),
    };
  }

  function writeNext(draft: EnvelopeDraft): WrittenEnvelope {
    // Its place would be the one that is being taken: what it links to is published only when it has been handed over.
    if (isWriting) {
      const message = 'this session is publishing already; publish again when that has returned';
      throw new VakError('already-running', message, { retryable: true });
    }
    isWriting = true;
    try {
      const envelope = write(draft);
      const place = { source, seq: envelope.seqnum, leaf: leafOf(envelope) };
      return take({ envelope, bytes: encodeEnvelope(envelope), place });
    } catch (error) {
      isWriting = false;
      throw error;
    }
  }

  return {
    publish(draft, handOver) {
      const written = writeNext(draft);
      try {
        handOver(written.bytes);
        written.commit();
      } finally {
        written.discard();
      }
      return written.envelope;
    },
    write: writeNext,
    head: () => head,
  };
}
