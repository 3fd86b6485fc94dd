/** An engine, its status, a process that can die at any step, and authors, for tests of the outbox. */
import type { BusStatus, BusStatusSource } from '../../src/engine/bus/bus-status.ts';
import type {
  Appended,
  AppendOptions,
  DurablePlane,
  ReadOptions,
  StoredMessage,
  Stream,
} from '../../src/engine/bus/durable.ts';
import type { Journal } from '../../src/engine/bus/memory/journal.ts';
import { createEnvelopeAuthor } from '../../src/engine/envelope/envelope-author.ts';
import { createDurableAuthor, type DurableAuthor } from '../../src/engine/outbox/durable-author.ts';
import { openOutbox } from '../../src/engine/outbox/open-outbox.ts';
import type { Outbox, OutboxEntry, OutboxGuard } from '../../src/engine/outbox/outbox.ts';
import { streamOfSubject } from '../../src/engine/outbox/outbox-delivery.ts';
import { createFakeClock, type FakeClock } from '../../src/engine/ports/fake-clock.ts';
import type { HeadStore } from '../../src/engine/ports/head-store.ts';
import { createSilentLogger } from '../../src/engine/ports/logger.ts';
import { createSeededRandomness, type Randomness } from '../../src/engine/ports/randomness.ts';
import { toText, utf8 } from '../../src/shared/base/bytes.ts';
import { toDisposable } from '../../src/shared/base/disposer.ts';
import { type ErrorCode, isVakError, VakError } from '../../src/shared/base/vak-error.ts';
import type { ChainHead } from '../../src/shared/protocol/chain-verdict.ts';
import type { Envelope } from '../../src/shared/protocol/envelope.ts';
import { matches } from '../../src/shared/protocol/subject.ts';
import { signerOf } from './identity-fixture.ts';

/** What an append comes to: stored · thrown · stored, and then thrown. */
export interface AppendPlay {
  readonly isStored: boolean;
  readonly error?: Error;
}

export interface PlayedPlane {
  readonly plane: DurablePlane;
  /** By stream, in order. */
  readonly stored: Map<string, StoredMessage[]>;
  /** Each append that reached the engine. */
  readonly appends: { readonly subject: string; readonly messageId: string | undefined }[];
  readonly lookups: string[];
  /** Decides about each append; undefined: all are stored. */
  play: ((subject: string, data: Uint8Array) => AppendPlay | undefined) | undefined;
  /** Every message, in the order of storing. */
  all(): StoredMessage[];
}

/** Streams in memory that forget ids after their window, and append as they are told. */
export function createPlayedPlane(clock: FakeClock): PlayedPlane {
  const stored = new Map<string, StoredMessage[]>();
  const order: StoredMessage[] = [];
  const ids = new Map<string, { readonly seq: number; readonly atMs: number }>();
  const listOf = (name: string): StoredMessage[] => {
    const list = stored.get(name) ?? [];
    stored.set(name, list);
    return list;
  };

  function store(subject: string, data: Uint8Array, { messageId, expectedLastSeq }: AppendOptions): Appended {
    const { name, dedupeWindowMs } = streamOfSubject(subject);
    const list = listOf(name);
    const known = messageId === undefined ? undefined : ids.get(`${name} ${messageId}`);
    if (known !== undefined && clock.now() - known.atMs < dedupeWindowMs) {
      return { stream: name, seq: known.seq, isDuplicate: true };
    }
    const last = list.findLast((one) => one.subject === subject)?.seq ?? 0;
    if (expectedLastSeq !== undefined && expectedLastSeq !== last) throw new VakError('conflict', 'somebody was first');
    const seq = (list.at(-1)?.seq ?? 0) + 1;
    const message = { stream: name, seq, subject, data: data.slice(), storedMs: clock.now(), messageId };
    list.push(message);
    order.push(message);
    if (messageId !== undefined) ids.set(`${name} ${messageId}`, { seq, atMs: clock.now() });
    return { stream: name, seq, isDuplicate: false };
  }

  function streamOf(name: string): Pick<Stream, 'get' | 'last' | 'read'> {
    const list = listOf(name);
    return {
      get: async (seq) => list.find((one) => one.seq === seq),
      async last(subject) {
        played.lookups.push(subject);
        return list.findLast((one) => one.subject === subject);
      },
      async read({ subject = '>', fromSeq = 0, fromMs = 0, limit }: ReadOptions) {
        const from = list.filter(
          (one) => one.seq >= fromSeq && one.storedMs >= fromMs && matches(subject, one.subject),
        );
        // Pages of at most two, so that there is more than one.
        return { messages: from.slice(0, Math.min(limit, 2)), nextSeq: from[2]?.seq };
      },
    };
  }

  const played: PlayedPlane = {
    ...{ stored, appends: [], lookups: [], play: undefined, all: () => [...order] },
    plane: {
      async append(subject: string, data: Uint8Array, options: AppendOptions = {}) {
        played.appends.push({ subject, messageId: options.messageId });
        const { isStored, error } = played.play?.(subject, data) ?? { isStored: true };
        const appended = isStored ? store(subject, data, options) : undefined;
        await Promise.resolve();
        if (error !== undefined) throw error;
        return appended;
      },
      stream: streamOf,
    } as unknown as DurablePlane,
  };
  return played;
}

export interface PlayedStatus extends BusStatusSource {
  set(kind: BusStatus['kind']): void;
}

/** A status that tests change by hand. */
export function createPlayedStatus(kind: BusStatus['kind'] = 'connected'): PlayedStatus {
  const listeners = new Set<(status: BusStatus) => void>();
  const statusOf = (of: BusStatus['kind']) => ({ kind: of, sinceMs: 0 }) as unknown as BusStatus;
  let current = statusOf(kind);
  return {
    status: () => current,
    onStatus(listener) {
      listeners.add(listener);
      return toDisposable(() => listeners.delete(listener));
    },
    set(next) {
      current = statusOf(next);
      for (const listener of listeners) listener(current);
    },
  };
}

/** Steps until the process dies; a step is one call of the journal or the engine. */
export interface Life {
  readonly isDead: boolean;
  readonly stepCount: number;
  /** Does a step; at the last one the process dies before or after it, and never hears of it or of any other. */
  step<T>(act: () => Promise<T>): Promise<T>;
}

/** A life of so many steps. `isDoneAtDeath`: the last step still takes effect. */
export function createLife(steps: number, isDoneAtDeath: boolean): Life {
  let count = 0;
  const never = new Promise<never>(() => {});
  return {
    get isDead() {
      return count >= steps;
    },
    get stepCount() {
      return count;
    },
    async step(act) {
      if (count >= steps) return never;
      count++;
      if (count < steps) return act();
      if (isDoneAtDeath) await act();
      return never;
    },
  };
}

/** The journal as a process sees it that may die. */
export function mortalJournal(inner: Journal, life: Life): Journal {
  return {
    readOnlyReason: inner.readOnlyReason,
    commit: (changes) => life.step(() => inner.commit(changes)),
    get: (key) => life.step(() => inner.get(key)),
    entries: (range) => inner.entries(range),
    close: () => inner.close(),
  };
}

/** The engine as a process sees it that may die. */
export function mortalPlane(inner: DurablePlane, life: Life): DurablePlane {
  const mortal: Pick<DurablePlane, 'append' | 'stream'> = {
    append: (subject, data, options) => life.step(() => inner.append(subject, data, options)),
    stream: (name) => inner.stream(name),
  };
  return mortal as DurablePlane;
}

/** Lets everything run that waits for nothing but its turn. */
export async function settle(clock: FakeClock): Promise<void> {
  for (let turn = 0; turn < 12; turn++) {
    await new Promise<void>((resolve) => setImmediate(resolve));
    clock.runDeferred();
  }
}

/** An outbox of a test. */
export interface OutboxParts {
  readonly journal: Journal;
  readonly played: PlayedPlane;
  readonly status: PlayedStatus;
  readonly clock: FakeClock;
}

/** New ones, of a process that does not die. */
export function createOutboxParts<J extends Journal>(journal: J): OutboxParts & { readonly journal: J } {
  const clock = createFakeClock();
  return { journal, played: createPlayedPlane(clock), status: createPlayedStatus(), clock };
}

/** What is stored, as texts. */
export const storedTexts = ({ played }: OutboxParts): string[] => played.all().map(({ data }) => toText(data));

/** Opens an outbox over these parts. */
export function openTestOutbox(
  parts: OutboxParts,
  more: { maxCount?: number; maxBytes?: number; guard?: OutboxGuard } = {},
): Promise<Outbox> {
  const { journal, played, status, clock } = parts;
  const randomness = createSeededRandomness(3);
  return openOutbox({
    journal,
    status,
    clock,
    randomness,
    logger: createSilentLogger(),
    durable: () => played.plane,
    ...more,
  });
}

/** What an author of these tests is made of. */
export interface TestAuthorOptions {
  readonly outbox: Outbox;
  readonly clock: FakeClock;
  readonly randomness: Randomness;
  readonly kind: 'q' | 'd';
  readonly durable: () => DurablePlane | undefined;
  /** Number of the process. */
  readonly start?: number;
  readonly isUnsigned?: boolean;
  readonly heads?: HeadStore;
  readonly onAdvanced?: (head: ChainHead, envelope: Envelope) => void;
}

/** A durable author of workspace `acme`, peer `ada` with key 1, plain. */
export function durableAuthorWith(options: TestAuthorOptions): DurableAuthor {
  const { outbox, clock, randomness, kind, durable, start = 1, onAdvanced } = options;
  const author = createEnvelopeAuthor({
    ...{ workspace: 'acme', peer: 'ada', session: `ada-${start}-${kind}`, kind, clock, randomness },
    heads: options.heads ?? outbox.heads,
    ...(options.isUnsigned ? {} : { signer: signerOf(1) }),
  });
  return createDurableAuthor({ author, kind, outbox, durable, ...(onAdvanced === undefined ? {} : { onAdvanced }) });
}

export const taskSubject = 'vak.work.acme.build.task';
export const receiptSubject = 'vak.receipts.acme.ada-1-d.completed';
export const minute = 60_000;

const adaQ = 'vak://acme/ada/ada-1-q';

/** What the n-th entry of a source says; its message id too. */
export const textOf = (seq: number, source = adaQ): string => `${source}#${seq}`;

/** The n-th entry of a source. */
export function outboxEntry(seq: number, change: Partial<OutboxEntry> = {}): OutboxEntry {
  const source = change.source ?? adaQ;
  const text = textOf(seq, source);
  const leaf = seq.toString(16).padStart(64, '0');
  return { subject: taskSubject, data: utf8(text), messageId: text, source, seq, leaf, ...change };
}

/** An engine that fails so. */
export const failing = (code: ErrorCode, isStored = false) => {
  return (): AppendPlay => ({ isStored, error: new VakError(code, 'as the test wants it') });
};

/** The code with which something is refused; `none`. */
export function codeOf(promise: Promise<unknown>): Promise<string> {
  return promise.then(
    () => 'none',
    (error: unknown) => (isVakError(error) ? error.code : String(error)),
  );
}

/** Moves time in steps, and lets run what is due. */
export async function advance(clock: FakeClock, ms: number, stepMs = 1000): Promise<void> {
  for (let gone = 0; gone < ms; gone += stepMs) {
    clock.advance(Math.min(stepMs, ms - gone));
    await settle(clock);
  }
}
