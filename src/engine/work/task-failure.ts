/**
 * How a program's own handler says that a task has failed, and whether another attempt is of use (protocol.md W2a, W6).
 * Law: what it says goes into the receipt and the dead letter; whatever else is thrown is tried again.
 */

export interface TaskFailureOptions {
  /** By which programs tell it from others, 1–256 characters (W6b); `failed` unless told. */
  readonly errorClass?: string;
  /** Whether it is tried again while its queue allows it; unless told it is. */
  readonly isFinal?: boolean;
  readonly cause?: unknown;
}

/** Thrown by a handler. */
export class TaskFailure extends Error {
  override readonly name = 'TaskFailure';
  readonly errorClass: string;
  readonly isFinal: boolean;

  constructor(reason: string, options: TaskFailureOptions = {}) {
    super(reason, 'cause' in options ? { cause: options.cause } : undefined);
    this.errorClass = options.errorClass ?? 'failed';
    this.isFinal = options.isFinal ?? false;
  }
}
