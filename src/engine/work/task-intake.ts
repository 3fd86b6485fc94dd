/**
 * Judges a claimed task before any handler sees it (protocol.md E8, E15, W3).
 * Law: a task that is refused is ended only after its dead letter is stored; one that was handled is never handled again.
 */
import { isVakError } from '../../shared/base/vak-error.ts';
import type { Refusal } from '../../shared/contract/trust-report.ts';
import type { Envelope } from '../../shared/protocol/envelope.ts';
import { decodePayload, type PayloadOf } from '../../shared/protocol/payloads.ts';
import type { Delivery } from '../bus/durable.ts';
import type { EnvelopeReader } from '../envelope/envelope-reader.ts';
import type { StoredJudge } from '../envelope/stored-judge.ts';
import type { HandledMemory } from '../outbox/handled-memory.ts';
import type { Clock } from '../ports/clock.ts';
import { boundedReason } from './bounded-reason.ts';
import type { DeadLetterOffice } from './dead-letter-office.ts';
import { createUnproven } from './unproven.ts';

/** `ended`: there is nothing to do any more. `returned`: it comes again, nobody can judge it now. */
export type TaskAdmission =
  | {
      readonly kind: 'accepted';
      readonly envelope: Envelope;
      /** 64 lower hex digits (E10). */
      readonly leaf: string;
      readonly task: PayloadOf<'vak.work.task'>;
    }
  | { readonly kind: 'ended'; readonly refusal: Refusal | undefined }
  | { readonly kind: 'returned' };

export interface TaskIntake {
  /** Throws what the dead letter's storing or the delivery throws; then it is neither ended nor returned, and comes again. */
  admit(delivery: Delivery): Promise<TaskAdmission>;
}

export interface TaskIntakeDeps {
  readonly peer: string;
  readonly judge: StoredJudge;
  readonly reader: EnvelopeReader;
  /** What of the work stream was handled here. */
  readonly handled: Pick<HandledMemory, 'isNew'>;
  readonly office: DeadLetterOffice;
  readonly clock: Clock;
  /** Deliveries of a task at most, as its consumer has it: at the last one nothing is waited for any more. */
  readonly maxDeliver: number;
}

/** Tasks that nobody can prove wait in this number: a queue has many more in flight. */
const maxUnproven = 64;
const unprovenHoldMs = 20_000;
/** A task that cannot be judged yet comes again after so long, ms. */
const returnDelayMs = 5_000;

/** The task of a payload, or why it is none. */
function readTask(payload: Uint8Array): PayloadOf<'vak.work.task'> | Refusal {
  try {
    return decodePayload('vak.work.task', payload);
  } catch (error) {
    if (isVakError(error)) return { reason: 'malformed', why: `${error.message}.` };
    throw error;
  }
}

const isRefusal = (found: PayloadOf<'vak.work.task'> | Refusal): found is Refusal =>
  'why' in found && 'reason' in found;

/** Creates the intake of one worker's queue. */
export function createTaskIntake(deps: TaskIntakeDeps): TaskIntake {
  const { peer, judge, reader, handled, office, clock, maxDeliver } = deps;
  const unproven = createUnproven({ clock, holdMs: unprovenHoldMs, capacity: maxUnproven, maxDeliveries: maxDeliver });

  async function refuse(delivery: Delivery, refusal: Refusal): Promise<TaskAdmission> {
    const { message } = delivery;
    const isBuried = await office.bury({
      message,
      reading: reader.read(message.data),
      death: {
        ...{ attempts: 0, history: [], reason: boundedReason(refusal.why), workerId: peer },
        errorClass: `refused.${refusal.reason}`,
        failedAt: new Date(clock.now()).toISOString(),
      },
    });
    if (!isBuried) return await giveBack(delivery);
    await delivery.term();
    return { kind: 'ended', refusal };
  }

  async function giveBack(delivery: Delivery): Promise<TaskAdmission> {
    await delivery.nak(returnDelayMs);
    return { kind: 'returned' };
  }

  return {
    async admit(delivery) {
      const verdict = judge(delivery.message);
      if (verdict.kind === 'locked') return await giveBack(delivery);
      if (verdict.kind === 'refused') {
        const mayWait = !verdict.isFinal && unproven.mayWait(delivery);
        if (mayWait) return await giveBack(delivery);
        unproven.settle(delivery.message.seq);
        return await refuse(delivery, verdict.refusal);
      }
      unproven.settle(delivery.message.seq);
      const { envelope, leaf, payload } = verdict;
      const task = readTask(payload);
      if (isRefusal(task)) return await refuse(delivery, task);
      if (await handled.isNew({ source: envelope.source, id: envelope.id })) {
        return { kind: 'accepted', envelope, leaf, task };
      }
      await delivery.ack();
      return { kind: 'ended', refusal: undefined };
    },
  };
}
