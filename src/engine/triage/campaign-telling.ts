/**
 * Puts a campaign on record as it goes (docs/spec/triage.md D5).
 * Law: each thing once, as far as is known; what could not be written is written later, in its order.
 */
import { VakError } from '../../shared/base/vak-error.ts';
import type { PayloadOf } from '../../shared/protocol/payloads.ts';
import type { DurablePublished } from '../outbox/durable-author.ts';
import type { Clock } from '../ports/clock.ts';
import { settlesWithin } from '../wait.ts';
import { beginActions, endAction, itemAction } from './campaign-audit.ts';
import type { CampaignPlace } from './campaign-place.ts';
import { type CampaignItem, type CampaignRecord, isKnown } from './campaign-record.ts';
import type { LetterClaims } from './letter-claims.ts';

export interface CampaignTelling {
  /** Resolves when the operation's beginning is stored. Throws `timeout` while it is not, and why it was refused. */
  begin(place: CampaignPlace): Promise<void>;
  /** Writes what is owed. Throws what publishing throws. */
  tell(place: CampaignPlace, claims: Pick<LetterClaims, 'isTold'>): Promise<void>;
  isAllTold(): boolean;
}

export interface CampaignTellingDeps {
  readonly record: CampaignRecord;
  readonly clock: Clock;
  readonly publish: (place: CampaignPlace, action: PayloadOf<'vak.audit.action'>) => Promise<DurablePublished>;
  readonly onTold: () => void;
}

const beginMs = 15_000;

/** What is owed of a retry, in order: that it was published, and what it came to. */
function owedOf(item: CampaignItem): CampaignItem['outcome'][] {
  const isPublished = isKnown(item) || item.outcome === 'published' || item.outcome === 'claimed';
  // Without its leaf nobody could tell which task it is: that becomes known as soon as anybody speaks of it.
  if (!isPublished || item.leaf === null || item.told === item.outcome) return [];
  const first = item.told === null ? (['published'] as const) : [];
  return isKnown(item) ? [...first, item.outcome] : [...first];
}

/** Creates it for a campaign. */
export function createCampaignTelling({ record, clock, publish, onTold }: CampaignTellingDeps): CampaignTelling {
  let beginning: Promise<unknown> | undefined;

  async function publishBeginning(place: CampaignPlace): Promise<void> {
    for (const action of beginActions(record)) await (await publish(place, action)).stored;
  }

  async function tellItem(
    item: CampaignItem,
    place: CampaignPlace,
    { isTold }: Pick<LetterClaims, 'isTold'>,
  ): Promise<void> {
    for (const outcome of owedOf(item)) {
      if (!isTold(item.taskId, outcome)) await publish(place, itemAction(record, item, outcome));
      item.told = outcome;
      onTold();
    }
  }

  return {
    async begin(place) {
      beginning ??= publishBeginning(place);
      try {
        if (!(await settlesWithin(clock, beginMs, beginning))) {
          const message = 'campaign: that it begins is not acknowledged by the audit stream yet; it goes on when it is';
          throw new VakError('timeout', message, { retryable: true });
        }
        const done = beginning;
        beginning = undefined;
        await done;
      } finally {
        beginning?.catch(() => undefined);
      }
    },
    async tell(place, claims) {
      for (const item of record.items) await tellItem(item, place, claims);
      if (record.state === 'running' || record.isEndTold) return;
      await publish(place, endAction(record));
      record.isEndTold = true;
      onTold();
    },
    isAllTold: () => record.isEndTold && record.items.every((item) => owedOf(item).length === 0),
  };
}
