/**
 * Puts a campaign on record before anything of it is published, and ends one that was begun too long ago (docs/spec/triage.md D5, D7).
 * Law: its letters are its own only by a record that counts, and only for a time.
 */
import { VakError } from '../../shared/base/vak-error.ts';
import { isRefusal } from '../outbox/outbox-delivery.ts';
import type { Clock } from '../ports/clock.ts';
import type { CampaignPlace } from './campaign-place.ts';
import type { CampaignRecord } from './campaign-record.ts';
import type { CampaignTelling } from './campaign-telling.ts';
import { claimMs, type LetterClaims } from './letter-claims.ts';

export interface CampaignClaimDeps {
  readonly record: CampaignRecord;
  readonly clock: Clock;
  readonly telling: Pick<CampaignTelling, 'begin'>;
  readonly end: (state: 'failed' | 'stopped', why: string) => void;
}

/** So long a campaign goes on, ms: clocks may differ, and after `claimMs` its letters are others' to take. */
const campaignLimitMs = claimMs - 3_600_000;

/** Creates it. What it gives throws `forbidden` if the record does not count, and what publishing and reading throw. */
export function createCampaignClaim({ record, clock, telling, end }: CampaignClaimDeps) {
  /** Gives whether it is on record. What the stream of actions refuses for good would be refused again and again. */
  async function begin(place: CampaignPlace): Promise<boolean> {
    try {
      await telling.begin(place);
      return true;
    } catch (error) {
      if (!isRefusal(error)) throw error;
      end('failed', `It could not be put on record, so nothing was retried: ${error.message}.`);
      return false;
    }
  }

  /** For claims that were just read. */
  return async (place: CampaignPlace, claims: LetterClaims): Promise<void> => {
    if (claims.begunMs(record.operationId) === undefined) {
      if (!(await begin(place))) return;
      await claims.read();
    }
    const begunMs = claims.begunMs(record.operationId);
    if (begunMs === undefined) {
      const message = `campaign: its beginning does not count in the audit stream; see whether ${place.peer} is an operator`;
      throw new VakError('forbidden', message);
    }
    // A clock that was set back does not make an operation younger.
    if (Math.max(clock.now(), claims.newestMs()) - begunMs < campaignLimitMs) return;
    end('stopped', `It was begun ${Math.round(campaignLimitMs / 3_600_000)} h ago: plan the rest anew.`);
  };
}
