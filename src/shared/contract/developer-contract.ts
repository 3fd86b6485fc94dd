/**
 * Developer commands: real load on the real path, for tests, benchmarks and trouble-shooting.
 * Law: nothing here takes a way that an ordinary peer's message does not take.
 */
import { z } from 'zod';
import { call } from './define-contract.ts';

/** What is done to a real message before it is published again, or made instead of one. */
export const tamperings = [
  'ciphertext',
  'metadata',
  'signature',
  'plain',
  'unsigned',
  'replay',
  'wrong-sender',
  'no-envelope',
] as const;
export type Tampering = (typeof tamperings)[number];

export const developerContract = {
  /**
   * Publishes `count` token messages; answers how many the bus took, and their session. `sealed`: as a peer of its own does,
   * sealed, chained and signed, in a session whose id begins with `session`; `bare`: bytes that are no envelope, all at once, in
   * the session of exactly that name, for load on the feeds alone.
   */
  burst: call(
    z.object({
      session: z.string().min(1).max(64),
      count: z.int().min(1).max(100_000),
      textLength: z.int().min(0).max(4096),
      form: z.enum(['sealed', 'bare']),
    }),
  )<{ readonly publishedCount: number; readonly session: string }>(),
  /** Publishes one sound message of a session `tampered-…`, then one that was tampered with in that way; answers its session. */
  tamper: call(z.object({ tampering: z.enum(tamperings) }))<{ readonly session: string }>(),
} as const;
