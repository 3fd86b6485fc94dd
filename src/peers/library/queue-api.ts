/**
 * What the package offers to other programs about queues, tasks and approvals; library-api.ts has the rest.
 *
 * This file imports nothing and makes nothing: the build puts it, as it is, into the types of the package.
 */

/** Whatever is closed, by hand or by `await using`. Closing twice is harmless. */
export interface AsyncClosable {
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

export interface CallOptions {
  /** Gives up waiting, which throws `aborted`; what was published stays published. */
  readonly signal?: AbortSignal | undefined;
}

export interface CloseOptions {
  /** What runs may finish within this time, ms; then its signal is aborted, and it is given back. 30 000 unless told. */
  readonly finishWithinMs?: number | undefined;
}

interface TaskFields {
  /** Ends an attempt after so long; that is a failure. Up to 7 days. */
  readonly timeoutMs?: number;
  /** Tries after the first; as many as its queue allows unless told. */
  readonly maxRetries?: number;
  /** An operator is asked before it runs. */
  readonly approval?: { readonly title: string; readonly detail?: string };
  /** For workers that run commands: folder, variables, and how much output is kept. */
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly outputLimitBytes?: number;
}

/** What is to be done: an input (any JSON) for a worker's own handler, or a command line. 512 KiB at most. */
export type TaskDraft = TaskFields &
  (
    | { readonly input: unknown; readonly command?: undefined }
    | { readonly command: readonly string[]; readonly input?: undefined }
  );

/** A task that lies in its queue. */
export interface SubmittedTask {
  readonly id: string;
  readonly queue: string;
  readonly leaf: string;
  readonly seq: number;
}

/** A task as a handler gets it. `id` is the same at each attempt, and no other task has it. */
export interface Task {
  readonly id: string;
  readonly queue: string;
  readonly leaf: string;
  readonly input: unknown;
  readonly command: readonly string[] | undefined;
  readonly cwd: string | undefined;
  readonly env: Readonly<Record<string, string>> | undefined;
  readonly timeoutMs: number | undefined;
}

export interface ApprovalQuestion {
  /** A line. */
  readonly title: string;
  readonly detail?: string;
  /** How long it may be answered, ms; as the worker has it unless told. */
  readonly expiresInMs?: number;
}

export interface TaskContext {
  /** Aborted when the worker stops or the task's time is over: end soon, by throwing. The reason is a VakError. */
  readonly signal: AbortSignal;
  /** From 1. */
  readonly attempt: number;
  readonly maxAttempts: number;
  /**
   * Asks an operator and resolves when one has approved. Throws `forbidden` if it is denied or nobody answers in time; a handler that
   * lets that through has failed for good.
   */
  approve(question: ApprovalQuestion): Promise<{ readonly by: string; readonly reason: string | undefined }>;
}

/**
 * Does a task. What it gives is the output, JSON or nothing: the receipt holds it up to 32 KiB, and of more its hash alone. What it
 * throws is a failed attempt: message, name and stack of an error stand in the receipt, which is sealed.
 */
export type TaskHandler = (task: Task, context: TaskContext) => unknown;

export interface WorkOptions {
  /** Tasks at the same time, 1–64; 1 unless told. */
  readonly concurrency?: number | undefined;
  /** How long an approval waits for its answer, ms; an hour unless told. */
  readonly approveWithinMs?: number | undefined;
}

/** A worker on a queue, until it is closed. */
export interface QueueWorker extends AsyncClosable {
  readonly queue: string;
  /** Tasks that run now. */
  readonly runningCount: number;
  /** Claims no more; what runs may finish in time, the rest is given back. */
  close(options?: CloseOptions): Promise<void>;
}

/** What a worker signed of an attempt. Times are RFC 3339. */
export interface Receipt {
  readonly taskId: string;
  readonly taskLeaf: string;
  readonly queue: string;
  readonly workerId: string;
  readonly attempt: number;
  readonly outcome: 'done' | 'attempt-failed';
  readonly startedAt: string;
  readonly endedAt: string;
  readonly exitCode?: number | undefined;
  readonly reason?: string | undefined;
  readonly errorClass?: string | undefined;
  readonly stack?: string | undefined;
  /** SHA-256 over all of its output. */
  readonly outputHash: string;
  readonly output?: unknown;
}

/** What was signed of a task that failed for good. */
export interface DeadLetter {
  readonly reason: string;
  readonly errorClass: string;
  readonly attempts: number;
  readonly stack?: string | undefined;
  readonly failedAt: string;
  /** Who had it last; null if nobody knows. */
  readonly workerId: string | null;
}

interface OutcomeFields {
  readonly id: string;
  readonly queue: string;
  readonly leaf: string;
  /** Those that count, in the order of their attempts. */
  readonly receipts: readonly Receipt[];
}

/**
 * What became of a task. `finished-late`: done after its dead letter. `lost`: it left its queue and nobody signed what became of it.
 * `purged`: an operator has taken it out.
 */
export type TaskOutcome =
  | (OutcomeFields & { readonly kind: 'done' | 'finished-late'; readonly receipt: Receipt; readonly output: unknown })
  | (OutcomeFields & { readonly kind: 'dead'; readonly deadLetter: DeadLetter })
  | (OutcomeFields & { readonly kind: 'lost' | 'purged' });

export interface QueueFigures {
  readonly queue: string;
  /** Nobody has claimed them yet. */
  readonly pendingCount: number;
  /** Claimed, or waiting for their next attempt. */
  readonly inFlightCount: number;
  readonly redeliveredCount: number;
  /** Pending and in flight. */
  readonly lag: number;
  /** When the oldest task was stored, ms since the epoch; null: there is none. */
  readonly oldestMs: number | null;
  /** Workers that wait for a task now. */
  readonly waitingWorkers: number;
  readonly maxRetries: number;
  readonly isPaused: boolean;
}

export interface Queue {
  readonly name: string;
  /**
   * Puts a task into the queue: coordinators and operators may. Resolves when it is stored. Throws `invalid-payload`, `limit-exceeded`,
   * `conflict` (more retries than the queue allows), and what publishing throws.
   */
  submit(task: TaskDraft, options?: CallOptions): Promise<SubmittedTask>;
  /**
   * Resolves when a task has ended, however it did: coordinators and operators may read that. Outages are sat out. Give what
   * `submit` gave: by its id alone a task is believed to be whatever workers of the queue say that it was. Only operators are told of
   * tasks that are lost. Throws `not-found`, `conflict`, `aborted`.
   */
  wait(task: SubmittedTask | string, options?: CallOptions): Promise<TaskOutcome>;
  /** The queue as it is now: workers of it and operators may see that. Throws `not-found` if nobody has made it. */
  figures(): Promise<QueueFigures>;
  /** Workers of the queue claim nothing until it goes on. Operators may say so. */
  pause(): Promise<void>;
  resume(): Promise<void>;
  /**
   * Begins to work on the queue: workers of it may. Each attempt has its signed receipt; what fails comes again, and at last becomes a
   * dead letter. Throws `not-found` (no streams), `invalid-input`.
   */
  work(handler: TaskHandler, options?: WorkOptions): Promise<QueueWorker>;
}

/** What somebody asks an operator for. */
export interface Approval {
  readonly id: string;
  /** `asker-gone`: its task has ended, or was claimed anew, before anybody answered. */
  readonly state: 'pending' | 'approved' | 'denied' | 'expired' | 'asker-gone';
  readonly title: string;
  readonly detail: string;
  readonly command: readonly string[] | undefined;
  /** Who asks. */
  readonly peer: string;
  readonly taskId: string | undefined;
  /** RFC 3339, both. */
  readonly askedAt: string;
  readonly expiresAt: string;
  readonly answer:
    | { readonly decision: 'approve' | 'deny'; readonly by: string; readonly reason: string | undefined }
    | undefined;
  /** Of `asker-gone`: why. */
  readonly gone: string | undefined;
}

/** Operators alone may list and answer. */
export interface Approvals {
  /** What waits for an answer, oldest first; with `all` also what was answered or has expired. */
  list(options?: { readonly all?: boolean | undefined }): Promise<readonly Approval[]>;
  /** Throws `not-found`, and `conflict` if it was answered before, has expired, nobody waits for it any more, or another answer was first. */
  approve(id: string, reason?: string): Promise<void>;
  /** As `approve`; who asked is told the reason. */
  deny(id: string, reason: string): Promise<void>;
}
