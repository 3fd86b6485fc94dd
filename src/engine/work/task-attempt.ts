/**
 * One attempt at a claimed task, from its claim to its end (protocol.md W1–W3, W6, E15).
 * Law: the task is acknowledged only after its receipt is stored, and ended only after its dead letter is; whatever fails on the way,
 * it comes again.
 */
import { hash } from 'node:crypto';
import { isVakError } from '../../shared/base/vak-error.ts';
import type { Refusal } from '../../shared/contract/trust-report.ts';
import type { PayloadOf } from '../../shared/protocol/payloads.ts';
import { childOf, readTraceContext, startTrace, type TraceContext } from '../../shared/protocol/trace-context.ts';
import type { Delivery } from '../bus/durable.ts';
import { createBoundedCache } from '../crypto/bounded-cache.ts';
import type { EnvelopeReader } from '../envelope/envelope-reader.ts';
import type { DurablePeer } from '../outbox/durable-peer.ts';
import type { HandledMemory } from '../outbox/handled-memory.ts';
import type { Clock } from '../ports/clock.ts';
import type { Logger } from '../ports/logger.ts';
import type { Randomness } from '../ports/randomness.ts';
import { boundedReason } from './bounded-reason.ts';
import type { DeadLetterOffice } from './dead-letter-office.ts';
import { draftReceipt, type Receipt } from './receipts.ts';
import { retryDelayMs } from './retry-policy.ts';
import type { TaskAdmission, TaskIntake } from './task-intake.ts';
import { ackWaitMs } from './work-queue.ts';

export type Task = PayloadOf<'vak.work.task'>;

/** A task that is to be run now. */
export interface TaskAttempt {
  readonly taskId: string;
  /** 64 lower hex digits (E10). */
  readonly taskLeaf: string;
  readonly queue: string;
  /** From 1. */
  readonly attempt: number;
  /** Attempts in all, this one included, before it is dead. */
  readonly maxAttempts: number;
  readonly task: Task;
  /** Of the task's envelope; what is told of the attempt is told below it. */
  readonly trace: TraceContext;
  /** Aborted when the worker has to stop: the attempt is to end soon, and to be `returned`. */
  readonly signal: AbortSignal;
}

/** What came of it. `outputHash`: SHA-256 of its output. */
export type AttemptResult =
  | ({ readonly kind: 'done' } & Pick<Receipt, 'exitCode' | 'reason' | 'outputHash' | 'output' | 'session'>)
  | ({
      readonly kind: 'failed';
      readonly reason: string;
      /** For logs, which nobody seals; as `reason` unless told. */
      readonly openReason?: string;
      readonly errorClass: string;
      /** No further attempt would be of use, or is wanted. */
      readonly isFinal?: boolean;
    } & Pick<Receipt, 'exitCode' | 'stack' | 'outputHash' | 'session'>)
  /** It was not finished, and is for another worker. `wasAsking`: it had not begun, and waited for its approval. */
  | { readonly kind: 'returned'; readonly wasAsking?: boolean };

export type TaskHandler = (attempt: TaskAttempt) => Promise<AttemptResult>;

type Attempted = Pick<TaskAttempt, 'taskId' | 'queue' | 'attempt' | 'maxAttempts'>;

/** `tookMs`: from the claim to when its receipt, and of what is buried its dead letter, was stored. */
interface Settled extends Attempted {
  readonly tookMs: number;
}

/** What became of a delivery. */
export type WorkEvent =
  | ({ readonly kind: 'claimed' | 'returned' } & Attempted)
  | ({ readonly kind: 'done' } & Settled)
  | ({ readonly kind: 'failed'; readonly reason: string; readonly againInMs: number } & Settled)
  | ({ readonly kind: 'buried'; readonly reason: string } & Settled)
  | { readonly kind: 'refused'; readonly seq: number; readonly refusal: Refusal }
  /** It could not be told what came of it: it comes again. `taskId`: undefined before it was admitted. */
  | { readonly kind: 'unsettled'; readonly seq: number; readonly code: string; readonly message: string };

export interface TaskRunnerDeps {
  readonly workspace: string;
  readonly queue: string;
  readonly peer: string;
  readonly intake: TaskIntake;
  readonly reader: EnvelopeReader;
  readonly handled: Pick<HandledMemory, 'handleOnce'>;
  readonly publisher: Pick<DurablePeer, 'publish' | 'session'>;
  readonly office: DeadLetterOffice;
  readonly handler: TaskHandler;
  /** Deliveries of a task at most, as its consumer has it. */
  readonly maxDeliver: number;
  readonly clock: Clock;
  readonly randomness: Randomness;
  readonly logger: Logger;
  readonly onEvent: (event: WorkEvent) => void;
}

export interface TaskRunner {
  /** Takes a delivery to its end; never rejects. */
  run(delivery: Delivery, signal: AbortSignal): Promise<void>;
}

/** While it is at it a worker says so three times in an ack wait (W1: every 10 s). */
const workingEveryMs = ackWaitMs / 3;
/** After what was not the task's fault, ms. */
const againMs = 5_000;
/** Tasks whose attempts are remembered for their dead letters. */
const maxRemembered = 1_024;
const maxHistory = 256;
/** SHA-256 of no output. */
export const noOutputHash = hash('sha256', '', 'hex');

type Accepted = Extract<TaskAdmission, { kind: 'accepted' }>;
interface Claim {
  readonly delivery: Delivery;
  /** By `clock.monotonic`. */
  readonly claimedMs: number;
  readonly signal: AbortSignal;
}
type ClaimedAttempt = TaskAttempt & Pick<Claim, 'claimedMs'>;
type Finished = Exclude<AttemptResult, { kind: 'returned' }>;
interface FailedAttempt {
  readonly receipt: Receipt;
  readonly attempt: ClaimedAttempt;
  readonly openReason: string;
}
type History = PayloadOf<'vak.dlq.failed'>['history'];

/** Creates the runner of one worker on one queue. */
export function createTaskRunner(deps: TaskRunnerDeps): TaskRunner {
  const { workspace, queue, peer, intake, reader, handled, publisher, office, handler, clock, randomness } = deps;
  const { logger, onEvent, maxDeliver } = deps;
  const histories = createBoundedCache<History>(maxRemembered);

  /** The attempt that a delivery is: a server may have counted too few. */
  function attemptOf(admitted: Accepted, { delivery, claimedMs, signal }: Claim): ClaimedAttempt {
    const { envelope, leaf: taskLeaf, task } = admitted;
    const context = readTraceContext(envelope.traceparent, envelope.tracestate);
    const attempt = Math.max(delivery.deliveryCount, (histories.get(taskLeaf)?.at(-1)?.attempt ?? 0) + 1);
    return {
      ...{ taskId: envelope.id, taskLeaf, queue, attempt, task, signal, claimedMs },
      maxAttempts: Math.min(maxDeliver, (task.maxRetries ?? maxDeliver) + 1),
      trace: context === undefined ? startTrace(randomness.bytes) : childOf(context, randomness.bytes),
    };
  }

  async function handle(attempt: TaskAttempt): Promise<AttemptResult> {
    try {
      return await handler(attempt);
    } catch (thrown) {
      const why = isVakError(thrown)
        ? thrown.message
        : `internal error, see the worker's log: ${logger.bug('work', thrown)}`;
      const errorClass = isVakError(thrown) ? thrown.code : 'internal';
      return { kind: 'failed', reason: why, errorClass, outputHash: noOutputHash };
    }
  }

  function receiptOf(attempt: TaskAttempt, result: Finished, startedAt: string): Receipt {
    const { taskId, taskLeaf, attempt: number } = attempt;
    const { kind, exitCode, outputHash, session } = result;
    const reason = result.reason === undefined ? undefined : boundedReason(result.reason);
    return {
      ...{ taskId, taskLeaf, queue, workerId: peer, attempt: number },
      outcome: kind === 'done' ? 'done' : 'attempt-failed',
      ...{ startedAt, endedAt: new Date(clock.now()).toISOString(), outputHash },
      ...(exitCode === undefined ? {} : { exitCode }),
      ...(reason === undefined ? {} : { reason }),
      ...(session === undefined ? {} : { session }),
      ...(result.kind === 'failed' ? failureOf(result) : outputOf(result)),
    };
  }

  async function publishReceipt(receipt: Receipt, { trace }: TaskAttempt): Promise<void> {
    const span = childOf(trace, randomness.bytes);
    const { stored } = await publisher.publish(
      draftReceipt(receipt, { workspace, session: publisher.session('d'), trace: span }),
    );
    await stored;
  }

  const rememberAsHandled = ({ envelope: { source, id } }: Accepted): Promise<boolean> =>
    handled.handleOnce({ source, id }, async () => undefined);

  const settled = (attempt: ClaimedAttempt): Settled => ({
    ...attempted(attempt),
    tookMs: Math.round((clock.monotonic() - attempt.claimedMs) * 1_000) / 1_000,
  });

  async function settleDone(delivery: Delivery, admitted: Accepted, attempt: ClaimedAttempt): Promise<void> {
    await rememberAsHandled(admitted);
    onEvent({ kind: 'done', ...settled(attempt) });
    await delivery.ack();
  }

  async function bury(
    delivery: Delivery,
    admitted: Accepted,
    { receipt, attempt, openReason }: FailedAttempt,
  ): Promise<void> {
    const { message } = delivery;
    const { reason = '', errorClass = 'failed', stack } = receipt;
    const isBuried = await office.bury({
      message,
      reading: reader.read(message.data),
      death: {
        ...{ attempts: attempt.attempt, history: [...(histories.get(receipt.taskLeaf) ?? [])], reason, errorClass },
        ...(stack === undefined ? {} : { stack }),
        ...{ failedAt: receipt.endedAt, workerId: peer },
      },
    });
    // An earlier dead letter of it waits to be stored; then it is asked again.
    if (!isBuried) return await delivery.nak(againMs);
    await rememberAsHandled(admitted);
    onEvent({ kind: 'buried', ...settled(attempt), reason: openReason });
    await delivery.term();
  }

  async function settleFailed(
    delivery: Delivery,
    admitted: Accepted,
    failed: FailedAttempt & { readonly isFinal: boolean },
  ): Promise<void> {
    const { receipt, attempt, openReason } = failed;
    const { startedAt, endedAt, exitCode, reason = '' } = receipt;
    const record = { attempt: attempt.attempt, workerId: peer, startedAt, endedAt, reason };
    const before = histories.get(receipt.taskLeaf) ?? [];
    const all = [...before, { ...record, ...(exitCode === undefined ? {} : { exitCode }) }];
    histories.set(receipt.taskLeaf, all.slice(-maxHistory));
    if (failed.isFinal || attempt.attempt >= attempt.maxAttempts) return await bury(delivery, admitted, failed);
    const againInMs = retryDelayMs(attempt.attempt, randomness);
    onEvent({ kind: 'failed', ...settled(attempt), reason: openReason, againInMs });
    await delivery.nak(againInMs);
  }

  /** What is given back at the last delivery comes to nobody any more: then this worker says so, and buries it (W2, W3). */
  function endOf(result: AttemptResult, { deliveryCount }: Delivery): AttemptResult {
    if (result.kind !== 'returned' || deliveryCount < maxDeliver) return result;
    const when = result.wasAsking === true ? 'while it waited for its approval' : 'before it was finished';
    const reason = `Its worker stopped ${when}, and this was its last delivery (${deliveryCount} of ${maxDeliver}).`;
    return { kind: 'failed', reason, errorClass: 'given-back', isFinal: true, outputHash: noOutputHash };
  }

  async function attemptTask(claim: Claim, admitted: Accepted): Promise<void> {
    const { delivery } = claim;
    const attempt = attemptOf(admitted, claim);
    onEvent({ kind: 'claimed', ...attempted(attempt) });
    const startedAt = new Date(clock.now()).toISOString();
    const result = endOf(await handle(attempt), delivery);
    if (result.kind === 'returned') {
      onEvent({ kind: 'returned', ...attempted(attempt) });
      return await delivery.nak();
    }
    const receipt = receiptOf(attempt, result, startedAt);
    await publishReceipt(receipt, attempt);
    if (result.kind === 'done') return await settleDone(delivery, admitted, attempt);
    const openReason = boundedReason(result.openReason ?? result.reason);
    await settleFailed(delivery, admitted, { receipt, attempt, openReason, isFinal: result.isFinal === true });
  }

  async function take(claim: Claim): Promise<void> {
    const { delivery } = claim;
    const admitted = await intake.admit(delivery);
    if (admitted.kind === 'accepted') return await attemptTask(claim, admitted);
    if (admitted.kind === 'ended' && admitted.refusal !== undefined) {
      onEvent({ kind: 'refused', seq: delivery.message.seq, refusal: admitted.refusal });
    }
  }

  return {
    async run(delivery, signal) {
      const { seq } = delivery.message;
      const claimedMs = clock.monotonic();
      const working = clock.setTicker(workingEveryMs, () => {
        // If it does not get through the task comes again, to somebody: nothing better can be done.
        delivery.working().catch((error: unknown) => {
          if (!isVakError(error)) logger.bug('work.working', error);
        });
      });
      try {
        await take({ delivery, claimedMs, signal });
      } catch (thrown) {
        const error = isVakError(thrown)
          ? thrown
          : { code: 'internal', message: `see the log: ${logger.bug('work.attempt', thrown)}` };
        onEvent({ kind: 'unsettled', seq, code: error.code, message: error.message });
        // If that fails too it comes again after the ack wait. After an end that was noted it changes nothing.
        await delivery.nak(againMs).catch(() => undefined);
      } finally {
        working.dispose();
      }
    },
  };
}

function failureOf({ errorClass, stack }: Finished & { readonly kind: 'failed' }): Partial<Receipt> {
  return { errorClass, ...(stack === undefined ? {} : { stack }) };
}

function outputOf({ output }: Finished & { readonly kind: 'done' }): Partial<Receipt> {
  return output === undefined ? {} : { output };
}

function attempted({ taskId, queue, attempt, maxAttempts }: TaskAttempt): Attempted {
  return { taskId, queue, attempt, maxAttempts };
}
