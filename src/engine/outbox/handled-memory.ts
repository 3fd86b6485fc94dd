/**
 * Remembers which durable envelopes were handled (protocol.md E15).
 * Law: an envelope that is remembered runs no handler again; it is remembered after its handler, so that a crash between the two
 * runs it once more, unless the handler gives its own changes of the same journal, which are kept in the one batch.
 */
import { hash } from 'node:crypto';
import { labelledFields } from '../../shared/protocol/labelled-fields.ts';
import type { Journal, JournalChange } from '../bus/memory/journal.ts';
import { decodeU64, encodeU64, journalKey, prefixRange, readJournalKey } from '../bus/memory/journal-keys.ts';
import type { Clock } from '../ports/clock.ts';

/** What an envelope is remembered by. */
export interface HandledKey {
  readonly source: string;
  readonly id: string;
}

/** What a handler may give back: changes of the memory's journal that are kept together with the memory. */
export interface HandlerEffect {
  readonly changes?: readonly JournalChange[];
}

export interface HandledMemory {
  /** Whether no handler has finished with it. */
  isNew(key: HandledKey): Promise<boolean>;
  /**
   * Runs the handler unless it is remembered, then remembers it; gives whether it ran. Two calls for one envelope run one after the
   * other. Throws what the handler throws or the journal (`read-only`, `disk-full`, `closed`); then it is not remembered.
   */
  handleOnce(key: HandledKey, handler: () => Promise<HandlerEffect | undefined>): Promise<boolean>;
  /** Envelopes that are remembered now, and how many were forgotten before their age because there were too many. */
  stats(): { readonly count: number; readonly evictedCount: number };
}

export interface HandledMemoryDeps {
  readonly journal: Journal;
  readonly clock: Clock;
  /** The age of the stream that they come from; of a stream without one, as long as a repeat can be expected. */
  readonly maxAgeMs: number;
  /** Envelopes that are remembered at most, ≥ 1; the oldest give way. */
  readonly capacity: number;
  /** A token: memories of one journal are told apart by it. */
  readonly name: string;
}

interface Forgotten {
  readonly changes: readonly JournalChange[];
  readonly gone: number;
  /** Those of them that were not of age. */
  readonly early: number;
}

const digestLength = 32;
/** Most that are forgotten at once, in the batch of one that is remembered. */
const maxForgotten = 64;

/** Opens the memory that a journal keeps. Throws what reading the journal throws, `corrupt` for a key that is none of its own. */
export async function openHandledMemory(deps: HandledMemoryDeps): Promise<HandledMemory> {
  const { journal, clock, maxAgeMs, capacity, name } = deps;
  const times = prefixRange('handled-time', name);
  const running = new Map<string, Promise<unknown>>();
  let count = 0;
  let evictedCount = 0;
  /** The oldest time there was at the last look; undefined: look. */
  let oldestMs: number | undefined;
  for await (const _ of journal.entries(times)) count++;

  /** 128 bits: nobody finds two that share them by trying. */
  const digestOf = ({ source, id }: HandledKey): string =>
    hash('sha256', labelledFields('vak-handled-v1', [source, id]), 'hex').slice(0, digestLength);
  const idKey = (digest: string): Uint8Array => journalKey('handled-id', name, digest);
  const timeKey = (timeMs: number, digest: string): Uint8Array => journalKey('handled-time', name, timeMs, digest);

  /** When it was handled, ms since the epoch; undefined if it is not remembered. */
  async function timeOf(digest: string): Promise<number | undefined> {
    const value = await journal.get(idKey(digest));
    return value === undefined ? undefined : decodeU64(value);
  }

  const isExpired = (timeMs: number): boolean => timeMs < clock.now() - maxAgeMs;

  async function knows(digest: string): Promise<boolean> {
    const timeMs = await timeOf(digest);
    return timeMs !== undefined && !isExpired(timeMs);
  }

  const hasRoom = (): boolean => oldestMs !== undefined && count < capacity && !isExpired(oldestMs);

  /** How many give way although they are not of age: some at once, so that the next ones need not look. */
  function countToEvict(): number {
    return count < capacity ? 0 : Math.max(count - capacity + 1, Math.ceil(capacity / 16));
  }

  /** What makes room for one more: the expired ones, and the oldest if there are still too many. */
  async function forgotten(): Promise<Forgotten> {
    const changes: JournalChange[] = [];
    let [gone, early] = [0, 0];
    if (hasRoom()) return { changes, gone, early };
    oldestMs = undefined;
    const evictCount = countToEvict();
    for await (const { key } of journal.entries(times)) {
      const [, , timeMs, digest] = readJournalKey(key, ['text', 'text', 'number', 'text']);
      const isOld = isExpired(timeMs);
      oldestMs = timeMs;
      if (gone >= maxForgotten || !(isOld || gone < evictCount)) break;
      gone++;
      early += isOld ? 0 : 1;
      changes.push({ key, value: undefined });
      // An id that was handled again since has a newer time, and stays.
      if ((await timeOf(digest)) === timeMs) changes.push({ key: idKey(digest), value: undefined });
    }
    return { changes, gone, early };
  }

  let last: Promise<unknown> = Promise.resolve();
  /** One after the other: each counts on what the one before has forgotten. */
  function remember(digest: string, changes: readonly JournalChange[]): Promise<void> {
    const kept = last.then(async () => {
      const room = await forgotten();
      const timeMs = clock.now();
      const own = [
        { key: timeKey(timeMs, digest), value: new Uint8Array(0) },
        { key: idKey(digest), value: encodeU64(timeMs) },
      ];
      await journal.commit([...room.changes, ...own, ...changes]);
      count += 1 - room.gone;
      evictedCount += room.early;
    });
    last = kept.catch(() => undefined);
    return kept;
  }

  async function handle(digest: string, handler: () => Promise<HandlerEffect | undefined>): Promise<boolean> {
    if (await knows(digest)) return false;
    const effect = await handler();
    await remember(digest, effect?.changes ?? []);
    return true;
  }

  return {
    isNew: async (key) => !(await knows(digestOf(key))),
    async handleOnce(key, handler) {
      const digest = digestOf(key);
      const before = running.get(digest) ?? Promise.resolve();
      const turn = before.then(() => handle(digest, handler));
      const quiet = turn.then(
        () => undefined,
        () => undefined,
      );
      running.set(digest, quiet);
      try {
        return await turn;
      } finally {
        if (running.get(digest) === quiet) running.delete(digest);
      }
    },
    stats: () => ({ count, evictedCount }),
  };
}
