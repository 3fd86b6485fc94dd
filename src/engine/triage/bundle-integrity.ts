/**
 * Which lines of a bundle are not those that were signed (docs/spec/triage.md D11).
 * Law: manifest, index and lines say the same thing twice: where one of them was changed, the other two name it.
 */
import { digestOfDigests } from './bundle-format.ts';
import type { BundleGlance } from './bundle-glance.ts';
import type { BundleSignature } from './bundle-signers.ts';

export interface BundleIntegrity {
  /** Whether a line between manifest and index, or of the index, is another one than was signed. */
  isChanged(line: number): boolean;
  /** What is said of such a line. */
  readonly whyChanged: string;
  /** The last line of a file that was cut off before its end; undefined: it has its end. */
  readonly cutAtLine: number | undefined;
  /** What is wrong with the file as a whole, in sentences. */
  readonly errors: readonly string[];
}

/** Said of a line that is another one. */
export const changedLine = 'It is not the line that was signed.';
/** Said of lines that nothing can be compared with: the end of the file, which names them all, is gone. */
export const unvouched = 'The file was cut off: nothing says any more whether it is the line that was signed.';

/** Lines of an index at most: so many at the end may be one that cannot be read any more. */
const maxIndexLines = 64;

/** How many of the lines, from the first on, are those that the manifest was signed over; undefined: no such number is. */
function signedCountOf(actual: readonly string[], digest: string | undefined): number | undefined {
  for (
    let count = actual.length;
    digest !== undefined && count >= Math.max(0, actual.length - maxIndexLines);
    count--
  ) {
    if (digestOfDigests(actual.slice(0, count)) === digest) return count;
  }
  return undefined;
}

/** Places of digests that are not expected in that order; what is left out moves none of the rest. */
function changedPlaces(actual: readonly string[], expected: readonly string[]): Set<number> {
  const places = new Map<string, number[]>();
  for (const [place, digest] of [...expected.entries()].reverse()) {
    const own = places.get(digest);
    if (own === undefined) places.set(digest, [place]);
    else own.push(place);
  }
  const changed = new Set<number>();
  let from = 0;
  for (const [place, digest] of actual.entries()) {
    const own = places.get(digest) ?? [];
    while (own.length > 0 && (own.at(-1) ?? 0) < from) own.pop();
    const found = own.pop();
    if (found === undefined) changed.add(place);
    else from = found + 1;
  }
  return changed;
}

/** Lines of the index that are out of their place, or say another thing than the lines do where those are known to be right. */
function changedIndex({ actual, index }: BundleGlance, signedCount: number | undefined): number[] {
  let from = 2;
  const changed: number[] = [];
  for (const [place, own] of index.entries()) {
    const right = signedCount === undefined ? own.digests : actual.slice(from - 2, from - 2 + own.digests.length);
    const isRight = own.from === from && own.digests.join('') === right.join('');
    if (!isRight || own.line !== actual.length + 2 + place) changed.push(own.line);
    from += own.digests.length;
  }
  return changed;
}

/** Last line of what begins as a bundle and has no index, which stands at the end of every one. */
export function cutAtLineOf({ manifest, actual, index }: BundleGlance): number | undefined {
  return manifest !== undefined && index.length === 0 ? actual.length + 1 : undefined;
}

function cutWords(line: number, signedCount: number | undefined): string {
  const rest =
    signedCount === undefined
      ? 'nothing says any more whether the lines that are left are those that were signed; get the file again'
      : `lines 2 to ${signedCount + 1} are those that were signed, what names them at the end is gone`;
  return `The file ends at line ${line}: it was cut off, and ${rest}.`;
}

/** Judges the file as a whole. */
export function judgeIntegrity(glance: BundleGlance, signature: BundleSignature | undefined): BundleIntegrity {
  const { manifest, actual, index } = glance;
  const indexed = index.flatMap(({ digests }) => digests);
  const digest = signature === undefined || signature.kind === 'invalid' ? undefined : manifest?.digest;
  const signedCount = signedCountOf(actual, digest);
  const expected = signedCount === undefined ? indexed : actual.slice(0, signedCount);
  const lines = [...changedPlaces(actual, expected)].map((place) => place + 2);
  const places = new Set([...lines, ...changedIndex(glance, signedCount)]);
  const cutAtLine = cutAtLineOf(glance);
  if (cutAtLine !== undefined) {
    const whyChanged = signedCount === undefined ? unvouched : changedLine;
    return { isChanged: (line) => places.has(line), whyChanged, cutAtLine, errors: [cutWords(cutAtLine, signedCount)] };
  }
  const errors: string[] = [];
  if (digest === undefined) errors.push('No manifest vouches for the lines: they are compared with the index alone.');
  else if (signedCount === undefined && digestOfDigests(indexed) !== digest) {
    errors.push('Neither the lines nor the index are those that the manifest was signed over.');
  }
  if (indexed.length !== actual.length) {
    errors.push(`The index names ${indexed.length} lines, and there are ${actual.length} between it and the manifest.`);
  }
  return { isChanged: (line) => places.has(line), whyChanged: changedLine, cutAtLine, errors };
}
