/**
 * The port to the durable plane (protocol.md B3–B5): streams, consumers, key-value, objects; every engine implements it.
 * Law: what a promise acknowledges is stored as the engine's settings say; nothing here waits without a bound or a signal.
 */
import type { Disposable } from '../../shared/base/disposer.ts';
import type { StreamSpec } from '../../shared/protocol/stream-table.ts';

/** A message as it lies in a stream; nobody may write to `data`. */
export interface StoredMessage {
  readonly stream: string;
  /** From 1, rising; numbers of deleted messages never come back. */
  readonly seq: number;
  readonly subject: string;
  readonly data: Uint8Array;
  /** When it was stored, ms since the epoch. */
  readonly storedMs: number;
  readonly messageId: string | undefined;
}

export interface AppendOptions {
  /** Within the stream's dedupe window a second append under the same id stores nothing. */
  readonly messageId?: string;
  /** Store only if the subject's last seq is this one (0: none). Else `conflict`. */
  readonly expectedLastSeq?: number;
  readonly signal?: AbortSignal;
}

/** Where a message lies; of a duplicate where the first one lies. */
export interface Appended {
  readonly stream: string;
  readonly seq: number;
  readonly isDuplicate: boolean;
}

export interface StreamState {
  readonly spec: StreamSpec;
  readonly messageCount: number;
  readonly bytes: number;
  /** `lastSeq + 1` if it is empty. */
  readonly firstSeq: number;
  readonly lastSeq: number;
  readonly consumerCount: number;
}

/** Which messages are read, in order of seq. Without `fromSeq` and `fromMs` from the first one. */
export interface ReadOptions {
  readonly fromSeq?: number;
  readonly fromMs?: number;
  /** A pattern (S2). */
  readonly subject?: string;
  /** Most messages of the page, 1–1 000; a page also ends after about 4 MiB. */
  readonly limit: number;
  readonly signal?: AbortSignal;
}

/** A page of a stream. `nextSeq`: where the next page begins; undefined when there is nothing more now. */
export interface StreamPage {
  readonly messages: readonly StoredMessage[];
  readonly nextSeq: number | undefined;
}

export interface ConsumerSpec {
  /** A token (S1). */
  readonly name: string;
  /** One pattern, within a subject of the stream or covering one: nats-server 2.9 has no more. */
  readonly filter: string;
  readonly ackWaitMs: number;
  /** Deliveries of a message at most; what exhausts them stays in the stream, and is told by an advisory. */
  readonly maxDeliver: number;
  /** Delivered and not acknowledged at most. */
  readonly maxInFlight: number;
  readonly start: 'all' | 'new';
}

export interface ConsumerState {
  readonly spec: ConsumerSpec;
  /** Not delivered yet. */
  readonly pendingCount: number;
  /** Delivered, not acknowledged. */
  readonly inFlightCount: number;
  readonly redeliveredCount: number;
  /** Pulls that wait. */
  readonly waitingCount: number;
  /** Deliveries so far, each one of a message; may begin anew when the engine does. */
  readonly deliveredCount: number;
  /** Whatever it is for, and stands at this place or before it, was delivered at least once; 0: nothing was. */
  readonly deliveredSeq: number;
  /** When a message was delivered, or somebody said `working`, last: ms since the epoch by the engine's clock. Null: not since the engine began. */
  readonly lastActiveMs: number | null;
  /** When a message was acknowledged or termed last, likewise. */
  readonly lastEndedMs: number | null;
}

/** A delivered message. One of the four ends it; afterwards they change nothing. */
export interface Delivery {
  readonly message: StoredMessage;
  /** From 1; a server may tell too few after a pull that was given up, so it is no attempt number by itself. */
  readonly deliveryCount: number;
  /** Done. Resolves when the engine has noted it (a double ack). Throws `not-found` if the consumer has gone, `timeout`. */
  ack(): Promise<void>;
  /** Not done: deliver again, after a delay. */
  nak(delayMs?: number): Promise<void>;
  /** Never deliver again. */
  term(): Promise<void>;
  /** Still at it: the ack wait begins anew. */
  working(): Promise<void>;
}

export interface PullOptions {
  /** Most messages, 1–256. */
  readonly batch: number;
  /** How long to wait for the first one, ms; 0: what is there now. */
  readonly waitMs: number;
  readonly signal?: AbortSignal;
}

export interface Consumer {
  /** Claims messages; empty when none came in time. Throws `not-found` (the consumer has gone), `aborted`, `closed`. */
  pull(options: PullOptions): Promise<readonly Delivery[]>;
  state(): Promise<ConsumerState>;
}

export interface Stream {
  /** Throws `not-found`. */
  state(): Promise<StreamState>;
  /** How many messages of a subject (a pattern) lie in it. Throws `invalid-pattern`. */
  count(subject: string): Promise<number>;
  get(seq: number): Promise<StoredMessage | undefined>;
  /** The newest message of a subject. */
  last(subject: string): Promise<StoredMessage | undefined>;
  read(options: ReadOptions): Promise<StreamPage>;
  /** Whether there was one. */
  delete(seq: number): Promise<boolean>;
  /** Deletes a subject's messages (a pattern), or all; gives how many. `upToSeq`: those behind that place stay. */
  purge(subject?: string, upToSeq?: number): Promise<number>;
  /** Makes the consumer or finds it; throws `conflict` if there is another one of that name. */
  ensureConsumer(spec: ConsumerSpec): Promise<Consumer>;
  consumer(name: string): Consumer;
  consumers(): Promise<readonly ConsumerState[]>;
  deleteConsumer(name: string): Promise<boolean>;
}

/** What making a stream or bucket came to. */
export type Provisioned = 'created' | 'updated' | 'unchanged';

export interface KeyValueEntry {
  readonly key: string;
  readonly value: Uint8Array;
  /** Rises with each change of the bucket. */
  readonly revision: number;
  readonly storedMs: number;
}

export interface KeyValueSpec {
  readonly name: string;
  /** Values that are kept of each key, 1–64. */
  readonly history: number;
}

/** A bucket of values by key; a key is tokens joined by dots. */
export interface KeyValueBucket {
  get(key: string): Promise<KeyValueEntry | undefined>;
  /** Every value of a key that is kept, oldest first. */
  history(key: string): Promise<readonly KeyValueEntry[]>;
  /** Gives the revision. `revision`: only if the key's is that one (0: there is none), else `conflict`. */
  put(key: string, value: Uint8Array, options?: { readonly revision?: number }): Promise<number>;
  delete(key: string): Promise<void>;
  keys(): Promise<readonly string[]>;
  /** Calls back with each key's present value, then `onReady`, then each change; undefined: deleted. A change that is replaced before it is told may be left out. */
  watch(
    onChange: (change: { readonly key: string; readonly entry: KeyValueEntry | undefined }) => void,
    onReady?: () => void,
  ): Disposable;
}

export interface ObjectInfo {
  readonly name: string;
  readonly sizeBytes: number;
  /** SHA-256 of the content, lower hex. */
  readonly sha256: string;
  readonly storedMs: number;
}

/** A bucket of large values, in chunks. */
export interface ObjectBucket {
  /** Stores a whole object; nothing of it is seen before all of it is there. Replaces one of the same name. */
  put(
    name: string,
    chunks: AsyncIterable<Uint8Array>,
    options?: { readonly signal?: AbortSignal },
  ): Promise<ObjectInfo>;
  info(name: string): Promise<ObjectInfo | undefined>;
  /** Throws `not-found`; `corrupt` at the end if the digest does not fit. */
  get(name: string, options?: { readonly signal?: AbortSignal }): AsyncIterable<Uint8Array>;
  delete(name: string): Promise<boolean>;
  list(): Promise<readonly ObjectInfo[]>;
}

/** How much may be kept. Bytes; −1: no limit, null: the engine does not tell this client. */
export interface StorageLimits {
  readonly memoryBytes: number | null;
  readonly storageBytes: number | null;
}

/** How something is made. */
export interface MakeOptions {
  /** Only says what would be done. */
  readonly dryRun?: boolean;
  /** Copies on servers of a cluster, 1–5; left out: one of what is made, and what is there keeps its own. Throws `unsupported` for more than there can be. */
  readonly replicas?: number;
}

export interface DurablePlane {
  /** Bounds of the whole plane, on top of those of each stream. Throws `unsupported` (there are no streams), `unauthorized`. */
  limits(): Promise<StorageLimits>;
  /** Makes the stream as specified, or changes it to be so. */
  ensureStream(spec: StreamSpec, options?: MakeOptions): Promise<Provisioned>;
  streams(): Promise<readonly StreamState[]>;
  stream(name: string): Stream;
  deleteStream(name: string): Promise<boolean>;
  /** Appends to the stream that takes the subject. Throws `invalid-subject` (S4), `not-found` (no stream takes it), `no-such-peer` (an inbox without a consumer), `conflict`, `limit-exceeded` (full), `timeout`. */
  append(subject: string, data: Uint8Array, options?: AppendOptions): Promise<Appended>;
  ensureKeyValue(spec: KeyValueSpec, options?: MakeOptions): Promise<Provisioned>;
  keyValue(name: string): KeyValueBucket;
  ensureObjects(name: string, options?: MakeOptions): Promise<Provisioned>;
  objects(name: string): ObjectBucket;
}

/** A subject under which an engine tells that a message has exhausted its deliveries, and what it says (W3). */
export interface MaxDeliveriesAdvisory {
  readonly stream: string;
  readonly consumer: string;
  readonly streamSeq: number;
  readonly deliveries: number;
}
