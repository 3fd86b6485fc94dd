/**
 * Where a campaign works: an engine, and the operator's outbox for it (docs/spec/triage.md D7).
 * Law: it is one engine's; what is meant for one is never published on another.
 */
import type { DurablePlane } from '../bus/durable.ts';
import type { EnvelopeDraft } from '../envelope/envelope-author.ts';
import type { EnvelopeReader } from '../envelope/envelope-reader.ts';
import type { StoredJudge } from '../envelope/stored-judge.ts';
import type { DurablePublished } from '../outbox/durable-author.ts';
import type { KeptMessages } from '../outbox/kept-messages.ts';
import type { Clock } from '../ports/clock.ts';
import type { Logger } from '../ports/logger.ts';
import type { Randomness } from '../ports/randomness.ts';

export interface CampaignPlace {
  readonly destination: string;
  /** The operator. */
  readonly peer: string;
  readonly durable: DurablePlane;
  /** Number of the outbox's journal. */
  readonly slot: number;
  /** Puts a message into the outbox; resolves when it is on disk. Throws `locked`, `disconnected`, and what else publishing throws. */
  publish(draft: EnvelopeDraft): Promise<DurablePublished>;
  /** What waits in journals of these numbers. */
  kept(slots: readonly number[]): Promise<KeptMessages>;
}

/** What campaigns are made of, on whichever engine. */
export interface CampaignPorts {
  readonly workspace: string;
  readonly judge: StoredJudge;
  readonly reader: EnvelopeReader;
  /** Names what is known to judge by. */
  readonly basis: () => number;
  /** Where it can work now. Throws why it cannot: `locked`, `disconnected`, `read-only`, `forbidden`. */
  readonly place: () => Promise<CampaignPlace>;
  /** Why a letter may not be retried, from what else is known of it; undefined: nothing speaks against it. */
  readonly whyNot: (seq: number) => string | undefined;
  /** How long outcomes are waited for when all is published, ms; then it is over. */
  readonly patienceMs: number;
  readonly clock: Clock;
  readonly randomness: Randomness;
  readonly logger: Logger;
}
