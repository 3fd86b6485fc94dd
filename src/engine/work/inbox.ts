/**
 * A peer's inbox: messages for it alone, judged before anything handles them (protocol.md §1, E8, E15).
 * Law: what is refused runs nothing; what is sound is handled once, and acknowledged after that.
 */
import { isVakError } from '../../shared/base/vak-error.ts';
import type { Refusal } from '../../shared/contract/trust-report.ts';
import type { Envelope } from '../../shared/protocol/envelope.ts';
import { decodePayload, type PayloadOf } from '../../shared/protocol/payloads.ts';
import { buildSubject, checkToken } from '../../shared/protocol/subject.ts';
import type { ConsumerSpec, Delivery, DurablePlane, StoredMessage, Stream } from '../bus/durable.ts';
import type { StoredJudge } from '../envelope/stored-judge.ts';
import type { HandledMemory } from '../outbox/handled-memory.ts';
import type { Clock } from '../ports/clock.ts';
import type { Logger } from '../ports/logger.ts';
import type { Randomness } from '../ports/randomness.ts';
import { startPullLoop } from './pull-loop.ts';
import { createUnproven } from './unproven.ts';

/** A message to this peer. `roles`: of its sender. */
export interface InboxMessage {
  readonly envelope: Envelope;
  readonly message: PayloadOf<'vak.agent.message'>;
  readonly roles: readonly string[];
  /** Whether it was stored before this inbox was opened. */
  readonly isOld: boolean;
}

export interface Inbox {
  /** Ends listening; resolves when nothing is handled any more. */
  close(): Promise<void>;
}

export interface InboxDeps {
  readonly workspace: string;
  readonly peer: string;
  readonly durable: DurablePlane;
  readonly judge: StoredJudge;
  /** What of the inbox stream was handled. */
  readonly handled: Pick<HandledMemory, 'handleOnce'>;
  readonly clock: Clock;
  readonly randomness: Randomness;
  readonly logger: Logger;
  /** Whether a message is for this process: a peer may run in several. What is not is handed on. */
  readonly isForMe: (message: InboxMessage) => boolean;
  readonly onMessage: (message: InboxMessage) => Promise<void> | void;
  readonly onRefused: (refusal: Refusal) => void;
  /** Told once of each time during which the inbox cannot be read. */
  readonly onTrouble: (code: string, message: string) => void;
}

const batch = 16;
/** After a failure, and for what cannot be judged yet, ms. */
const againMs = 2_000;
/** What nobody can prove waits in this number, and comes so often: 16 s. Anybody may write to an inbox, and 64 are in flight at most. */
const maxUnproven = 16;
const maxUnprovenDeliveries = 8;
const unprovenHoldMs = 10_000;
/** After it was taken by a process that it is not for, ms: at first, and at most. */
const handOnFromMs = 100;
const handOnCapMs = 2_000;

/** Name of the stream of inboxes. */
export function inboxStreamOf(workspace: string): string {
  return `VAK_INBOX_${checkToken(workspace, 'workspace')}`;
}

/** The one consumer of a peer's inbox; it never expires (§1). */
export function inboxConsumer(workspace: string, peer: string): ConsumerSpec {
  const filter = buildSubject({ plane: 'agent', workspace, entity: peer, verb: 'inbox' });
  return { name: `inbox-${peer}`, filter, ackWaitMs: 30_000, maxDeliver: 64, maxInFlight: 64, start: 'all' };
}

/**
 * How long a message rests before it is handed on for the so-manieth time, from 1, ms: slower by and by, ± 50 %.
 * Without the chance in it, processes of one peer can take turns in step, each always getting what is for the other.
 * In all it goes round for more than 60 s, the age beyond which no command is obeyed anyway.
 */
export function handOnDelayMs(count: number, randomness: Randomness): number {
  const whole = Math.min(handOnCapMs, handOnFromMs * 1.2 ** (count - 1));
  return Math.round(whole * (0.5 + (randomness.bytes(1)[0] ?? 0) / 255));
}

/** The message of a payload, or why it is none. */
function readMessage(payload: Uint8Array): PayloadOf<'vak.agent.message'> | string {
  try {
    return decodePayload('vak.agent.message', payload);
  } catch (error) {
    if (isVakError(error)) return `${error.message}.`;
    throw error;
  }
}

/** The last place of the stream now; undefined for who may not ask. Throws `not-found`, `unsupported`: there are no inboxes. */
async function lastSeqOf(stream: Stream): Promise<number | undefined> {
  try {
    return (await stream.state()).lastSeq;
  } catch (error) {
    if (!isVakError(error) || error.code === 'not-found' || error.code === 'unsupported') throw error;
    return undefined;
  }
}

/** Makes the inbox if it is not there, and listens. Throws what making it throws: `not-found` (there is no stream), `unauthorized` … */
export async function openInbox(deps: InboxDeps): Promise<Inbox> {
  const { workspace, peer, durable, judge, handled, clock, randomness, logger } = deps;
  const { isForMe, onMessage, onRefused, onTrouble } = deps;
  const stream = durable.stream(inboxStreamOf(workspace));
  const spec = inboxConsumer(workspace, peer);
  const openedMs = clock.now();
  const lastSeq = await lastSeqOf(stream);

  /** By its place, where that may be asked for: two clocks need not agree. */
  const isOld = ({ seq, storedMs }: StoredMessage): boolean =>
    lastSeq === undefined ? storedMs < openedMs : seq <= lastSeq;

  async function refuse(delivery: Delivery, refusal: Refusal): Promise<void> {
    onRefused(refusal);
    await delivery.term();
  }

  const unproven = createUnproven({
    ...{ clock, holdMs: unprovenHoldMs, capacity: maxUnproven, maxDeliveries: maxUnprovenDeliveries },
  });
  const isLast = ({ deliveryCount }: Delivery): boolean => deliveryCount >= spec.maxDeliver;

  async function handOn(delivery: Delivery): Promise<void> {
    if (!isLast(delivery)) return await delivery.nak(handOnDelayMs(delivery.deliveryCount, randomness));
    await refuse(delivery, { reason: 'misplaced', why: 'It is for a session that this peer does not have.' });
  }

  async function take(delivery: Delivery): Promise<void> {
    const verdict = judge(delivery.message);
    if (verdict.kind === 'locked') return await delivery.nak(againMs);
    if (verdict.kind === 'refused' && !verdict.isFinal && unproven.mayWait(delivery))
      return await delivery.nak(againMs);
    unproven.settle(delivery.message.seq);
    if (verdict.kind === 'refused') return await refuse(delivery, verdict.refusal);
    const { envelope, payload, roles } = verdict;
    const message = envelope.type === 'vak.agent.message' ? readMessage(payload) : `It is of type ${envelope.type}.`;
    if (typeof message === 'string') return await refuse(delivery, { reason: 'malformed', why: message });
    const received = { envelope, message, roles, isOld: isOld(delivery.message) };
    if (!isForMe(received)) return await handOn(delivery);
    await handled.handleOnce({ source: envelope.source, id: envelope.id }, async () => {
      await onMessage(received);
      return undefined;
    });
    await delivery.ack();
  }

  async function takeSafely(delivery: Delivery): Promise<void> {
    try {
      await take(delivery);
    } catch (error) {
      if (isVakError(error)) logger.warn('inbox.message', { code: error.code });
      else logger.bug('inbox.message', error);
      // If that fails too, it comes again after the ack wait.
      await delivery.nak(againMs).catch(() => undefined);
    }
  }

  const ensure = () => stream.ensureConsumer(spec);
  const loop = startPullLoop(
    {
      ...{ ensure, onTrouble, clock, logger, room: () => batch },
      async take(deliveries) {
        for (const delivery of deliveries) await takeSafely(delivery);
      },
    },
    await ensure(),
  );
  return { close: loop.close };
}
