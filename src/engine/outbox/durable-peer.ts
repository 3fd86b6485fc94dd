/**
 * A peer of one process as it publishes durably: its outbox, its two chains, what is owed for them (protocol.md B8, E12, E14, E15).
 * Law: every durable envelope of the peer goes through here, so that its chains have no gap that is not told.
 */
import { createDisposer } from '../../shared/base/disposer.ts';
import { VakError } from '../../shared/base/vak-error.ts';
import type { StreamSpec } from '../../shared/protocol/stream-table.ts';
import type { BusStatusSource } from '../bus/bus-status.ts';
import type { DurablePlane } from '../bus/durable.ts';
import type { Journal } from '../bus/memory/journal.ts';
import { createEnvelopeAuthor, type EnvelopeDraft } from '../envelope/envelope-author.ts';
import type { EnvelopeSealer } from '../envelope/envelope-sealer.ts';
import type { NkeySigner } from '../identity/nkey.ts';
import type { Clock } from '../ports/clock.ts';
import type { Logger } from '../ports/logger.ts';
import { createSessionId, type Randomness } from '../ports/randomness.ts';
import { type Checkpoints, createCheckpoints } from './checkpoints.ts';
import { createDurableAuthor, type DurableAuthor, type DurableKind, durableKindOf } from './durable-author.ts';
import { type HandledMemory, openHandledMemory } from './handled-memory.ts';
import { openOutbox } from './open-outbox.ts';
import type { Outbox, OutboxGuard } from './outbox.ts';
import { createVoidRecords } from './void-records.ts';

export interface DurablePeer
  extends Pick<DurableAuthor, 'publish' | 'publishExpecting'>,
    Pick<Outbox, 'waiting' | 'messageIds' | 'onRefused' | 'onDelivered' | 'drain'> {
  /** The session of a kind; receipts and approvals name that of kind d in their subject (A4). */
  session(kind: DurableKind): string;
  /** What of a stream was handled here (E15); one memory a stream. */
  handled(stream: StreamSpec): Promise<HandledMemory>;
  /**
   * Puts the heads on record (E14), waits so long until all is stored, and closes the journal. Gives whether all was stored; what
   * was not stays on disk for the next peer that opens the journal. Later calls give what the first gave.
   */
  close(limitMs: number): Promise<boolean>;
}

export interface DurablePeerDeps {
  readonly workspace: string;
  readonly peer: string;
  readonly signer: NkeySigner;
  /** Without it what is not exempt goes plain. */
  readonly sealer?: EnvelopeSealer;
  /** The peer's own, which it closes; nothing else may use it. */
  readonly journal: Journal;
  /** Undefined while there is no engine. */
  readonly durable: () => DurablePlane | undefined;
  readonly status: BusStatusSource;
  /** As `OutboxDeps.guard`. */
  readonly guard?: OutboxGuard;
  readonly clock: Clock;
  readonly randomness: Randomness;
  readonly logger: Logger;
}

/** What comes from a stream without an age can be delivered again for so long. */
const repeatMs = 7 * 24 * 3_600_000;
/** Envelopes of a stream that are remembered. */
const handledCapacity = 200_000;

/** The author of each kind, whose envelopes the checkpoints are told of. */
function createAuthors(deps: DurablePeerDeps, outbox: Outbox, note: Checkpoints['note']) {
  const { workspace, peer, signer, sealer, durable, clock, randomness } = deps;
  const authorOf = (kind: DurableKind) => {
    const session = createSessionId(peer, randomness, kind);
    const author = createEnvelopeAuthor({
      ...{ workspace, peer, session, kind, signer, clock, randomness, heads: outbox.heads },
      ...(sealer === undefined ? {} : { sealer }),
    });
    return {
      session,
      author: createDurableAuthor({
        ...{ author, kind, outbox, durable },
        onAdvanced: (head, { subject }) => note(head, subject),
      }),
    };
  };
  return { q: authorOf('q'), d: authorOf('d') };
}

/** What cannot be noted as sent would be sent again and again, and what is damaged is not told from what is not there. */
async function refuseReadOnly(journal: Journal): Promise<void> {
  const { readOnlyReason } = journal;
  if (readOnlyReason === undefined) return;
  await journal.close();
  throw new VakError('read-only', `outbox: nothing is published and nothing that waits is sent: ${readOnlyReason}`);
}

/**
 * Opens the peer over a journal, and goes on with what waits in it. Throws `read-only` for one that cannot be changed (damaged, a full
 * disk), and what reading it throws; it is closed then.
 */
export async function openDurablePeer(deps: DurablePeerDeps): Promise<DurablePeer> {
  const { workspace, peer, journal, clock, randomness, logger } = deps;
  await refuseReadOnly(journal);
  const outbox = await openOutbox(deps).catch(async (error: unknown) => {
    await journal.close();
    throw error;
  });
  const held = createDisposer();
  const authors = createAuthors(deps, outbox, (head, subject) => checkpoints.note(head, subject));
  const own = { workspace, peer, author: authors.d.author, clock, randomness, logger };
  const checkpoints = held.add(createCheckpoints(own));
  held.add(createVoidRecords({ ...own, outbox }));
  const memories = new Map<string, Promise<HandledMemory>>();
  let closing: Promise<boolean> | undefined;

  async function close(limitMs: number): Promise<boolean> {
    try {
      await checkpoints.flush();
      return await outbox.drain(limitMs);
    } finally {
      held.dispose();
      await outbox.close();
      await Promise.allSettled(memories.values());
      await journal.close();
    }
  }

  const authorFor = ({ subject }: EnvelopeDraft): DurableAuthor => authors[durableKindOf(subject)].author;

  return {
    session: (kind) => authors[kind].session,
    publish: async (draft, options) => await authorFor(draft).publish(draft, options),
    publishExpecting: async (draft, options) => await authorFor(draft).publishExpecting(draft, options),
    waiting: () => outbox.waiting(),
    messageIds: () => outbox.messageIds(),
    onRefused: (listener) => outbox.onRefused(listener),
    onDelivered: (listener) => outbox.onDelivered(listener),
    drain: (limitMs) => outbox.drain(limitMs),
    handled({ name, maxAgeMs }) {
      const known = memories.get(name);
      if (known !== undefined) return known;
      const bounds = { maxAgeMs: maxAgeMs ?? repeatMs, capacity: handledCapacity };
      const opened = openHandledMemory({ journal, clock, name, ...bounds });
      memories.set(name, opened);
      return opened;
    },
    close(limitMs) {
      closing ??= close(limitMs);
      return closing;
    },
  };
}
