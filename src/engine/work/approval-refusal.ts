/**
 * What an answer that is no approval makes of an attempt (protocol.md W8, W6b).
 * Law: whatever is not approved is a failure for good; only what nobody waited for any more is given back, and what could not be asked is tried again.
 */

import type { ApprovalAnswer } from './approval-gate.ts';
import { shortDuration } from './command-words.ts';

export interface ApprovalRefusal {
  readonly reason: string;
  readonly errorClass: 'approval-denied' | 'approval-expired' | 'clock-behind';
  /** No further attempt is to be made. */
  readonly isFinal: boolean;
}

/** Undefined: it may go on. `returned`: it is for another worker. */
export function refusalOf(answer: ApprovalAnswer): ApprovalRefusal | 'returned' | undefined {
  switch (answer.kind) {
    case 'approved':
      return undefined;
    case 'denied': {
      const why = answer.reason === undefined ? '' : `: ${answer.reason}`;
      return { reason: `denied by ${answer.by}${why}`, errorClass: 'approval-denied', isFinal: true };
    }
    case 'expired':
      return { reason: 'nobody approved it in time', errorClass: 'approval-expired', isFinal: true };
    case 'clock-behind': {
      const behind = `the clock of this worker is ${shortDuration(answer.behindMs)} behind that of the engine`;
      const reason = `${behind}: its request for approval had expired before anybody could see it; set the clock right`;
      return { reason, errorClass: 'clock-behind', isFinal: false };
    }
    case 'aborted':
      return 'returned';
  }
}
