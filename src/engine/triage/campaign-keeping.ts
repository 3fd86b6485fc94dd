/**
 * Keeps a campaign on disk while it is worked on (docs/spec/triage.md D7).
 * Law: what the next process must know is on disk before anything is done by it; the rest follows soon.
 */
import { VakError } from '../../shared/base/vak-error.ts';
import type { Clock } from '../ports/clock.ts';
import type { CampaignPlace } from './campaign-place.ts';
import type { CampaignRecord } from './campaign-record.ts';
import type { CampaignStore } from './campaign-store.ts';

export interface CampaignKeeping {
  /** It has changed; `now`: something that must not be lost. */
  note(when: 'later' | 'now'): void;
  /** The journal that is written to from now on is on disk first. Throws `disconnected` if it is for another place, and what writing throws. */
  enter(place: CampaignPlace): Promise<void>;
  /** Writes it if that is due. Throws what writing throws; then it is due again. */
  save(): Promise<void>;
  /** Writes what was not written, if it can. */
  flush(): Promise<void>;
}

const saveEveryMs = 2_000;

/** Creates it for a campaign that is on disk as it is. */
export function createCampaignKeeping({
  record,
  store,
  clock,
}: {
  readonly record: CampaignRecord;
  readonly store: Pick<CampaignStore, 'save'>;
  readonly clock: Clock;
}): CampaignKeeping {
  let savedMs = clock.monotonic();
  let unsaved: 'no' | 'later' | 'now' = 'no';

  async function write(): Promise<void> {
    unsaved = 'no';
    savedMs = clock.monotonic();
    try {
      await store.save(record);
    } catch (error) {
      unsaved = 'now';
      throw error;
    }
  }

  async function save(): Promise<void> {
    const isDue = unsaved === 'now' || (unsaved === 'later' && clock.monotonic() - savedMs >= saveEveryMs);
    if (isDue) await write();
  }

  return {
    note(when) {
      if (unsaved !== 'now') unsaved = when;
    },
    async enter({ destination, peer, slot }) {
      if (destination !== record.destination || peer !== record.peer) {
        const message = `campaign: it is for ${record.environment} as ${record.peer}; it goes on when that is in use again`;
        throw new VakError('disconnected', message, { retryable: true });
      }
      if (!record.slots.includes(slot)) {
        record.slots.push(slot);
        unsaved = 'now';
      }
      await save();
    },
    save,
    async flush() {
      if (unsaved !== 'no') await write().catch(() => undefined);
    },
  };
}
