/**
 * Which grants of a peer were in force when (protocol.md I4).
 * Law: serials rise in the order of storing; what does not verify under the pinned root is not there, what goes back is a replay.
 */
import { isVakError } from '../../shared/base/vak-error.ts';
import { type Grant, grantRecord } from '../../shared/protocol/identity-records.ts';
import { createBoundedCache } from '../crypto/bounded-cache.ts';
import type { Stored } from '../ports/directory.ts';
import { digestGrant, type VerifiedGrant, verifyGrant } from './grants.ts';
import { parseRecord, type RecordChecks } from './signed-record.ts';

/** A grant that counts, from `fromMs` until the next one's. */
export interface TimedGrant {
  readonly grant: VerifiedGrant;
  readonly digest: string;
  /** When it was stored, ms since the epoch. */
  readonly fromMs: number;
}

export interface GrantTimeline {
  /** Oldest first, serials rising. */
  readonly grants: readonly TimedGrant[];
  /** Sound grants that were stored after one with a higher serial, or with another one's serial. */
  readonly replays: readonly TimedGrant[];
}

/** Builds the timeline of what a directory holds of one peer. */
export type ReadTimeline = (stored: readonly Stored<Grant>[], peer: string) => GrantTimeline;

/** Where records verified before are remembered: beyond the grants of a large workspace, within a few megabytes. */
const rememberedGrants = 8192;

/** Puts a grant behind those that were stored before it; the last one once more is nothing new. */
function place(timeline: { grants: TimedGrant[]; replays: TimedGrant[] }, timed: TimedGrant): void {
  const last = timeline.grants.at(-1);
  if (last === undefined || timed.grant.serial > last.grant.serial) timeline.grants.push(timed);
  else if (timed.digest !== last.digest) timeline.replays.push(timed);
}

/**
 * Creates a reader for one workspace under its pinned root. Each record's signature is verified once while it is remembered, and
 * a list that a directory gives again unchanged is not read again.
 */
export function createTimelineReader(options: {
  readonly ws: string;
  readonly rootPublic: string;
  readonly checks: RecordChecks;
}): ReadTimeline {
  const { ws, rootPublic, checks } = options;
  const verdicts = createBoundedCache<boolean>(rememberedGrants);
  const timelines = new WeakMap<readonly Stored<Grant>[], { readonly of: number; readonly timeline: GrantTimeline }>();

  /** A grant that counts, with its digest; undefined if it does not. */
  function verify(record: Grant): { readonly grant: VerifiedGrant; readonly digest: string } | undefined {
    try {
      // The digest covers the known fields only: the form is looked at each time.
      const grant = parseRecord(grantRecord, record, 'grant') as VerifiedGrant;
      const digest = digestGrant(grant);
      const known = verdicts.get(digest);
      if (known !== undefined) return known ? { grant, digest } : undefined;
      verdicts.set(digest, false);
      verifyGrant(grant, rootPublic, checks);
      verdicts.set(digest, true);
      return { grant, digest };
    } catch (error) {
      if (isVakError(error)) return undefined;
      throw error;
    }
  }

  function build(stored: readonly Stored<Grant>[], peer: string): GrantTimeline {
    const grants: TimedGrant[] = [];
    const replays: TimedGrant[] = [];
    for (const { record, storedMs } of stored) {
      const verified = record.ws === ws && record.peer === peer ? verify(record) : undefined;
      if (verified !== undefined) place({ grants, replays }, { ...verified, fromMs: storedMs });
    }
    return { grants, replays };
  }

  return (stored, peer) => {
    const known = timelines.get(stored);
    if (known?.of === stored.length) return known.timeline;
    const timeline = build(stored, peer);
    timelines.set(stored, { of: stored.length, timeline });
    return timeline;
  };
}

/** The grant in force at a time (ms since the epoch); undefined before the first. */
export function grantAt(timeline: GrantTimeline, atMs: number): TimedGrant | undefined {
  return timeline.grants.findLast(({ fromMs }) => fromMs <= atMs);
}

/** Whether a grant gives anything at a time (ms since the epoch). */
export function isInForce(grant: Pick<Grant, 'roles' | 'notAfter'> | undefined, atMs: number): boolean {
  if (grant === undefined || grant.roles.length === 0) return false;
  return grant.notAfter === 0 || grant.notAfter * 1000 > atMs;
}
