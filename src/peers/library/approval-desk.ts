/** Approvals as an operator's program lists and answers them (protocol.md W8). */
import { type ApprovalAnswering, answerApproval, checkAnswering } from '../../engine/work/approval-answer.ts';
import { type AskerGone, approvalState, type Approval as StoredApproval } from '../../engine/work/approval-book.ts';
import { createApprovalReading } from '../../engine/work/approval-reading.ts';
import { createApprovalTasks } from '../../engine/work/approval-tasks.ts';
import type { WorkPorts } from '../../engine/work/work-peer.ts';
import { VakError } from '../../shared/base/vak-error.ts';
import { readId } from '../cli/id-input.ts';
import { publishDurably } from '../cli/publish-delivery.ts';
import type { EventLog } from '../event-log.ts';
import type { RunningPeer } from '../work-peer.ts';
import { asCall, type ConnectionLife } from './calls.ts';
import type { Approval, Approvals } from './queue-api.ts';

export interface ApprovalDeskDeps {
  readonly peer: RunningPeer;
  readonly ports: WorkPorts;
  readonly log: EventLog;
  readonly life: ConnectionLife;
}

type Decision = ApprovalAnswering['decision'];

function toApproval(approval: StoredApproval, nowMs: number, gone: AskerGone | undefined): Approval {
  const { request, verdict } = approval;
  const { requestId: id, title, detail, command, peer, taskId, storedMs, expiresAt } = request;
  const answer = verdict && { decision: verdict.decision, by: verdict.by, reason: verdict.reason };
  const state = approvalState(approval, nowMs, gone);
  return {
    id,
    state,
    title,
    detail,
    command,
    peer,
    taskId,
    askedAt: new Date(storedMs).toISOString(),
    expiresAt,
    answer,
    gone: state === 'asker-gone' ? gone?.why : undefined,
  };
}

const words = { list: 'approvals.list({ all: true })', reason: 'reason' };

/** Creates it for one connection. */
export function createApprovalDesk({ peer, ports, log, life }: ApprovalDeskDeps): Approvals {
  const { workspace, durable, publisher, judge, reader, permit } = peer;
  const { clock, randomness } = ports;
  /** The first time all of them are read, then what has come since. */
  const reading = createApprovalReading({
    ...{ workspace, durable, judge },
    onRefused: ({ stream, seq }, why) => log('refused', { kind: 'approval', stream, seq, why }),
  });

  const tasks = createApprovalTasks({ workspace, durable, judge, reader, clock, book: reading.book });

  async function list(isAll: boolean): Promise<readonly Approval[]> {
    await reading.read();
    const nowMs = clock.now();
    const stored = [...reading.book.all()];
    const waiting = stored.filter((one) => approvalState(one, nowMs) === 'pending').map(({ request }) => request);
    const goneOf = await tasks.read(waiting);
    const all = stored.map((one) => toApproval(one, nowMs, goneOf(one.request)));
    return isAll ? all : all.filter(({ state }) => state === 'pending');
  }

  async function answer(answering: ApprovalAnswering, signal: AbortSignal): Promise<void> {
    await answerApproval(answering, {
      ...{ workspace, reading, clock, randomness, words },
      goneOf: async (request) => (await tasks.read([request]))(request),
      async publish(draft) {
        // What may not be published takes no place in the chain.
        permit.check('publish', draft.subject);
        const { seq = 0 } = await publishDurably(publisher, draft, { clock, signal });
        return seq;
      },
    });
  }

  async function decide(id: string, decision: Decision, reason: string | undefined): Promise<void> {
    if (typeof id !== 'string') throw new VakError('invalid-input', `id: expected text, got ${typeof id}`);
    const answering = { requestId: readId(id, 'approvals.list'), decision, reason };
    checkAnswering(answering, words);
    await asCall(life, { what: `${decision} ${id}` }, (signal) => answer(answering, signal));
  }

  return {
    list: async ({ all = false } = {}) => await asCall(life, { what: 'approvals' }, () => list(all)),
    approve: (id, reason) => decide(id, 'approve', reason),
    deny: (id, reason) => decide(id, 'deny', reason),
  };
}
