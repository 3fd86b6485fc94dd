/**
 * Dead letters that count, without their envelopes (docs/spec/triage.md D2).
 * Law: each stands once, by its place in the stream; the oldest give way beyond the bound, and are counted; all else is read again
 * from the stream when somebody looks.
 */
import { visibleText } from '../../shared/base/visible-text.ts';
import { type Fingerprint, fingerprintOf } from './fingerprint.ts';

/** A letter as it is remembered; texts were made visible. */
export interface LetterEntry {
  /** Place in the stream of dead letters. */
  readonly seq: number;
  /** Id of its own envelope: what a retry names as its cause. */
  readonly id: string;
  readonly storedMs: number;
  readonly failedMs: number;
  readonly queue: string;
  readonly taskId: string | null;
  /** 64 lower hex digits. */
  readonly taskLeaf: string;
  /** Of the task's envelope; null: it does not decode. */
  readonly type: string | null;
  readonly workerId: string | null;
  /** Who signed it. */
  readonly by: string;
  readonly errorClass: string;
  /** First line of the reason, 200 characters at most. */
  readonly reason: string;
  readonly attempts: number;
  /** Key of the task's payload; null: it is not sealed, or not known to be. */
  readonly key: TaskKey | null;
  readonly isSealed: boolean;
  readonly cause: Fingerprint;
  /** Its own key is gone: only what its envelope says is known. */
  readonly isClosed: boolean;
}

/** What a sealed task's key is found by (E7). */
export interface TaskKey {
  readonly keyId: string;
  /** `agentid` of the envelope. */
  readonly peer: string;
}

/** What is known of a task by its envelope. */
export interface TaskEnvelopeFacts {
  readonly type: string | null;
  readonly key: TaskKey | null;
}

/** What a letter says, with what its envelope is. */
export interface SaidDeath extends TaskEnvelopeFacts {
  readonly seq: number;
  readonly id: string;
  readonly storedMs: number;
  readonly failedAt: string;
  readonly queue: string;
  readonly envelopeId: string | null;
  readonly taskLeaf: string;
  readonly workerId: string | null;
  readonly by: string;
  readonly errorClass: string;
  readonly reason: string;
  readonly stack?: string | undefined;
  readonly attempts: number;
  readonly isClosed?: boolean;
}

export interface LetterBook {
  /**
   * Gives what is remembered of it; a place that stands already, or is older than all of a full book, changes nothing, but for a closed
   * letter that opens by now.
   */
  note(death: SaidDeath): LetterEntry | undefined;
  /** What was found out of a task's envelope later. */
  amend(seq: number, facts: TaskEnvelopeFacts): void;
  get(seq: number): LetterEntry | undefined;
  /** Newest first. */
  all(): readonly LetterEntry[];
  /** Those of a task's leaf, which a retry is known by too; in no order. */
  ofLeaf(leaf: string): readonly LetterEntry[];
  /** Those of a task's id. */
  ofTask(taskId: string): readonly LetterEntry[];
  /** The one whose own envelope has that id. */
  ofId(id: string): LetterEntry | undefined;
  /** Place of the newest; 0: there is none. */
  newestSeq(): number;
  /** Place of the newest of a cause; 0: there is none. */
  newestOf(fingerprint: string): number;
  size(): number;
  /** Letters that gave way. */
  forgottenCount(): number;
  /** Rises with each change. */
  version(): number;
}

const maxLine = 200;
/** Causes whose fingerprints are kept once for all their letters. */
const maxCauses = 10_000;

function firstLine(text: string): string {
  const [line = ''] = text
    .slice(0, 4 * maxLine)
    .trimStart()
    .split(/\r\n|[\n\r]/, 1);
  return visibleText(line).slice(0, maxLine);
}

const textsOf = ({ type, key }: TaskEnvelopeFacts) => ({
  ...{ type: type === null ? null : visibleText(type), key, isSealed: key !== null },
});

/** Letters by something that several may have. */
function createIndex() {
  const held = new Map<string, LetterEntry[]>();
  return {
    of: (key: string): readonly LetterEntry[] => held.get(key) ?? [],
    add(key: string, entry: LetterEntry): void {
      const own = held.get(key);
      if (own === undefined) held.set(key, [entry]);
      else own.push(entry);
    },
    replace(key: string, entry: LetterEntry): void {
      held.set(
        key,
        (held.get(key) ?? []).map((one) => (one.seq === entry.seq ? entry : one)),
      );
    },
    remove(key: string, seq: number): void {
      const rest = held.get(key)?.filter((one) => one.seq !== seq) ?? [];
      if (rest.length === 0) held.delete(key);
      else held.set(key, rest);
    },
  };
}

/** What people and filters see of it. */
function visibleCause(cause: Fingerprint): Fingerprint {
  const { errorClass, rootType, shape, frames } = cause;
  return {
    ...{
      id: cause.id,
      errorClass: visibleText(errorClass),
      rootType: visibleText(rootType),
      shape: visibleText(shape),
    },
    frames: frames.map(({ call, file, isForeign }) => ({
      call: visibleText(call),
      file: visibleText(file),
      isForeign,
    })),
  };
}

/** The same cause is one object in all its letters. */
function createCauses() {
  const causes = new Map<string, Fingerprint>();
  return (death: SaidDeath): Fingerprint => {
    const found = fingerprintOf(death);
    const known = causes.get(found.id);
    if (known !== undefined) return known;
    const oldest = causes.keys().next();
    if (causes.size >= maxCauses && oldest.done !== true) causes.delete(oldest.value);
    const shown = visibleCause(found);
    causes.set(found.id, shown);
    return shown;
  };
}

/** Creates a book of so many letters, ≥ 1. */
export function createLetterBook(capacity: number): LetterBook {
  /** In the order of their places. */
  let letters: LetterEntry[] = [];
  const bySeq = new Map<number, LetterEntry>();
  const [byLeaf, byTask, byId] = [createIndex(), createIndex(), new Map<string, number>()];
  const newestOf = new Map<string, number>();
  const causeOf = createCauses();
  let newestFirst: readonly LetterEntry[] | undefined;
  let [version, forgotten] = [0, 0];

  /** The place of the first letter that is not before it. */
  function placeOf(seq: number): number {
    let [from, to] = [0, letters.length];
    while (from < to) {
      const middle = (from + to) >>> 1;
      if ((letters[middle]?.seq ?? 0) < seq) from = middle + 1;
      else to = middle;
    }
    return from;
  }

  /** What could not be judged at first comes later than its place. */
  function put(entry: LetterEntry): void {
    if ((letters.at(-1)?.seq ?? 0) < entry.seq) letters.push(entry);
    else letters.splice(placeOf(entry.seq), 0, entry);
    bySeq.set(entry.seq, entry);
    if (entry.taskLeaf !== '') byLeaf.add(entry.taskLeaf, entry);
    if (entry.taskId !== null) byTask.add(entry.taskId, entry);
    byId.set(entry.id, entry.seq);
    newestOf.set(entry.cause.id, Math.max(entry.seq, newestOf.get(entry.cause.id) ?? 0));
  }

  function drop({ seq, taskLeaf, taskId, id, cause }: LetterEntry): void {
    bySeq.delete(seq);
    byLeaf.remove(taskLeaf, seq);
    if (taskId !== null) byTask.remove(taskId, seq);
    if (byId.get(id) === seq) byId.delete(id);
    if (newestOf.get(cause.id) === seq) newestOf.delete(cause.id);
  }

  /** Takes out one whose place is filled anew. */
  function forget(known: LetterEntry): void {
    drop(known);
    letters.splice(placeOf(known.seq), 1);
  }

  /** A tenth at a time: each letter would move all others. */
  function makeRoom(): void {
    if (letters.length <= capacity + capacity / 10) return;
    const gone = letters.slice(0, letters.length - capacity);
    letters = letters.slice(-capacity);
    for (const one of gone) drop(one);
    forgotten += gone.length;
  }

  function changed(): void {
    newestFirst = undefined;
    version++;
  }

  return {
    note(death) {
      const { seq, id, storedMs, failedAt, queue, envelopeId, taskLeaf, workerId, by, attempts } = death;
      const { isClosed = false } = death;
      const known = bySeq.get(seq);
      if (known !== undefined && (isClosed || !known.isClosed)) return known;
      if (forgotten > 0 && seq < (letters[0]?.seq ?? 0)) return undefined;
      const entry: LetterEntry = {
        ...{ seq, id, storedMs, queue, taskId: envelopeId, taskLeaf, workerId, by, attempts, ...textsOf(death) },
        ...{ failedMs: Date.parse(failedAt), cause: causeOf(death) },
        ...{ errorClass: visibleText(death.errorClass), reason: firstLine(death.reason), isClosed },
      };
      if (known !== undefined) forget(known);
      put(entry);
      makeRoom();
      changed();
      return entry;
    },
    amend(seq, facts) {
      const known = bySeq.get(seq);
      if (known === undefined) return;
      const entry = { ...known, ...textsOf(facts) };
      letters[placeOf(seq)] = entry;
      byLeaf.replace(entry.taskLeaf, entry);
      if (entry.taskId !== null) byTask.replace(entry.taskId, entry);
      bySeq.set(seq, entry);
      changed();
    },
    get: (seq) => bySeq.get(seq),
    all() {
      newestFirst ??= letters.toReversed();
      return newestFirst;
    },
    ...{ ofLeaf: byLeaf.of, ofTask: byTask.of },
    ofId(id) {
      const seq = byId.get(id);
      return seq === undefined ? undefined : bySeq.get(seq);
    },
    newestSeq: () => letters.at(-1)?.seq ?? 0,
    newestOf: (fingerprint) => newestOf.get(fingerprint) ?? 0,
    size: () => letters.length,
    forgottenCount: () => forgotten,
    version: () => version,
  };
}
