/**
 * Grants of one peer that came both ways, by the workspace's bucket and by this profile itself (docs/spec I24).
 * Law: a grant counts from the earliest time that is known of it, and one that is older than what was there before it is no news.
 */
import type { Grant } from '../../shared/protocol/identity-records.ts';
import type { Stored } from '../ports/directory.ts';

/** Whether both are one: a signature is over every field. */
const isSame = (left: Grant, right: Grant): boolean => left.signature === right.signature;

/** A grant that is here counts from the earlier of the two times. */
function withEarlierTime(
  known: readonly Stored<Grant>[],
  { record, storedMs }: Stored<Grant>,
): readonly Stored<Grant>[] {
  if (!known.some((one) => isSame(one.record, record) && storedMs < one.storedMs)) return known;
  return known.map((one) => (isSame(one.record, record) && storedMs < one.storedMs ? { ...one, storedMs } : one));
}

/** Where a grant that is not here yet belongs; undefined: it is no news. */
function placeOf(
  { record, storedMs }: Stored<Grant>,
  known: readonly Stored<Grant>[],
  counts: (grant: Grant) => boolean,
): number | undefined {
  const above = known.filter((one) => one.record.serial >= record.serial && counts(one.record));
  if (above.length === 0) return known.length;
  const next = above.reduce((least, one) => (one.record.serial < least.record.serial ? one : least));
  // Stored when the next one was there already, it was never in force: an old one that somebody put back (I4).
  if (next.record.serial === record.serial || storedMs >= next.storedMs) return undefined;
  return known.indexOf(next);
}

/**
 * The grants of a peer that are `known`, oldest first, with those that `arrived`, oldest first. Superseded ones are put before what
 * superseded them. `counts`: whether one of those known is signed by the root. Gives `known` itself if nothing is new.
 */
export function mergeGrants(
  known: readonly Stored<Grant>[],
  arrived: readonly Stored<Grant>[],
  counts: (grant: Grant) => boolean,
): readonly Stored<Grant>[] {
  const timed = arrived.reduce(withEarlierTime, known);
  // The newest first: what it superseded is judged by it.
  return arrived.toReversed().reduce((merged, one) => {
    if (merged.some(({ record }) => isSame(record, one.record))) return merged;
    const at = placeOf(one, merged, counts);
    return at === undefined ? merged : merged.toSpliced(at, 0, one);
  }, timed);
}
