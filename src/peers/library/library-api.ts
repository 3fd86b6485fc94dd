/**
 * What the package offers to other programs: `import { connect } from 'vak-workbench'`. docs/library.md explains it.
 *
 * This file makes nothing: the build puts it, behind queue-api.ts, beside the program as its types.
 */
import type { Approvals, AsyncClosable, CallOptions, CloseOptions, Queue } from './queue-api.ts';

export type {
  Approval,
  ApprovalQuestion,
  Approvals,
  AsyncClosable,
  CallOptions,
  CloseOptions,
  DeadLetter,
  Queue,
  QueueFigures,
  QueueWorker,
  Receipt,
  SubmittedTask,
  Task,
  TaskContext,
  TaskDraft,
  TaskHandler,
  TaskOutcome,
  WorkOptions,
} from './queue-api.ts';

/** What kind of expected failure it is; docs/spec/errors.md says what to do about each. */
export type ErrorCode =
  | 'aborted'
  | 'already-running'
  | 'closed'
  | 'conflict'
  | 'corrupt'
  | 'disconnected'
  | 'disk-full'
  | 'exists'
  | 'forbidden'
  | 'invalid-input'
  | 'invalid-pattern'
  | 'invalid-payload'
  | 'invalid-subject'
  | 'limit-exceeded'
  | 'locked'
  | 'no-responders'
  | 'no-such-peer'
  | 'not-found'
  | 'read-only'
  | 'recovery-needed'
  | 'secret-misplaced'
  | 'self-test-failed'
  | 'spawn-failed'
  | 'tls-required'
  | 'timeout'
  | 'unauthorized'
  | 'unknown-method'
  | 'unsupported'
  | 'wrong-passphrase'
  | 'internal';

export interface VakErrorOptions {
  /** False unless told. */
  readonly retryable?: boolean;
  readonly details?: Readonly<Record<string, string | number | boolean>>;
  readonly cause?: unknown;
}

/** An expected failure: every promise of this package rejects with one. Its message never holds a value that may be secret. */
export declare class VakError extends Error {
  override readonly name: 'VakError';
  readonly code: ErrorCode;
  /** Whether the same call may succeed later. */
  readonly retryable: boolean;
  /** Names of fields, limits, sizes; of `forbidden` the `rule` that decided. */
  readonly details: Readonly<Record<string, string | number | boolean>> | undefined;
  constructor(code: ErrorCode, message: string, options?: VakErrorOptions);
}

export interface TaskFailureOptions {
  /** By which programs tell this failure from others, 1–256 characters; `failed` unless told. */
  readonly errorClass?: string;
  /** True: it is not tried again, it becomes a dead letter at once. */
  readonly isFinal?: boolean;
  readonly cause?: unknown;
}

/** Thrown by a task's handler to say how it failed. Reason and class stand in the receipt, which is sealed. */
export declare class TaskFailure extends Error {
  override readonly name: 'TaskFailure';
  readonly errorClass: string;
  readonly isFinal: boolean;
  constructor(reason: string, options?: TaskFailureOptions);
}

/** What a grant can hold. */
export type Role =
  | 'worker'
  | 'bot'
  | 'human'
  | 'coordinator'
  | 'operator'
  | 'observer'
  | 'membershipd'
  | 'dlq-supervisor'
  | 'provisioner';

/** A file with mode 0600, or a function that is asked once. Bytes that a function gives are erased after use. */
export type PassphraseSource = { readonly file: string } | (() => string | Uint8Array | Promise<string | Uint8Array>);

/** One thing that happened, for a log. It holds no payload and no secret. */
export interface LogEntry {
  /** RFC 3339. */
  readonly at: string;
  readonly level: 'debug' | 'info' | 'warn' | 'error';
  readonly event: string;
  readonly [field: string]: unknown;
}

export interface ConnectOptions {
  /** The peer that this connection is, by its name in the profile. */
  readonly identity: string;
  /**
   * Roles that it needs. A process of this name is made at its first use, and granted them, where the profile holds the workspace's root; a
   * grant that is there stays as it is. None: as it is.
   */
  readonly roles?: readonly Role[] | undefined;
  /** Queues of the role `worker`. */
  readonly queues?: readonly string[] | undefined;
  /** `default` unless told. */
  readonly workspace?: string | undefined;
  /** Folder of the profile; the app's own unless told. */
  readonly profile?: string | undefined;
  /** What opens the profile's key store; the file that the variable VAK_PASSPHRASE_FILE names unless told. */
  readonly passphrase?: PassphraseSource | undefined;
  /** `nats://host:port` or `tls://host:port`, several with commas between. Without it and `context` the profile's current connection. */
  readonly natsUrl?: string | undefined;
  /** A connection of the profile, by its name. */
  readonly context?: string | undefined;
  /** An engine of this process instead of a server and a profile; for tests. */
  readonly embedded?: Embedded | undefined;
  /** Credentials file of NATS (JWT and seed, or the JWT alone), mode 0600. */
  readonly creds?: string | undefined;
  /** File with an nkey seed, mode 0600. */
  readonly nkeyFile?: string | undefined;
  /** PEM files: authorities to trust, a certificate to show and its key (mode 0600). */
  readonly tls?:
    | { readonly ca?: string | undefined; readonly cert?: string | undefined; readonly key?: string | undefined }
    | undefined;
  /** Told of what happens; nothing is ever written to stdout or stderr. What it throws is ignored. */
  readonly onLog?: ((entry: LogEntry) => void) | undefined;
  /** Gives up connecting. It changes nothing once the connection is there. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Opens the profile and connects as one of its identities. Until it is closed the connection keeps the process alive.
 * Throws `invalid-input`, `not-found` (no such identity, key store or workspace), `wrong-passphrase`, `forbidden` (a role or queue that
 * was not granted), `disconnected`, `unauthorized`, `tls-required`, `timeout`, `read-only`, `aborted`.
 */
export declare function connect(options: ConnectOptions): Promise<Vak>;

export interface EmbeddedOptions {
  /** `default` unless told. */
  readonly workspace?: string | undefined;
}

/** An engine that lives in this process, with a workspace of its own; nothing of it is left when it is closed. */
export interface Embedded extends AsyncClosable {
  readonly workspace: string;
}

/** Opens an engine without a server, for tests: any number of connections of this process share it. */
export declare function openEmbedded(options?: EmbeddedOptions): Promise<Embedded>;

/** How a connection is. `stale`: answers are late; `reconnecting`: it is lost, and sought; only `closed` is final. Times in ms since the epoch. */
export type VakStatus =
  | { readonly kind: 'connecting' | 'stale'; readonly sinceMs: number }
  | { readonly kind: 'connected'; readonly sinceMs: number; readonly server: string }
  | { readonly kind: 'reconnecting'; readonly sinceMs: number; readonly error: VakError | undefined }
  /** `error`: why; undefined after `close()`. */
  | { readonly kind: 'closed'; readonly sinceMs: number; readonly error: VakError | undefined };

/** A connection: one peer of one workspace. Every call throws `closed` once it is closed, and `forbidden` for what its grant does not give. */
export interface Vak extends AsyncClosable {
  readonly workspace: string;
  readonly peer: string;
  readonly status: VakStatus;
  /** Calls back with each new status; the function that it gives ends that. */
  onStatus(listener: (status: VakStatus) => void): () => void;
  /**
   * Publishes a value as JSON, or bytes as they are, signed and chained. Durable subjects go through an outbox on disk: it resolves when
   * the stream has stored it. In a subject that names a session write `self`. Throws `invalid-subject`, `invalid-payload`,
   * `limit-exceeded`, `not-found` (no stream), `no-such-peer`, `disconnected`, `timeout`: a durable one whose error has `details.id`
   * waits in the outbox, and is not to be published again.
   */
  publish(subject: string, value: unknown, options?: PublishOptions): Promise<Published>;
  /**
   * Hears what passes on subjects that a pattern matches, from now on: judged, and opened. One message at a time: the next one waits
   * for the promise of the handler. Throws `invalid-pattern`, `invalid-input`.
   */
  subscribe(
    pattern: string,
    handler: (message: ReceivedMessage) => unknown,
    options?: SubscribeOptions,
  ): Promise<Subscription>;
  /** A queue by its name. Throws `invalid-subject` for a name that is no token. */
  queue(name: string): Queue;
  readonly approvals: Approvals;
  /**
   * Claims no more, lets what runs finish, waits a moment for what the outbox has, and closes. What is not stored by then is sent when
   * the peer connects there next.
   */
  close(options?: CloseOptions): Promise<void>;
}

export interface PublishOptions extends CallOptions {
  /** Type of the envelope; the subject's own unless told. */
  readonly type?: string | undefined;
  /** False: it goes plain, which receivers refuse unless their policy accepts it. */
  readonly sealed?: boolean | undefined;
  /** Id of the envelope that caused it. */
  readonly causationId?: string | undefined;
}

export interface Published {
  readonly id: string;
  readonly subject: string;
  /** 64 hex digits: the hash by which others name the envelope. */
  readonly leaf: string;
  /** Where it is stored; undefined for a subject that no stream keeps. */
  readonly stream: string | undefined;
  readonly seq: number | undefined;
}

/** A message that was found sound: signed by whom it names, who was granted to say it, and opened. */
export interface ReceivedMessage {
  readonly subject: string;
  readonly id: string;
  readonly type: string;
  /** The peer that signed it; where the policy accepts unsigned messages, the one that it names. */
  readonly from: string;
  readonly session: string | undefined;
  /** RFC 3339, by the sender's clock. */
  readonly time: string;
  readonly causationId: string | undefined;
  readonly traceparent: string | undefined;
  readonly payload: Uint8Array;
  /** The payload as text. Throws `invalid-payload` if it is no UTF-8. */
  text(): string;
  /** The payload as JSON. Throws `invalid-payload`. Integers beyond 2^53 lose digits here, and not in `payload`. */
  json(): unknown;
}

/** A message that was not handed out. */
export interface RefusedMessage {
  readonly subject: string;
  readonly reason: string;
  /** A sentence for people. */
  readonly why: string;
}

export interface SubscribeOptions {
  /** Told of what is refused. What is refused for want of a grant or a secret comes to the handler after all if that comes to be known. */
  readonly onRefused?: ((refused: RefusedMessage) => void) | undefined;
  /** Messages that wait for the handler at most, 1–1 000 000; beyond it the oldest give way. 16 384 unless told. */
  readonly capacity?: number | undefined;
}

/** Once it is closed no further message is handed out; a handler that runs goes on. */
export interface Subscription extends AsyncClosable {
  readonly pattern: string;
  /** Messages that gave way because the handler was slower than the bus. */
  readonly droppedCount: number;
}
