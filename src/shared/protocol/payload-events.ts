/**
 * Payloads of `vak.events.*`: what a session says while it works (protocol.md §3).
 * Law: unknown fields are kept; sizes are bounded by what one message may hold.
 */
import { z } from 'zod';
import { base64Field, boundedText, count } from './payload-fields.ts';

/** Most text or bytes in one message of a session: 1 MiB less its envelope. */
const maxPieceBytes = 768 * 1024;

/** Model output as it comes; `index` counts the deltas of one channel from 0. */
export const tokensPayload = z.looseObject({
  channel: z.enum(['assistant', 'thinking']),
  index: count,
  text: boundedText(maxPieceBytes),
});

/** Raw output of a command; `offset` is the place of the first byte in that stream since its session began (E16); `bytes` is base64. */
export const terminalPayload = z.looseObject({
  stream: z.enum(['stdout', 'stderr']),
  offset: count,
  bytes: base64Field({ max: maxPieceBytes }),
});

/** Sum over the command's process tree; `cpuPercent` is 100 for one full core. */
export const telemetryPayload = z.looseObject({
  pid: count,
  processes: count,
  rssBytes: count,
  cpuPercent: z.number().nonnegative(),
});

/** States of a session and of its tasks. */
const statusStates = ['started', 'claimed', 'progress', 'done', 'failed', 'heartbeat', 'ended'] as const;

/** Why a task or session ended; `reason` is for people, `cause` for programs: `cancelled` is asked for, and no failure. */
const statusDetail = z.looseObject({
  reason: boundedText(16 * 1024).optional(),
  cause: z.string().max(64).optional(),
  exitCode: z.int().optional(),
  signal: z.string().max(64).optional(),
});

/** State change of a session (no `taskId`) or of a task. */
export const statusPayload = z.looseObject({
  state: z.enum(statusStates),
  taskId: z.string().max(64).optional(),
  attempt: count.optional(),
  detail: statusDetail.optional(),
});
