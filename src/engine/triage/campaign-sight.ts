/**
 * What a campaign sees of the engine it works on: claims, outcomes, and where its ids are (docs/spec/triage.md D7).
 * Law: what was read of one engine is forgotten with it.
 */
import type { RetryOutcome } from '../../shared/contract/dlq-contract.ts';
import type { DurablePlane } from '../bus/durable.ts';
import type { Place, TaskRecord, TaskState } from '../work/task-book.ts';
import type { CampaignPlace, CampaignPorts } from './campaign-place.ts';
import { type CampaignItem, type CampaignRecord, noteOutcome } from './campaign-record.ts';
import { fingerprintOf } from './fingerprint.ts';
import { claimMs, createLetterClaims, type LetterClaims } from './letter-claims.ts';
import { createRetriedTasks, type Found, findIds } from './retried-tasks.ts';
import { createRetryDrafts, type RetryDrafts } from './retry-draft.ts';
import { createTaskClaims } from './task-claims.ts';

export interface SeenEngine {
  readonly claims: LetterClaims;
  readonly drafts: RetryDrafts;
  /** Where ids are, by what was soundly said of them, and by whatever names them. */
  find(ids: ReadonlySet<string>): Promise<ReadonlyMap<string, Found>>;
  /** Reads what became of tasks. */
  look(): Promise<void>;
  /** Notes what is known of one; gives whether that is new. */
  note(item: CampaignItem): boolean;
  /** It was published, and lies where it says. */
  follow(item: CampaignItem): void;
}

/** Clocks may differ by so much, ms. */
const clockSkewMs = 3_600_000;
const pageLimit = 128;

const outcomeOf: Readonly<Record<Exclude<TaskState, 'dead'>, RetryOutcome>> = {
  queued: 'published',
  // It stands in its queue, and no worker runs it: an operator has to see that.
  refused: 'published',
  retrying: 'claimed',
  done: 'done',
  'finished-late': 'done',
  lost: 'lost',
  purged: 'lost',
};

/** What a task's record says of a retry. */
function readOutcome(
  { state, deadLetter }: TaskRecord,
  { fingerprint }: CampaignItem,
): Pick<CampaignItem, 'outcome'> & Partial<CampaignItem> {
  if (state === 'purged') return { outcome: 'lost', why: 'an operator took it out of its queue' };
  if (state === 'lost') return { outcome: 'lost', why: 'it is gone from its queue, and nobody says what became of it' };
  if (state !== 'dead') return { outcome: outcomeOf[state] };
  const failedWith = deadLetter === undefined ? null : fingerprintOf(deadLetter).id;
  return { outcome: failedWith === fingerprint ? 'failed-same' : 'failed-new', failedWith };
}

/** Creates the sight of a campaign. */
export function createCampaignSight(
  deps: CampaignPorts & { readonly record: CampaignRecord; readonly edited: Uint8Array | undefined },
) {
  const { record, basis, clock } = deps;
  let seen: { readonly durable: DurablePlane; readonly engine: SeenEngine } | undefined;

  function open(durable: DurablePlane): SeenEngine {
    const pace = {
      ...{ pageLimit, basis },
      rest: () => new Promise<void>((resolve) => clock.defer(resolve)),
    };
    const sinceMs = record.startedMs - clockSkewMs;
    const reading = { ...deps, durable, pace, sinceMs };
    const ids = new Set(record.items.map(({ taskId }) => taskId));
    const tasks = createRetriedTasks(reading, ids);
    const taken = createTaskClaims(reading);
    const placeIn = (item: CampaignItem) => ({ queue: record.queue ?? item.queue, seq: item.place?.seq ?? null });
    const follow = (item: CampaignItem): void => tasks.note(item, placeIn(item).queue);
    for (const item of record.items) follow(item);
    return {
      claims: createLetterClaims({ ...reading, sinceMs: sinceMs - claimMs }),
      drafts: createRetryDrafts({ ...deps, durable, queue: record.queue }),
      async look() {
        await tasks.look();
        await taken.look(record.items.filter(({ outcome }) => outcome === 'published').map(placeIn));
      },
      note(item) {
        const known = tasks.of(item.taskId);
        if (known === undefined) return false;
        item.leaf ??= known.leaf;
        item.place ??= placeOf(known.place);
        const said = readOutcome(known, item);
        if (said.outcome !== 'published') return noteOutcome(record, item, said);
        // What a worker has had was claimed, also while it waits for the next one.
        if (item.outcome === 'claimed') return false;
        return noteOutcome(record, item, taken.has(placeIn(item)) ? { outcome: 'claimed' } : said);
      },
      follow,
      async find(asked) {
        const found = new Map(await findIds(reading, asked));
        await tasks.look();
        for (const id of asked) {
          const known = tasks.of(id);
          if (known !== undefined && !found.has(id)) found.set(id, { leaf: known.leaf, place: placeOf(known.place) });
        }
        return found;
      },
    };
  }

  return {
    /** What is seen of a place. */
    on({ durable }: CampaignPlace): SeenEngine {
      if (seen?.durable !== durable) seen = { durable, engine: open(durable) };
      return seen.engine;
    },
  };
}

function placeOf(place: Place | undefined): CampaignItem['place'] {
  return place === undefined ? null : { seq: place.seq, storedMs: place.storedMs };
}
