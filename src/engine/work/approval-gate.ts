/**
 * Asks an operator before something is done, and waits for the verdict (protocol.md W8).
 * Law: only a verdict that counts lets anything pass; without one in time it does not.
 */
import { utf8 } from '../../shared/base/bytes.ts';
import { createDisposer } from '../../shared/base/disposer.ts';
import { isVakError } from '../../shared/base/vak-error.ts';
import { checkPayload, type PayloadOf } from '../../shared/protocol/payloads.ts';
import { buildSubject } from '../../shared/protocol/subject.ts';
import { childOf, type TraceContext } from '../../shared/protocol/trace-context.ts';
import type { Bus } from '../bus/bus.ts';
import type { DurablePlane, StoredMessage } from '../bus/durable.ts';
import { leafOf } from '../envelope/hashing.ts';
import type { StoredJudge } from '../envelope/stored-judge.ts';
import type { DurablePeer } from '../outbox/durable-peer.ts';
import type { Clock } from '../ports/clock.ts';
import type { Logger } from '../ports/logger.ts';
import type { Randomness } from '../ports/randomness.ts';
import { type ApprovalRequest, type ApprovalVerdict, verdictProblem } from './approval-book.ts';
import { readApproval, verdictSubject } from './approval-records.ts';
import { createStreamReading, type Noting } from './stream-reading.ts';

export interface ApprovalQuestion extends Pick<PayloadOf<'vak.approvals.request'>, 'title' | 'detail' | 'command'> {
  /** How long it may be answered, ms. */
  readonly expiresInMs: number;
  readonly taskId: string;
  /** Of the task. */
  readonly trace: TraceContext;
  /** Aborted: nobody waits for the answer any more. */
  readonly signal: AbortSignal;
}

/**
 * `expired`: nobody answered in time. `aborted`: the signal said so. `clock-behind`: by the engine's clock its time was over when it came,
 * so nobody saw it waiting and no answer could count.
 */
export type ApprovalAnswer =
  | { readonly kind: 'approved' | 'denied'; readonly by: string; readonly reason: string | undefined }
  | { readonly kind: 'expired' | 'aborted' }
  | { readonly kind: 'clock-behind'; readonly behindMs: number };

export interface ApprovalGate {
  /** Throws what publishing throws. */
  ask(question: ApprovalQuestion): Promise<ApprovalAnswer>;
}

export interface ApprovalGateDeps {
  readonly workspace: string;
  readonly peer: string;
  readonly publisher: Pick<DurablePeer, 'publish' | 'session'>;
  readonly durable: DurablePlane;
  /** Tells when a verdict may have come. */
  readonly bus: Pick<Bus, 'subscribe'>;
  readonly judge: StoredJudge;
  /** A time that the engine's clock has passed, as late as can be told, ms since the epoch; undefined: it tells none. */
  readonly engineMs: () => Promise<number | undefined>;
  readonly clock: Clock;
  readonly randomness: Randomness;
  readonly logger: Logger;
  /** A verdict that does not count, and why. */
  readonly onRefused: (why: string) => void;
}

/** Looks so often although nothing was told, ms: what is told live can be missed. */
const lookEveryMs = 5_000;

function answerOf({ decision, by, reason }: ApprovalVerdict): ApprovalAnswer {
  return { kind: decision === 'approve' ? 'approved' : 'denied', by, reason };
}

/** Creates the gate of one peer. */
export function createApprovalGate(deps: ApprovalGateDeps): ApprovalGate {
  const { workspace, peer, publisher, durable, bus, judge, clock, randomness, logger, onRefused } = deps;
  const session = publisher.session('d');
  const subject = verdictSubject(workspace, session);
  const stream = `VAK_APPROVALS_${workspace}`;

  async function publishRequest(question: ApprovalQuestion): Promise<ApprovalRequest> {
    const { title, detail, command, expiresInMs, taskId, trace } = question;
    const expiresAt = new Date(clock.now() + expiresInMs).toISOString();
    const payload = { title, detail, ...(command === undefined ? {} : { command }), expiresAt };
    checkPayload('vak.approvals.request', payload);
    const { envelope, stored } = await publisher.publish({
      subject: buildSubject({ plane: 'approvals', workspace, entity: session, verb: 'request' }),
      ...{ payload: utf8(JSON.stringify(payload)), trace: childOf(trace, randomness.bytes), causationId: taskId },
    });
    const { seq } = await stored;
    const own = { requestId: envelope.id, leaf: leafOf(envelope), peer, session, taskId, queues: [] };
    return { ...payload, ...own, seq, storedMs: clock.now() };
  }

  /** Undefined: its time is not over by the engine's clock, as far as can be told. */
  async function clockFault({ expiresAt }: ApprovalRequest): Promise<ApprovalAnswer | undefined> {
    const [nowMs, expiresMs] = [clock.now(), Date.parse(expiresAt)];
    try {
      const engineMs = (await deps.engineMs()) ?? Number.NEGATIVE_INFINITY;
      // What only waited for its server has expired here too.
      return engineMs > expiresMs && nowMs <= expiresMs
        ? { kind: 'clock-behind', behindMs: engineMs - nowMs }
        : undefined;
    } catch (error) {
      if (!isVakError(error)) throw error;
      logger.warn('approval.clock', { code: error.code });
      return undefined;
    }
  }

  /** Reads the verdicts for this session from a place of the stream on, and gives the one that counts for the request. */
  function createSearch(request: ApprovalRequest): () => Promise<ApprovalVerdict | undefined> {
    let found: ApprovalVerdict | undefined;

    function noteVerdict(verdict: ApprovalVerdict): void {
      const problem = verdictProblem(verdict, request);
      if (problem === undefined) found ??= verdict;
      // Another request of this session may be meant: that is no fault.
      else if (verdict.requestId === request.requestId) onRefused(problem);
    }

    function note(message: StoredMessage, isTold: boolean): Noting {
      const record = readApproval(message, judge);
      if (record.kind === 'locked') return 'locked';
      if (record.kind === 'verdict') noteVerdict(record.verdict);
      if (record.kind !== 'invalid') return 'noted';
      if (!isTold) onRefused(record.why);
      return record.isFinal ? 'noted' : 'unproven';
    }

    const reading = createStreamReading({ durable, stream, subject, from: { fromSeq: request.seq + 1 }, note });
    return async () => {
      try {
        await reading.read();
      } catch (error) {
        // While the server is away nothing can be read: the verdict waits in its stream.
        if (!isVakError(error)) throw error;
        logger.warn('approval.read', { code: error.code });
      }
      return found;
    };
  }

  /** Something that may have come: a verdict, the end of the time, an abort. */
  function createSignals({ signal, expiresInMs }: ApprovalQuestion) {
    let wake = (): void => {};
    const held = createDisposer();
    const tell = (): void => wake();
    held.add(bus.subscribe(subject, { kind: 'inline', onMessage: tell }));
    held.add(clock.setTicker(lookEveryMs, tell));
    held.add(clock.setTimer(expiresInMs + 1, tell));
    signal.addEventListener('abort', tell);
    held.defer(() => signal.removeEventListener('abort', tell));
    const next = (): Promise<void> =>
      new Promise((resolve) => {
        wake = resolve;
      });
    return { next, dispose: () => held.dispose() };
  }

  return {
    async ask(question) {
      const request = await publishRequest(question);
      const fault = await clockFault(request);
      if (fault !== undefined) return fault;
      const { signal } = question;
      const search = createSearch(request);
      const signals = createSignals(question);
      try {
        for (;;) {
          const changed = signals.next();
          if (signal.aborted) return { kind: 'aborted' };
          const verdict = await search();
          if (verdict !== undefined) return answerOf(verdict);
          if (clock.now() > Date.parse(request.expiresAt)) return { kind: 'expired' };
          await changed;
        }
      } finally {
        signals.dispose();
      }
    },
  };
}
