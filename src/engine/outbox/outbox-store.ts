/**
 * The outbox on disk: what waits, what was sent, what was refused, and the ends of chains (protocol.md B8, E12).
 * Law: each change is one batch of the journal, so an entry and the head that it moves are kept together or not at all.
 */
import { isVakError } from '../../shared/base/vak-error.ts';
import type { ChainHead } from '../../shared/protocol/chain-verdict.ts';
import type { Journal, JournalChange } from '../bus/memory/journal.ts';
import type { HeadStore } from '../ports/head-store.ts';
import type { Logger } from '../ports/logger.ts';
import {
  type EntryRecord,
  headKey,
  headName,
  headNameOf,
  nameOfKey,
  numberKey,
  numberOfKey,
  type OutboxRecordKind,
  type RefusalRecord,
  rangeOf,
  readEntry,
  readHead,
  readMark,
  readRefusal,
  writeEntry,
  writeHead,
  writeMark,
  writeRefusal,
} from './outbox-records.ts';

/** An entry as it was found. `number`: the order of the puts. */
export interface KeptEntry {
  readonly number: number;
  readonly record: EntryRecord;
  readonly sizeBytes: number;
  /** When it was sent first, ms since the epoch; undefined: never. */
  readonly sentMs: number | undefined;
}

export interface KeptRefusal {
  readonly number: number;
  readonly record: RefusalRecord;
}

/** What waits when the store is opened, in the order of the puts. */
export interface KeptOutbox {
  readonly entries: readonly KeptEntry[];
  readonly refusals: readonly KeptRefusal[];
  /** Records that cannot be read; they stay where they are. */
  readonly damagedCount: number;
}

export interface AddOptions {
  readonly record: EntryRecord;
  readonly data: Uint8Array;
  /** The refusal that this entry is the void record of: it is owed no longer. */
  readonly settles?: number;
}

export interface OutboxStore {
  readonly found: KeptOutbox;
  /** Heads of durable chains: they move with the entries. */
  readonly heads: HeadStore;
  /** Gives the entry its number at once; `kept` resolves when it is on disk. */
  add(options: AddOptions): { readonly number: number; readonly kept: Promise<void> };
  /** The message of an entry; undefined if it has gone or is damaged. */
  data(number: number): Promise<Uint8Array | undefined>;
  /** Notes that an entry is sent from now on. */
  mark(number: number, sentMs: number): Promise<void>;
  /** Forgets an entry that is stored, and marks the next one of its source. */
  settle(number: number, next?: { readonly number: number; readonly sentMs: number }): Promise<void>;
  /** Forgets an entry that was refused; with a record its void is owed. */
  refuse(number: number, record?: RefusalRecord): Promise<void>;
}

interface Loaded extends KeptOutbox {
  readonly heads: Map<string, ChainHead>;
  readonly nextNumber: number;
}

const put = (key: Uint8Array, value: Uint8Array): JournalChange => ({ key, value });
const remove = (kind: 'entry' | 'mark' | 'refused', number: number): JournalChange => {
  return { key: numberKey(kind, number), value: undefined };
};

/** Reads every record; a damaged one is counted and told, and keeps its number. */
async function load(journal: Journal, logger: Logger): Promise<Loaded> {
  let damagedCount = 0;
  let nextNumber = 0;

  async function each<T>(kind: OutboxRecordKind, take: (key: Uint8Array, value: Uint8Array) => T): Promise<T[]> {
    const taken: T[] = [];
    for await (const { key, value } of journal.entries(rangeOf(kind))) {
      try {
        if (kind !== 'head') nextNumber = Math.max(nextNumber, numberOfKey(key) + 1);
        taken.push(take(key, value));
      } catch (error) {
        if (!isVakError(error)) throw error;
        damagedCount++;
        logger.error('outbox.damaged', { kind, bytes: value.length });
      }
    }
    return taken;
  }

  const marks = new Map(await each('mark', (key, value) => [numberOfKey(key), readMark(value)] as const));
  const entries = await each('entry', (key, value): KeptEntry => {
    const number = numberOfKey(key);
    const { record, data } = readEntry(value);
    return { number, record, sizeBytes: data.length, sentMs: marks.get(number) };
  });
  const refusals = await each('refused', (key, value): KeptRefusal => {
    return { number: numberOfKey(key), record: readRefusal(value) };
  });
  const heads = new Map(await each('head', (key, value) => [nameOfKey(key), readHead(value)] as const));
  return { entries, refusals, damagedCount, heads, nextNumber };
}

/** Heads that move with the entries; one that comes by another way is written by itself. */
function createJournalHeads(journal: Journal, heads: Map<string, ChainHead>, logger: Logger): HeadStore {
  return {
    previous: (peer, kind) => heads.get(headName(peer, kind)),
    keep(peer, kind, head) {
      const name = headName(peer, kind);
      const known = heads.get(name);
      if (known?.source === head.source && known.seq === head.seq && known.leaf === head.leaf) return;
      heads.set(name, head);
      journal.commit([put(headKey(name), writeHead(head))]).catch((error: unknown) => {
        // Older than the truth is allowed: the next head is written again.
        if (isVakError(error)) logger.warn('outbox.head', { code: error.code });
        else logger.bug('outbox.head', error);
      });
    },
  };
}

/** Opens the outbox of a journal. Throws what reading the journal throws; damaged records are told, not fatal. */
export async function openOutboxStore(journal: Journal, logger: Logger): Promise<OutboxStore> {
  const { heads, nextNumber, ...found } = await load(journal, logger);
  let next = nextNumber;

  async function keep(changes: readonly JournalChange[], { source, seq, leaf }: EntryRecord): Promise<void> {
    const name = headNameOf(source);
    const head = { source, seq, leaf };
    await journal.commit(name === undefined ? changes : [...changes, put(headKey(name), writeHead(head))]);
    if (name !== undefined) heads.set(name, head);
  }

  return {
    found,
    heads: createJournalHeads(journal, heads, logger),
    add({ record, data, settles }) {
      const number = next++;
      const change = put(numberKey('entry', number), writeEntry(record, data));
      return { number, kept: keep(settles === undefined ? [change] : [change, remove('refused', settles)], record) };
    },
    async data(number) {
      const bytes = await journal.get(numberKey('entry', number));
      try {
        return bytes === undefined ? undefined : readEntry(bytes).data;
      } catch (error) {
        if (isVakError(error)) return undefined;
        throw error;
      }
    },
    mark: (number, sentMs) => journal.commit([put(numberKey('mark', number), writeMark(sentMs))]),
    settle(number, following) {
      const changes = [remove('entry', number), remove('mark', number)];
      if (following === undefined) return journal.commit(changes);
      return journal.commit([...changes, put(numberKey('mark', following.number), writeMark(following.sentMs))]);
    },
    refuse(number, record) {
      const changes = [remove('entry', number), remove('mark', number)];
      if (record === undefined) return journal.commit(changes);
      return journal.commit([...changes, put(numberKey('refused', number), writeRefusal(record))]);
    },
  };
}
