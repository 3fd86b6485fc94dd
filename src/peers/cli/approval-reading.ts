/** Reads requests for approval and their verdicts as they count now (protocol.md W8). */
import type { StoredMessage } from '../../engine/bus/durable.ts';
import {
  type Approval,
  type ApprovalBook,
  approvalState,
  createApprovalBook,
} from '../../engine/work/approval-book.ts';
import { readApproval } from '../../engine/work/approval-records.ts';
import { createStreamReading, type Noting } from '../../engine/work/stream-reading.ts';
import { isVakError, VakError } from '../../shared/base/vak-error.ts';
import type { CliHost } from './command.ts';
import type { IdentityBus } from './identity-bus.ts';
import type { WorkspaceTrust } from './workspace-trust.ts';

export interface ApprovalReading {
  readonly book: ApprovalBook;
  /** Reads what has come since. Throws what reading throws; a workspace whose streams were not made has no approvals. */
  read(): Promise<void>;
}

/** Requests that are remembered at most; the oldest give way. */
const capacity = 10_000;
/** Records that do not count are told one by one, so many of them. */
const maxTold = 5;

/** Throws why a request cannot be answered any more, or never could: `not-found`, `conflict`. */
export function checkPending(id: string, approval: Approval | undefined, nowMs: number): Approval {
  if (approval === undefined) {
    throw new VakError('not-found', `${id}: there is no request of this id that counts; see vak approvals ls --all`);
  }
  const { verdict, request } = approval;
  if (verdict !== undefined) {
    throw new VakError(
      'conflict',
      `${id}: ${verdict.by} has answered it already (${verdict.decision}); one answer counts`,
    );
  }
  if (approvalState(approval, nowMs) === 'expired') {
    throw new VakError('conflict', `${id}: it has expired at ${request.expiresAt}; an answer would not count`);
  }
  return approval;
}

/** Where they are read. */
export interface ApprovalPlace {
  readonly fabric: Pick<IdentityBus['fabric'], 'durable'>;
  readonly open: Pick<IdentityBus['open'], 'workspace'>;
}

/** Reads the approvals of a workspace from the beginning. `isWanted`: whether a request is to be remembered. */
export function createApprovalReading(
  { fabric, open: { workspace } }: ApprovalPlace,
  {
    judge,
    isWanted,
  }: Pick<WorkspaceTrust, 'judge'> & {
    readonly isWanted: (request: { readonly requestId: string; readonly expiresAt: string }) => boolean;
  },
  { output }: Pick<CliHost, 'output'>,
): ApprovalReading {
  const book = createApprovalBook({ capacity });
  let refusedCount = 0;

  function refuse({ seq }: StoredMessage, why: string): void {
    refusedCount++;
    if (refusedCount <= maxTold) output.talk(`vak: message ${seq} of the approvals does not count: ${why}`);
  }

  function note(message: StoredMessage, isTold: boolean): Noting {
    const record = readApproval(message, judge);
    switch (record.kind) {
      case 'locked':
        return 'locked';
      case 'request':
        if (isWanted(record.request)) book.noteRequest(record.request);
        return 'noted';
      case 'verdict':
        // A verdict is stored after what it answers: without that it answers nothing that is wanted.
        if (book.get(record.verdict.requestId) !== undefined) book.noteVerdict(record.verdict);
        return 'noted';
      case 'invalid':
        if (!isTold) refuse(message, record.why);
        return record.isFinal ? 'noted' : 'unproven';
    }
  }

  const stream = `VAK_APPROVALS_${workspace}`;
  const reading = createStreamReading({ durable: fabric.durable, stream, from: {}, note });
  return {
    book,
    async read() {
      try {
        await reading.read();
      } catch (error) {
        if (!isVakError(error, 'not-found')) throw error;
      }
      if (refusedCount > maxTold) output.talk(`vak: ${refusedCount - maxTold} more of the approvals do not count`);
      refusedCount = 0;
    },
  };
}
