/**
 * Reads the lines of a bundle as they stand (docs/spec/triage.md D11).
 * Law: not a byte is overlooked; a line, and the number of lines, has a bound before it is looked at.
 */
import { VakError } from '../../shared/base/vak-error.ts';
import { bundleBounds } from './bundle-format.ts';

/** `bytes` undefined: it is longer than a line may be. `isWhole`: a line break ends it. */
export interface RawBundleLine {
  /** From 1. */
  readonly number: number;
  readonly bytes: Uint8Array | undefined;
  /** Place of its first byte in the file. */
  readonly offset: number;
  readonly isWhole: boolean;
}

const newline = 0x0a;

/** Throws `limit-exceeded` (too many lines), `aborted`, and what the source throws. */
export async function* readBundleLines(
  source: AsyncIterable<Uint8Array>,
  signal: AbortSignal,
): AsyncGenerator<RawBundleLine, void> {
  let chunks: Uint8Array[] = [];
  let [length, number, offset] = [0, 1, 0];
  const add = (bytes: Uint8Array): void => {
    length += bytes.length;
    if (length <= bundleBounds.lineBytes) chunks.push(bytes);
    else chunks = [];
  };
  const take = (isWhole: boolean): RawBundleLine => {
    const bytes = length > bundleBounds.lineBytes ? undefined : Buffer.concat(chunks);
    const line = { number, bytes, offset, isWhole };
    offset += length + 1;
    chunks = [];
    length = 0;
    return line;
  };
  for await (const chunk of source) {
    if (signal.aborted) throw new VakError('aborted', 'bundle: stopped');
    let start = 0;
    for (let end = chunk.indexOf(newline); end >= 0; end = chunk.indexOf(newline, start)) {
      add(chunk.subarray(start, end));
      yield take(true);
      start = end + 1;
      number++;
      if (number > bundleBounds.lines + 1) {
        throw new VakError('limit-exceeded', `bundle: more than ${bundleBounds.lines} lines; no bundle has so many`);
      }
    }
    add(chunk.subarray(start));
  }
  if (length > 0) yield take(false);
}
