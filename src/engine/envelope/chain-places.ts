/**
 * The places of one chain that are remembered: which leaves were seen, or are claimed by others, at which sequence number. It is what
 * forks and forged links are found by; how many places something came for is counted elsewhere, exactly.
 * Law: bounded in places, and in leaves of one place; the lowest place is forgotten first.
 */
import { isSameHash } from './link.ts';

/** More rivals than these at one place tell nothing new. */
const maxRivals = 4;

export interface ChainPlaces {
  /** Whether this leaf is known at that place. */
  has(seq: number, leaf: string): boolean;
  /** Whether any leaf is known there. */
  isKnown(seq: number): boolean;
  /** Takes note of an envelope that came. */
  see(seq: number, leaf: string): void;
  /** Takes note of a leaf that something else names, unless one is known there. */
  claim(seq: number, leaf: string): void;
}

/** Creates the memory of one chain. */
export function createChainPlaces(capacity: number): ChainPlaces {
  const places = new Map<number, string[]>();
  let lowest = 0;

  /** Leaves at a place, to be added to; undefined where it was forgotten. */
  function leavesAt(seq: number): string[] | undefined {
    const known = places.get(seq);
    if (known !== undefined || seq < lowest) return known;
    const leaves: string[] = [];
    places.set(seq, leaves);
    if (places.size > capacity) {
      const forgotten = Math.min(...places.keys());
      places.delete(forgotten);
      lowest = forgotten + 1;
    }
    return leaves;
  }

  const has = (seq: number, leaf: string): boolean => places.get(seq)?.some((one) => isSameHash(one, leaf)) === true;

  return {
    has,
    isKnown: (seq) => places.has(seq),
    see(seq, leaf) {
      const leaves = leavesAt(seq);
      if (leaves !== undefined && leaves.length < maxRivals && !has(seq, leaf)) leaves.push(leaf);
    },
    claim(seq, leaf) {
      if (seq >= 0 && !places.has(seq)) leavesAt(seq)?.push(leaf);
    },
  };
}
