/**
 * The one error class for expected failures (protocol.md B10, architecture.md §6).
 * Law: `code` comes from a closed set; a message gives types and lengths, never a value that may be secret.
 */

/** Every code that an expected failure can carry. Whoever adds one documents it in docs/spec/errors.md. */
export const errorCodes = [
  'aborted',
  'already-running',
  'closed',
  'conflict',
  'corrupt',
  'disconnected',
  'disk-full',
  'exists',
  'forbidden',
  'invalid-input',
  'invalid-pattern',
  'invalid-payload',
  'invalid-subject',
  'limit-exceeded',
  'locked',
  'no-responders',
  'no-such-peer',
  'not-found',
  'read-only',
  'recovery-needed',
  'secret-misplaced',
  'self-test-failed',
  'spawn-failed',
  'tls-required',
  'timeout',
  'unauthorized',
  'unknown-method',
  'unsupported',
  'wrong-passphrase',
  'internal',
] as const;

/** A code of {@link errorCodes}. `internal` stands for a bug: its details are in the log only. */
export type ErrorCode = (typeof errorCodes)[number];

/** Facts about a failure that may be shown: names of fields, limits, sizes. Never secrets. */
export type ErrorDetails = Readonly<Record<string, string | number | boolean>>;

/** What of an error crosses a process border: no stack, no cause. */
export interface ErrorShape {
  readonly code: ErrorCode;
  readonly message: string;
  readonly retryable: boolean;
  readonly details?: ErrorDetails;
}

/** Options of {@link VakError}; `retryable` defaults to false. */
export interface VakErrorOptions {
  readonly retryable?: boolean;
  readonly details?: ErrorDetails;
  readonly cause?: unknown;
}

/** An expected failure. The message says what, where, and what to do next. */
export class VakError extends Error {
  override readonly name = 'VakError';
  readonly code: ErrorCode;
  readonly retryable: boolean;
  readonly details: ErrorDetails | undefined;

  constructor(code: ErrorCode, message: string, options: VakErrorOptions = {}) {
    super(message, 'cause' in options ? { cause: options.cause } : undefined);
    this.code = code;
    this.retryable = options.retryable ?? false;
    this.details = options.details;
  }

  /** The shape that crosses IPC or a channel: no stack, no cause. */
  toShape(): ErrorShape {
    const shape = { code: this.code, message: this.message, retryable: this.retryable };
    return this.details === undefined ? shape : { ...shape, details: this.details };
  }

  /** Rebuilds an error from its shape on the other side of a process border. */
  static fromShape(shape: ErrorShape): VakError {
    return new VakError(shape.code, shape.message, {
      retryable: shape.retryable,
      ...(shape.details === undefined ? {} : { details: shape.details }),
    });
  }
}

/** Narrows an unknown thrown value to an expected failure, optionally of one code. */
export function isVakError(value: unknown, code?: ErrorCode): value is VakError {
  return value instanceof VakError && (code === undefined || value.code === code);
}
