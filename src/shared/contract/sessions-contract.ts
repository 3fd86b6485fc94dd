/**
 * Sessions: who has been heard on the bus.
 * Law: a session is known by what it published; the swarm only adds which process stands behind it.
 */
import { z } from 'zod';
import { call, snapshot } from './define-contract.ts';

/** One session, kept while it is among the latest 2 000. */
export interface SessionSummary {
  readonly session: string;
  /** Null when nobody has said whose session it is. */
  readonly peer: string | null;
  /** `ended` after its last status; `stale` when silent for 15 s without one (three heartbeats). */
  readonly state: 'live' | 'stale' | 'ended';
  readonly firstSeenMs: number;
  readonly lastSeenMs: number;
  readonly messageCount: number;
  readonly perSecond: number;
  /** What its last status said, for people: "claimed: ls -la", "failed: exit code 3". */
  readonly note: string;
}

export interface SessionList {
  readonly sessions: readonly SessionSummary[];
  /** Sessions that were forgotten to stay within the bound. */
  readonly forgottenCount: number;
}

/** What a peer can be told by name. `cancel`: end the command that it runs. */
const sessionSignals = ['cancel'] as const;

export const sessionsContract = {
  /**
   * Tells the peer of a session something, through its inbox. `isStored` false: it waits in the outbox until the server answers. Throws
   * `not-found` (nobody's session, or no stream of inboxes), `no-such-peer` (it listens to none), `read-only`, `disconnected`.
   */
  signal: call(z.object({ session: z.string().min(1).max(64), signal: z.enum(sessionSignals) }))<{
    readonly id: string;
    readonly isStored: boolean;
  }>(),
  list: snapshot<SessionList>(),
} as const;
