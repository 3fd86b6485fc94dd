/**
 * What an answer that is no approval makes of an attempt (protocol.md W8, W6b).
 * Law: whatever is not approved is a failure for good; only what nobody waited for any more is given back.
 */
import type { ApprovalAnswer } from './approval-gate.ts';

export interface ApprovalRefusal {
  readonly reason: string;
  readonly errorClass: 'approval-denied' | 'approval-expired';
}

/** Undefined: it may go on. `returned`: it is for another worker. */
export function refusalOf(answer: ApprovalAnswer): ApprovalRefusal | 'returned' | undefined {
  switch (answer.kind) {
    case 'approved':
      return undefined;
    case 'denied': {
      const why = answer.reason === undefined ? '' : `: ${answer.reason}`;
      return { reason: `denied by ${answer.by}${why}`, errorClass: 'approval-denied' };
    }
    case 'expired':
      return { reason: 'nobody approved it in time', errorClass: 'approval-expired' };
    case 'aborted':
      return 'returned';
  }
}
