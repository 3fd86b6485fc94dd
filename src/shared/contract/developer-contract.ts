/**
 * Developer commands: real load on the real path, for tests, benchmarks and trouble-shooting.
 * Law: nothing here takes a way that an ordinary peer's message does not take.
 */
import { z } from 'zod';
import { call } from './define-contract.ts';

export const developerContract = {
  /** Publishes `count` token messages of a session at once; answers how many the bus took. */
  burst: call(
    z.object({
      session: z.string().min(1).max(64),
      count: z.int().min(1).max(100_000),
      textLength: z.int().min(0).max(4096),
    }),
  )<{ readonly publishedCount: number }>(),
} as const;
