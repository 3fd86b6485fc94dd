/**
 * What became of tasks, from what is known of each (protocol.md W5–W7).
 * Law: the order in which things become known changes nothing; each task is in one state, and the counts add up.
 *
 * Pure: it is told, it reads nothing. A task is known by its leaf, which a receipt and a dead letter name.
 */
import { createSeqRanges, type SeqRanges } from '../envelope/seq-ranges.ts';
import type { DeadLetter } from './dead-letter-judge.ts';
import type { Receipt } from './receipts.ts';
import { createTaskTally, type TallyCounts } from './task-tally.ts';

/**
 * `queued`: in its queue, nobody has tried. `retrying`: it failed and comes again. `done`: the first valid receipt says so. `dead`: it
 * has a dead letter. `finished-late`: done after its dead letter, which that closes. `lost`: gone without either (W7).
 * `purged`: an operator has taken it out of its queue. `refused`: in its queue, but no worker will run it, as far as is known.
 */
export type TaskState = 'queued' | 'refused' | 'retrying' | 'done' | 'dead' | 'finished-late' | 'lost' | 'purged';

export const taskStates = [
  ...(['queued', 'refused', 'retrying'] as const),
  ...(['done', 'dead', 'finished-late', 'lost', 'purged'] as const),
] as const;

/** Where something is said, and when it was stored, ms since the epoch. */
export interface Place {
  readonly seq: number;
  readonly storedMs: number;
}

/** What a receipt says, and where. */
export type SaidReceipt = Receipt & Place;
/** What a dead letter says, where, and who signed it. */
export type SaidLetter = DeadLetter & Place & { readonly by: string };

/** What names a task's leaf, and another id or queue than the task itself. */
export interface Stray extends Place {
  readonly kind: 'receipt' | 'dead-letter';
  /** Who signed it. */
  readonly by: string;
  /** That it names. */
  readonly queue: string;
}

export interface TaskRecord {
  /** 64 lower hex digits. */
  readonly leaf: string;
  readonly queue: string;
  /** Null: what does not decode has none. */
  readonly taskId: string | null;
  /** In the stream of tasks; undefined if it was never seen there. */
  readonly place: Place | undefined;
  /** Those that count, in the order of their attempts. */
  readonly receipts: readonly SaidReceipt[];
  readonly deadLetter: SaidLetter | undefined;
  /** They count for nothing. Empty unless the task was seen. */
  readonly strays: readonly Stray[];
  /** Where the very task was stored once more (E15): nobody who enqueues does that. */
  readonly repeats: readonly Place[];
  /** When it was seen to be gone from the stream, ms since the epoch; undefined: it was not. */
  readonly goneMs: number | undefined;
  /** Why no worker will run it, a sentence; undefined: nothing speaks against it, or nobody asked. */
  readonly refusal: string | undefined;
  readonly state: TaskState;
}

/** Tasks that an operator takes out of a queue, by their places. */
export interface Purge {
  readonly queue: string;
  /** From and to, both of them too; few places altogether, for each is looked at. */
  readonly ranges: readonly (readonly [number, number])[];
}

export interface TaskBook {
  /** A task stands in its queue. */
  noteTask(task: Pick<TaskRecord, 'leaf' | 'queue' | 'taskId'> & Partial<Pick<TaskRecord, 'refusal'>> & Place): void;
  /** Whether workers would refuse a task is known otherwise by now; undefined: nothing speaks against it. */
  noteRefusal(leaf: string, refusal: string | undefined): void;
  /** A receipt that is valid by itself; it counts if it names the task's id and queue as the task itself does. */
  noteReceipt(receipt: SaidReceipt): void;
  /** As {@link noteReceipt}. */
  noteDeadLetter(letter: SaidLetter): void;
  /** A task that stood in the stream is not there any more; `atMs`: when that was seen. */
  noteGone(leaf: string, atMs: number): void;
  /** An operator says that it takes these tasks out of the queue: those that are gone without another end are `purged`. */
  notePurge(purge: Purge): void;
  get(leaf: string): TaskRecord | undefined;
  /** Those that stand in the stream as far as is known, or that are not accounted for. */
  open(): Iterable<TaskRecord>;
  /** All that are remembered, oldest first. */
  all(): Iterable<TaskRecord>;
  counts(): TallyCounts<TaskState>;
  /** Those of one queue. */
  countsOf(queue: string): TallyCounts<TaskState>;
  /** Queues of which a task is remembered. */
  queues(): Iterable<string>;
}

interface Named {
  readonly queue: string;
  readonly taskId: string | null;
}

interface Entry extends Named {
  leaf: string;
  queue: string;
  taskId: string | null;
  /** As the stream of tasks has it. */
  own: Named | undefined;
  place: Place | undefined;
  /** All that name its leaf; what they say of the task beside that may be false. */
  readonly saidReceipts: SaidReceipt[];
  readonly saidLetters: SaidLetter[];
  /** Where it was seen, oldest first. */
  readonly places: Place[];
  repeats: readonly Place[];
  receipts: readonly SaidReceipt[];
  deadLetter: SaidLetter | undefined;
  strays: readonly Stray[];
  goneMs: number | undefined;
  refusal: string | undefined;
  state: TaskState;
}

/** What is said of a task that is kept: its last attempts, its first dead letters. */
const maxReceipts = 256;
const maxLetters = 16;
const maxPlaces = 16;
/** Ranges of purged places that are remembered; what is beyond them counts as lost. */
const maxPurgedRanges = 100_000;
const none: readonly never[] = [];

const namesOf = (one: Receipt | DeadLetter): Named =>
  'taskId' in one && typeof one.taskId === 'string'
    ? { queue: one.queue, taskId: one.taskId }
    : { queue: one.queue, taskId: (one as DeadLetter).envelopeId };
const isSame = (one: Named, other: Named): boolean => one.queue === other.queue && one.taskId === other.taskId;
const byPlace = (a: Place, b: Place): number => a.storedMs - b.storedMs || a.seq - b.seq;

/** What the task is called: as its stream says, else as the first one that spoke of it says. */
function nameOf({ own, saidReceipts, saidLetters }: Entry): Named {
  if (own !== undefined) return own;
  const [first] = [...saidReceipts, ...saidLetters].sort(byPlace);
  return first === undefined ? { queue: '', taskId: null } : namesOf(first);
}

function straysOf({ saidReceipts, saidLetters }: Entry, own: Named): Stray[] {
  const isStray = (one: SaidReceipt | SaidLetter): boolean => !isSame(namesOf(one), own);
  const place = ({ seq, storedMs, queue }: SaidReceipt | SaidLetter) => ({ seq, storedMs, queue });
  return [
    ...saidReceipts.filter(isStray).map((one): Stray => ({ ...place(one), kind: 'receipt', by: one.workerId })),
    ...saidLetters.filter(isStray).map((one): Stray => ({ ...place(one), kind: 'dead-letter', by: one.by })),
  ];
}

function notePlace(entry: Entry, place: Place): void {
  const { places } = entry;
  if (!places.some(({ seq }) => seq === place.seq)) places.push(place);
  places.sort(byPlace);
  if (places.length > maxPlaces) places.splice(1, 1);
  entry.place = places.at(-1);
}

/** Places where it stood after another one, or after it was done. */
function repeatsOf({ places, receipts }: Entry): readonly Place[] {
  const done = receipts.filter(({ outcome }) => outcome === 'done').map(({ storedMs }) => storedMs);
  const doneMs = Math.min(...done, Number.POSITIVE_INFINITY);
  const found = places.filter(({ storedMs }, at) => at > 0 || storedMs > doneMs);
  return found.length === 0 ? none : found;
}

/** Removes the oldest one that is no `done`: failures, however many, make nothing undone. */
function dropFailed(receipts: SaidReceipt[]): void {
  const at = receipts.findIndex(({ outcome }) => outcome !== 'done');
  receipts.splice(Math.max(at, 0), 1);
}

function stateOf({ receipts, deadLetter, goneMs, refusal }: Entry, isPurged: boolean): TaskState {
  const done = receipts.filter(({ outcome }) => outcome === 'done').sort(byPlace)[0];
  if (done !== undefined) {
    return deadLetter !== undefined && deadLetter.storedMs <= done.storedMs ? 'finished-late' : 'done';
  }
  if (deadLetter !== undefined) return 'dead';
  if (goneMs !== undefined) return isPurged ? 'purged' : 'lost';
  if (receipts.length > 0) return 'retrying';
  return refusal === undefined ? 'queued' : 'refused';
}

/** Whether a task stands in its queue, as far as is known. */
export function isStanding(state: TaskState): boolean {
  return state === 'queued' || state === 'refused' || state === 'retrying';
}

/** Those whose state is not settled, or may have to be looked into. */
const isOpen = (state: TaskState): boolean => isStanding(state) || state === 'lost';

export interface TaskBookDeps {
  /** Tasks that are remembered at most, ≥ 1. */
  readonly capacity: number;
  /** Told of each task of which something new is known; `before`: undefined for a new one. */
  readonly onChange: (record: TaskRecord, before: TaskState | undefined) => void;
}

/** Creates a book of tasks; the oldest settled ones give way first, then the oldest. */
export function createTaskBook({ capacity, onChange }: TaskBookDeps): TaskBook {
  const entries = new Map<string, Entry>();
  const tally = createTaskTally(taskStates);
  /** Those that are settled, in the order in which they came to be so. */
  const settled = new Set<string>();
  const purges = new Map<string, SeqRanges>();
  let purgedRanges = 0;

  function makeRoom(): void {
    if (entries.size < capacity) return;
    const victim = [settled.keys().next(), entries.keys().next()].find(({ done }) => done !== true);
    if (victim === undefined || victim.done === true) return;
    entries.delete(victim.value);
    settled.delete(victim.value);
    tally.remove(victim.value);
  }

  function entryOf(leaf: string): Entry {
    const known = entries.get(leaf);
    if (known !== undefined) return known;
    makeRoom();
    const entry: Entry = {
      ...{
        leaf,
        queue: '',
        taskId: null,
        own: undefined,
        place: undefined,
        saidReceipts: [],
        saidLetters: [],
        places: [],
        repeats: none,
      },
      ...{ receipts: [], deadLetter: undefined, strays: [], goneMs: undefined, refusal: undefined, state: 'queued' },
    };
    entries.set(leaf, entry);
    return entry;
  }

  const isPurged = ({ queue, place }: Entry): boolean =>
    place !== undefined && purges.get(queue)?.covers(place.seq, place.seq) === true;

  function noteRange(queue: string, [from, to]: Purge['ranges'][number]): void {
    const ranges = purges.get(queue) ?? createSeqRanges(() => purgedRanges < maxPurgedRanges);
    purges.set(queue, ranges);
    const before = ranges.size();
    for (let seq = from; seq <= to; seq++) ranges.add(seq);
    purgedRanges += ranges.size() - before;
  }

  /** Says anew what the task is, from all that was said of it. */
  function settle(entry: Entry): void {
    const name = nameOf(entry);
    const isNew = entry.queue === '';
    entry.queue = name.queue;
    entry.taskId = name.taskId;
    entry.receipts = entry.saidReceipts
      .filter((one) => isSame(namesOf(one), name))
      .sort((a, b) => a.attempt - b.attempt || byPlace(a, b));
    entry.deadLetter = entry.saidLetters.filter((one) => isSame(namesOf(one), name)).sort(byPlace)[0];
    entry.repeats = repeatsOf(entry);
    entry.strays = entry.own === undefined ? none : straysOf(entry, entry.own);
    const before = entry.state;
    entry.state = stateOf(entry, isPurged(entry));
    tally.put(entry);
    if (isOpen(entry.state)) settled.delete(entry.leaf);
    else settled.add(entry.leaf);
    onChange(entry, isNew ? undefined : before);
  }

  return {
    noteTask({ leaf, queue, taskId, seq, storedMs, refusal }) {
      const entry = entryOf(leaf);
      entry.own = { queue, taskId };
      notePlace(entry, { seq, storedMs });
      entry.goneMs = undefined;
      entry.refusal = refusal;
      settle(entry);
    },
    noteRefusal(leaf, refusal) {
      const entry = entries.get(leaf);
      if (entry === undefined || entry.refusal === refusal) return;
      entry.refusal = refusal;
      settle(entry);
    },
    noteReceipt(receipt) {
      const entry = entryOf(receipt.taskLeaf);
      if (entry.saidReceipts.some(({ seq }) => seq === receipt.seq)) return;
      entry.saidReceipts.push(receipt);
      entry.saidReceipts.sort(byPlace);
      if (entry.saidReceipts.length > maxReceipts) dropFailed(entry.saidReceipts);
      settle(entry);
    },
    noteDeadLetter(letter) {
      const entry = entryOf(letter.taskLeaf);
      if (entry.saidLetters.some(({ seq }) => seq === letter.seq)) return;
      entry.saidLetters.push(letter);
      entry.saidLetters.sort(byPlace);
      if (entry.saidLetters.length > maxLetters) entry.saidLetters.pop();
      settle(entry);
    },
    noteGone(leaf, atMs) {
      const entry = entries.get(leaf);
      if (entry === undefined) return;
      entry.goneMs = atMs;
      settle(entry);
    },
    notePurge({ queue, ranges }) {
      for (const range of ranges) noteRange(queue, range);
      for (const entry of entries.values()) if (entry.queue === queue && entry.state === 'lost') settle(entry);
    },
    get: (leaf) => entries.get(leaf),
    *open() {
      for (const entry of entries.values()) if (isOpen(entry.state)) yield entry;
    },
    all: () => entries.values(),
    counts: tally.all,
    countsOf: tally.of,
    queues: tally.queues,
  };
}
