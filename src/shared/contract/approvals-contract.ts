/**
 * Approvals: what peers ask an operator before they do it, and the answers (product.md "Approvals", protocol.md W8).
 * Law: only requests that their session signed are listed, and only verdicts that count; what does not count is told apart.
 */
import { z } from 'zod';
import type { ErrorShape } from '../base/vak-error.ts';
import { call, snapshot } from './define-contract.ts';

/** `expired`: its time was over before anybody answered. `asker-gone`: before that nobody waited for the answer any more. */
export type ApprovalStanding = 'pending' | 'approved' | 'denied' | 'expired' | 'asker-gone';

/** Times in ms since the epoch. Texts are as the peer wrote them: hostile until they are made visible. */
export interface ApprovalReport {
  readonly requestId: string;
  readonly title: string;
  readonly detail: string;
  /** What would be run. */
  readonly command: readonly string[] | null;
  /** Who asks, in which session, for which task. */
  readonly peer: string;
  readonly session: string;
  readonly taskId: string | null;
  /** Queue of the task, if that is known. */
  readonly queue: string | null;
  readonly askedMs: number;
  readonly expiresMs: number;
  readonly state: ApprovalStanding;
  /** Of `asker-gone`: why, a sentence, and since when, ms since the epoch. */
  readonly gone: { readonly why: string; readonly atMs: number } | null;
  /** The one that counted. */
  readonly verdict: {
    readonly decision: 'approve' | 'deny';
    readonly by: string;
    readonly reason: string | null;
    readonly atMs: number;
  } | null;
}

/** Who wrote a record, by what stands in it: hostile until it is made visible. */
export interface RecordAuthor {
  readonly peer: string;
  readonly session: string | null;
  /** Public key that it names as its signer; null: it is not signed. */
  readonly signer: string | null;
  /** Whether signature and seal were found sound; else anybody may have written it. */
  readonly isProven: boolean;
}

/** A request or verdict that does not count. */
export interface RefusedApproval {
  readonly kind: 'request' | 'verdict';
  /** Place in the stream of approvals. */
  readonly seq: number;
  readonly atMs: number;
  readonly why: string;
  /** Null: it is no envelope, and nobody is named. */
  readonly author: RecordAuthor | null;
}

export interface ApprovalsState {
  /** When they were read last, ms since the epoch; null: never on this connection. */
  readonly readAtMs: number | null;
  readonly problem: ErrorShape | null;
  /** Oldest first; at most 200, and 1 MiB of text. */
  readonly pending: readonly ApprovalReport[];
  /** Those that wait beyond that. */
  readonly leftOutCount: number;
  /** Answered, expired, or of who is gone, newest first; at most 200, and 512 KiB of text. */
  readonly past: readonly ApprovalReport[];
  readonly refusedCount: number;
  /** Newest first, at most 50. */
  readonly refused: readonly RefusedApproval[];
}

export const approvalsContract = {
  /**
   * Answers a request as the operator, signed and bound to its leaf; answers once it is known that this verdict counted.
   * Throws `not-found`, `conflict` (answered before, expired, who asked is gone), `invalid-input` (a denial without a reason), `locked`, `read-only`.
   */
  answer: call(
    z.object({
      requestId: z.string().min(1).max(64),
      decision: z.enum(['approve', 'deny']),
      reason: z.string().max(1024).optional(),
    }),
  )<void>(),
  state: snapshot<ApprovalsState>(),
} as const;
