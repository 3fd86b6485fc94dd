/**
 * Links into the app, and files for it, that came from outside it (docs/spec/deep-links.md).
 * Law: a link or file waits until somebody has seen what it leads to; nothing follows from it alone.
 */
import { z } from 'zod';
import type { DeepLink } from '../protocol/deep-link.ts';
import { call, snapshot } from './define-contract.ts';

/** By its extension: `.vakbundle` or `.creds`. */
export interface OfferedFile {
  readonly kind: 'bundle' | 'credentials';
  /** Without its folder; may hold anything that a file's name may. */
  readonly name: string;
}

export interface WaitingLink {
  /** Rises with each link. */
  readonly id: number;
  /** Null: it is none, but a file, or `why` says what is wrong. */
  readonly link: DeepLink | null;
  /** A file that the system wants to be opened; only main knows where it lies. */
  readonly file: OfferedFile | null;
  readonly why: string | null;
  /** Links and files that came before it since the last answer, and are dropped. */
  readonly droppedCount: number;
}

/** The id of a waiting file, where a call may take that instead of asking for one. */
export const offeredId = z.int().min(1).optional();

export const linksContract = {
  /** The newest one that was not answered; null: none waits. */
  waiting: snapshot<WaitingLink | null>(),
  /** Takes it away, followed or not. Nothing happens if another one waits by now. */
  answer: call(z.object({ id: z.int().min(1) }))<void>(),
} as const;
