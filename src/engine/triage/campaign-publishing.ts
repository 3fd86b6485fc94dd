/**
 * Publishes the retries of a campaign, each once (docs/spec/triage.md D7).
 * Law: whatever may have been put into an outbox is looked for, there first and then in the streams, before it is published again; a
 * message moves from the one to the other and never back, so what is found in neither is nowhere.
 */
import { isVakError, VakError } from '../../shared/base/vak-error.ts';
import { leafOf } from '../envelope/hashing.ts';
import type { DurablePublished } from '../outbox/durable-author.ts';
import { isRefusal } from '../outbox/outbox-delivery.ts';
import type { Clock } from '../ports/clock.ts';
import { settlesWithin } from '../wait.ts';
import type { CampaignPlace } from './campaign-place.ts';
import { type CampaignItem, type CampaignRecord, isUnderWay, noteOutcome } from './campaign-record.ts';
import { isOfTheLetter } from './held-task.ts';
import type { Found } from './retried-tasks.ts';
import type { RetryDrafts } from './retry-draft.ts';

export interface CampaignPublishing {
  /** Retries a letter; resolves when the stream's answer is there, or has been waited for long enough. Throws what says nothing of the letter. */
  retry(item: CampaignItem, options: RetryOptions): Promise<void>;
  /** Whether something must be looked for before anything is published. */
  hasDoubts(): boolean;
  /** Looks for it; gives whether all is clear. Throws `already-running` while another process may have it, and what looking throws. */
  settleDoubts(options: DoubtOptions): Promise<boolean>;
  /** Whether it is on its way through the outbox of this process. */
  isOnItsWay(item: CampaignItem): boolean;
}

export interface RetryOptions {
  readonly place: CampaignPlace;
  readonly drafts: RetryDrafts;
  /** Why it may not be retried; undefined: nothing speaks against it. */
  readonly whyNot: string | undefined;
}

export interface DoubtOptions {
  readonly place: CampaignPlace;
  /** Looks for ids in the streams. */
  readonly find: (ids: ReadonlySet<string>) => Promise<ReadonlyMap<string, Found>>;
}

export interface CampaignPublishingDeps {
  readonly record: CampaignRecord;
  /** It was begun by a process that has ended: anything of it may have been published. */
  readonly isResumed: boolean;
  readonly clock: Clock;
  /** Told of what has come of a letter. */
  readonly onOutcome: (item: CampaignItem) => void;
}

/** How long the stream's answer is waited for, ms; the outbox goes on asking meanwhile. */
const answerMs = 15_000;

const idOf = (messageId: string): string => messageId.slice(0, 36);

/** Creates it for a campaign. */
export function createCampaignPublishing(deps: CampaignPublishingDeps): CampaignPublishing {
  const { record, isResumed, clock, onOutcome } = deps;
  const mayBeAnywhere = ({ outcome }: CampaignItem): boolean => outcome === 'requested' || outcome === 'unanswered';
  const doubtful = new Set(isResumed ? record.items.filter(mayBeAnywhere) : []);
  const onItsWay = new Set<CampaignItem>();

  /** What was heard of it from its stream meanwhile says more than the outbox. */
  function note(item: CampaignItem, said: Pick<CampaignItem, 'outcome'> & Partial<CampaignItem>): void {
    if (mayBeAnywhere(item) && noteOutcome(record, item, said)) onOutcome(item);
  }

  function noteStored(item: CampaignItem, { leaf, place }: Found): void {
    item.leaf ??= leaf;
    item.place ??= place;
    note(item, { outcome: 'published' });
  }

  /** Only that it was refused for good is an answer; else it lies in a journal, and may yet be stored. */
  function noteFailed(item: CampaignItem, error: unknown): void {
    if (isRefusal(error) || isVakError(error, 'corrupt')) {
      note(item, { outcome: 'refused', why: `${error.message}.` });
      return;
    }
    doubtful.add(item);
    note(item, { outcome: 'unanswered' });
  }

  async function answer(item: CampaignItem, { envelope, stored }: DurablePublished): Promise<void> {
    try {
      const { seq } = await stored;
      noteStored(item, { leaf: leafOf(envelope), place: { seq, storedMs: clock.now() } });
    } catch (error) {
      noteFailed(item, error);
    } finally {
      onItsWay.delete(item);
    }
  }

  /** Puts it into the outbox; undefined: it is refused, and lies nowhere. */
  async function put(item: CampaignItem, { place, drafts }: RetryOptions): Promise<DurablePublished | undefined> {
    try {
      const draft = await drafts.of(item);
      // It was cancelled while its letter was read.
      if (record.state !== 'running' || item.outcome !== 'requested') return undefined;
      doubtful.add(item);
      onItsWay.add(item);
      const published = await place.publish(draft);
      doubtful.delete(item);
      return published;
    } catch (error) {
      onItsWay.delete(item);
      if (!isOfTheLetter(error)) throw error;
      doubtful.delete(item);
      note(item, { outcome: 'refused', why: `${error.message}.` });
      return undefined;
    }
  }

  /** What was found of one, and whether it waits in an outbox: then it stays in doubt. */
  function clear(item: CampaignItem, at: Found | undefined, isWaiting: boolean): void {
    if (at === undefined && isWaiting) {
      note(item, { outcome: 'unanswered' });
      return;
    }
    doubtful.delete(item);
    if (at === undefined) note(item, { outcome: 'requested' });
    else noteStored(item, at);
  }

  return {
    async retry(item, options) {
      if (options.whyNot !== undefined) {
        note(item, { outcome: 'refused', why: `${options.whyNot}.` });
        return;
      }
      const published = await put(item, options);
      if (published === undefined) return;
      const isAnswered = await settlesWithin(clock, answerMs, answer(item, published));
      if (!isAnswered) note(item, { outcome: 'unanswered' });
    },
    hasDoubts: () => doubtful.size > 0,
    async settleDoubts({ place, find }) {
      const asked = [...doubtful];
      if (asked.length === 0) return true;
      const { messageIds, isElsewhere } = await place.kept(record.slots);
      if (isElsewhere) {
        const message =
          'another process has an outbox in which a retry may wait; it goes on when that process has ended';
        throw new VakError('already-running', message, { retryable: true });
      }
      const waiting = new Set([...messageIds].map(idOf));
      const found = await find(new Set(asked.map(({ taskId }) => taskId)));
      for (const item of asked) clear(item, found.get(item.taskId), waiting.has(item.taskId));
      return doubtful.size === 0;
    },
    isOnItsWay: (item) => onItsWay.has(item) || (doubtful.has(item) && !isUnderWay(item)),
  };
}
