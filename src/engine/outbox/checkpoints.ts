/**
 * Signed checkpoints of a peer's durable chains (protocol.md E14).
 * Law: after 256 durable envelopes of a chain, or 60 s after the first new one, its head is on record; checkpoints themselves do not
 * count, so that an idle chain falls silent.
 */
import { utf8 } from '../../shared/base/bytes.ts';
import type { Disposable } from '../../shared/base/disposer.ts';
import { isVakError } from '../../shared/base/vak-error.ts';
import type { ChainHead } from '../../shared/protocol/chain-verdict.ts';
import { checkPayload } from '../../shared/protocol/payloads.ts';
import { buildSubject } from '../../shared/protocol/subject.ts';
import { startTrace } from '../../shared/protocol/trace-context.ts';
import type { Clock } from '../ports/clock.ts';
import type { Logger } from '../ports/logger.ts';
import type { Randomness } from '../ports/randomness.ts';
import type { DurableAuthor } from './durable-author.ts';

export interface CheckpointsDeps {
  readonly workspace: string;
  readonly peer: string;
  /** The peer's author of kind d. */
  readonly author: Pick<DurableAuthor, 'publish'>;
  readonly clock: Clock;
  readonly randomness: Randomness;
  readonly logger: Logger;
}

export interface Checkpoints extends Disposable {
  /** Notes that a durable chain has advanced: `onAdvanced` of each durable author of the peer. `subject`: of the envelope. */
  note(head: ChainHead, subject: string | undefined): void;
  /** Puts the heads on record that are not yet, before the peer stops; resolves when they are in the outbox. Never rejects. */
  flush(): Promise<void>;
}

interface Chain {
  head: ChainHead;
  /** Seq of the head that is on record; one less than the first that was seen, if none is. */
  recordedSeq: number;
  /** Whether there are new ones, checkpoints apart. */
  hasNew: boolean;
  timer: Disposable | undefined;
}

/** Places between two heads on record at most, checkpoints included, so that a proof needs no more leaf inputs. */
const everyCount = 256;
const everyMs = 60_000;

/** Creates the checkpoints of a peer; after `dispose` none is written. */
export function createCheckpoints(deps: CheckpointsDeps): Checkpoints {
  const { workspace, peer, author, clock, randomness, logger } = deps;
  const subject = buildSubject({ plane: 'audit', workspace, entity: peer, verb: 'checkpoint' });
  /** By source; a peer has one of each durable kind. */
  const chains = new Map<string, Chain>();
  const publishing = new Set<Promise<void>>();
  let isDisposed = false;

  async function publish({ source, seq, leaf }: ChainHead): Promise<boolean> {
    try {
      const at = new Date(clock.now()).toISOString();
      const payload = utf8(JSON.stringify(checkPayload('vak.audit.checkpoint', { source, seq, head: leaf, at })));
      await author.publish({ subject, payload, trace: startTrace(randomness.bytes) });
      return true;
    } catch (error) {
      if (isVakError(error)) logger.warn('outbox.checkpoint', { code: error.code });
      else logger.bug('outbox.checkpoint', error);
      return false;
    }
  }

  /** Publishes the head as it is now; one that fails is new again, unless a later one is on record. */
  async function record(chain: Chain): Promise<void> {
    const { head, recordedSeq } = chain;
    chain.timer?.dispose();
    chain.timer = undefined;
    chain.hasNew = false;
    chain.recordedSeq = head.seq;
    if ((await publish(head)) || chain.recordedSeq !== head.seq) return;
    chain.recordedSeq = recordedSeq;
    chain.hasNew = true;
    wait(chain);
  }

  function begin(chain: Chain): Promise<void> {
    const recording = record(chain).finally(() => publishing.delete(recording));
    publishing.add(recording);
    return recording;
  }

  function wait(chain: Chain): void {
    if (isDisposed) return;
    chain.timer ??= clock.setTimer(everyMs, () => void begin(chain));
  }

  function chainOf(head: ChainHead): Chain {
    const known = chains.get(head.source);
    if (known !== undefined) return known;
    const chain: Chain = { head, recordedSeq: head.seq - 1, hasNew: false, timer: undefined };
    chains.set(head.source, chain);
    return chain;
  }

  return {
    note(head, on) {
      if (isDisposed) return;
      const chain = chainOf(head);
      chain.head = head;
      if (on !== subject) {
        chain.hasNew = true;
        wait(chain);
      }
      // At each 256th place alone: what fails is tried again after the time, not with each envelope.
      if (chain.hasNew && (head.seq - chain.recordedSeq) % everyCount === 0) void begin(chain);
    },
    async flush() {
      await Promise.all(publishing);
      for (const chain of chains.values()) if (chain.hasNew) await begin(chain);
    },
    dispose() {
      isDisposed = true;
      for (const { timer } of chains.values()) timer?.dispose();
    },
  };
}
