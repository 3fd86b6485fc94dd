/** What is piped into a command, within bounds: one JSON value, or lines. */
import { fstatSync } from 'node:fs';
import { systemCode } from '../../engine/identity/file-error.ts';
import { VakError } from '../../shared/base/vak-error.ts';

/** A stream of bytes: stdin, or a file. */
export type ByteSource = AsyncIterable<Uint8Array>;

const newline = 0x0a;
const mebibyte = 1024 * 1024;
const signs = { quote: 0x22, backslash: 0x5c, open: [0x7b, 0x5b], close: [0x7d, 0x5d] } as const;

/** Throws `invalid-input` if the descriptor of stdin is a folder, which reads as if it were empty. */
export function checkStandardInput(fd: number): void {
  if (!fstatSync(fd).isDirectory()) return;
  throw new VakError('invalid-input', 'stdin: is a folder; give a file (< FILE) or a pipe');
}

/** What a stream could not be read for, as an error of ours. */
function readError(error: unknown): unknown {
  const code = systemCode(error);
  if (code === undefined) return error;
  return new VakError('invalid-input', `input: cannot be read (${code})`, { cause: error });
}

/** The stream's chunks, until the signal aborts: then it throws `aborted`, although the stream may stay silent. Throws `invalid-input`. */
export async function* untilAborted(source: ByteSource, signal: AbortSignal): AsyncGenerator<Uint8Array, void> {
  const chunks = source[Symbol.asyncIterator]();
  let giveUp = (): void => {};
  const onAbort = (): void => giveUp();
  signal.addEventListener('abort', onAbort);
  const next = (): Promise<IteratorResult<Uint8Array>> =>
    new Promise((resolve, reject) => {
      giveUp = () => reject(new VakError('aborted', 'interrupted'));
      if (signal.aborted) giveUp();
      else chunks.next().then(resolve, (error) => reject(readError(error)));
    });
  try {
    for (let result = await next(); result.done !== true; result = await next()) yield result.value;
  } finally {
    signal.removeEventListener('abort', onAbort);
    // Not awaited: a stream that is silent would never answer.
    chunks.return?.().catch(() => {});
  }
}

function isBlank(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x09 || byte === 0x0a || byte === 0x0d;
}

function trimmed(bytes: Uint8Array): Uint8Array {
  let [start, end] = [0, bytes.length];
  while (start < end && isBlank(bytes[start])) start++;
  while (end > start && isBlank(bytes[end - 1])) end--;
  return bytes.subarray(start, end);
}

/** Where the first JSON object or array ends; the whole length if it does not, or is none. */
function endOfFirst(bytes: Uint8Array): number {
  let depth = 0;
  let isText = false;
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes[i] as number;
    if (isText) {
      if (byte === signs.backslash) i++;
      else isText = byte !== signs.quote;
    } else if (byte === signs.quote) isText = true;
    else if (signs.open.some((sign) => sign === byte)) depth++;
    else if (signs.close.some((sign) => sign === byte) && --depth <= 0) return i + 1;
    if (depth === 0) return bytes.length;
  }
  return bytes.length;
}

/**
 * The bytes of one JSON value of at most 1 MiB, without blanks around it; whether it is sound JSON is not looked at. Throws
 * `limit-exceeded`, `invalid-input` (nothing, or several values, unreadable), `aborted`.
 */
export async function readOneValue(source: ByteSource, signal: AbortSignal): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of untilAborted(source, signal)) {
    chunks.push(chunk);
    length += chunk.length;
    // A line break at the end is the pipe's, not the value's.
    if (length > mebibyte + 2) break;
  }
  const bytes = trimmed(Buffer.concat(chunks));
  if (bytes.length === 0) throw new VakError('invalid-input', 'stdin: is empty; give one envelope as JSON');
  if (length > mebibyte + 2 || bytes.length > mebibyte) {
    throw new VakError('limit-exceeded', `stdin: more than ${mebibyte} bytes; give one envelope as JSON`);
  }
  if (endOfFirst(bytes) === bytes.length) return bytes;
  throw new VakError('invalid-input', 'stdin: something follows the first JSON value; give one envelope');
}

/** A line, or what is known of one that is too long; the line break is not part of it. */
export type InputLine =
  | { readonly kind: 'line'; readonly number: number; readonly bytes: Uint8Array }
  | { readonly kind: 'too-long'; readonly number: number };

/** What is kept of the line that is being read. */
interface Part {
  chunks: Uint8Array[];
  length: number;
}

function append(part: Part, bytes: Uint8Array, maxBytes: number): void {
  part.length += bytes.length;
  if (part.length <= maxBytes) part.chunks.push(bytes);
  else part.chunks = [];
}

function lineOf({ chunks, length }: Part, number: number, maxBytes: number): InputLine {
  return length > maxBytes
    ? { kind: 'too-long', number }
    : { kind: 'line', number, bytes: trimmed(Buffer.concat(chunks)) };
}

/** Lines of a stream as they come, numbered from 1, blank ones left out; of one longer than `maxBytes` nothing is kept. Throws `aborted`, `invalid-input`. */
export async function* readLines(
  source: ByteSource,
  { maxBytes, signal }: { readonly maxBytes: number; readonly signal: AbortSignal },
): AsyncGenerator<InputLine, void> {
  let part: Part = { chunks: [], length: 0 };
  let number = 1;
  const isThere = (line: InputLine): boolean => line.kind === 'too-long' || line.bytes.length > 0;
  for await (const chunk of untilAborted(source, signal)) {
    let start = 0;
    for (let end = chunk.indexOf(newline); end >= 0; end = chunk.indexOf(newline, start)) {
      append(part, chunk.subarray(start, end), maxBytes);
      const line = lineOf(part, number, maxBytes);
      if (isThere(line)) yield line;
      part = { chunks: [], length: 0 };
      number++;
      start = end + 1;
    }
    append(part, chunk.subarray(start), maxBytes);
  }
  const last = lineOf(part, number, maxBytes);
  if (isThere(last)) yield last;
}
