/** Approvals as an operator's program lists and answers them (protocol.md W8). */
import { createSerialLane } from '../../engine/serial-lane.ts';
import { approvalState, type Approval as StoredApproval } from '../../engine/work/approval-book.ts';
import { draftVerdict, verdictSubject } from '../../engine/work/approval-records.ts';
import { VakError } from '../../shared/base/vak-error.ts';
import { checkPayload } from '../../shared/protocol/payloads.ts';
import { startTrace } from '../../shared/protocol/trace-context.ts';
import { checkPending, createApprovalReading } from '../cli/approval-reading.ts';
import { readId } from '../cli/id-input.ts';
import type { Output } from '../cli/output.ts';
import { publishDurably } from '../cli/publish-delivery.ts';
import type { LoopPorts } from '../queue-worker.ts';
import type { WorkPeer } from '../work-peer.ts';
import { asCall, type ConnectionLife } from './calls.ts';
import type { Approval, Approvals } from './queue-api.ts';

export interface ApprovalDeskDeps {
  readonly peer: WorkPeer;
  readonly ports: LoopPorts;
  readonly output: Output;
  readonly life: ConnectionLife;
}

type Decision = 'approve' | 'deny';

function toApproval(approval: StoredApproval, nowMs: number): Approval {
  const { request, verdict } = approval;
  const { requestId: id, title, detail, command, peer, taskId, storedMs, expiresAt } = request;
  const answer = verdict && { decision: verdict.decision, by: verdict.by, reason: verdict.reason };
  const state = approvalState(approval, nowMs);
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
  };
}

/** Creates it for one connection. */
export function createApprovalDesk({ peer, ports, output, life }: ApprovalDeskDeps): Approvals {
  const { workspace, durable, publisher, judge, permit } = peer;
  const { clock, randomness } = ports;

  const lane = createSerialLane();
  const reading = createApprovalReading(
    { fabric: { durable }, open: { workspace } },
    { judge, isWanted: () => true },
    { output },
  );
  /** What is there now: the first time all of it is read, then what has come since. */
  const read = (): Promise<void> => lane.run(reading.read);

  async function list(isAll: boolean): Promise<readonly Approval[]> {
    await read();
    const nowMs = clock.now();
    const all = [...reading.book.all()].map((one) => toApproval(one, nowMs));
    return isAll ? all : all.filter(({ state }) => state === 'pending');
  }

  async function answer(
    id: string,
    said: { readonly decision: Decision; readonly reason?: string },
    signal: AbortSignal,
  ) {
    const { book } = reading;
    await read();
    const { request } = checkPending(id, book.get(id), clock.now());
    permit.check('publish', verdictSubject(workspace, request.session));
    const draft = draftVerdict(request, said, { workspace, trace: startTrace(randomness.bytes) });
    const { seq } = await publishDurably(publisher, draft, { clock, signal });
    await read();
    const counted = book.get(id)?.verdict;
    if (counted?.seq === seq) return;
    const why = counted === undefined ? 'it came too late' : `${counted.by} was first (${counted.decision})`;
    throw new VakError('conflict', `${id}: the answer does not count, ${why}`);
  }

  async function decide(id: string, decision: Decision, reason: string | undefined): Promise<void> {
    if (typeof id !== 'string') throw new VakError('invalid-input', `id: expected text, got ${typeof id}`);
    if (decision === 'deny' && (reason ?? '') === '') {
      throw new VakError('invalid-input', 'reason: missing; say why it is denied');
    }
    const said = { decision, ...(reason === undefined ? {} : { reason }) };
    checkPayload('vak.approvals.verdict', {
      requestId: readId(id, 'approvals.list'),
      requestLeaf: '0'.repeat(64),
      ...said,
    });
    await asCall(life, { what: `${decision} ${id}` }, (signal) => answer(id, said, signal));
  }

  return {
    list: async ({ all = false } = {}) => await asCall(life, { what: 'approvals' }, () => list(all)),
    approve: (id, reason) => decide(id, 'approve', reason),
    deny: (id, reason) => decide(id, 'deny', reason),
  };
}
