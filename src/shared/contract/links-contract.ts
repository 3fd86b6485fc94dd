/**
 * Links into the app that came from outside it (docs/spec/deep-links.md).
 * Law: a link waits until somebody has seen what it leads to; nothing follows from it alone.
 */
import { z } from 'zod';
import type { DeepLink } from '../protocol/deep-link.ts';
import { call, snapshot } from './define-contract.ts';

export interface WaitingLink {
  /** Rises with each link. */
  readonly id: number;
  /** Null: it is no link; `why` says what is wrong. */
  readonly link: DeepLink | null;
  readonly why: string | null;
  /** Links that came before it since the last answer, and are dropped. */
  readonly droppedCount: number;
}

export const linksContract = {
  /** The newest one that was not answered; null: none waits. */
  waiting: snapshot<WaitingLink | null>(),
  /** Takes it away, followed or not. Nothing happens if another one waits by now. */
  answer: call(z.object({ id: z.int().min(1) }))<void>(),
} as const;
