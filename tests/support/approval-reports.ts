/** Approvals as a page is told of them. */
import type { ApprovalReport } from '../../src/shared/contract/approvals-contract.ts';

/** A request that waits, asked at 1 s, for ten minutes, unless told otherwise. */
export function approvalReport(requestId: string, more: Partial<ApprovalReport> = {}): ApprovalReport {
  return {
    requestId,
    ...{ title: `Remove ${requestId}`, detail: '', command: ['rm', requestId], peer: 'worker-1', session: 's1' },
    ...{
      taskId: null,
      queue: 'render',
      askedMs: 1000,
      expiresMs: 601_000,
      state: 'pending',
      gone: null,
      verdict: null,
    },
    ...more,
  };
}
