/**
 * The end of what a command printed, as its receipt and dead letter tell it (protocol.md W4, W6; docs/spec/work.md W6d).
 * Law: whole lines of plain text, at most 8 KiB after secrets were taken out; whatever is printed, it costs 32 KiB a stream and linear time.
 */
import { isSecretName, markOf, redactText } from '../triage/bundle-secrets.ts';
import { readStack } from '../triage/stack-reading.ts';
import { boundedStack } from './bounded-reason.ts';
import type { OutputStream } from './command-output.ts';

/** What a command said last. */
export interface LastWords {
  /** At most 8 KiB of UTF-8. */
  readonly text: string;
  /** The line of it that says why, as far as one does; not empty. */
  readonly line: string;
}

export interface OutputTail {
  /** Takes raw bytes; keeps none of them that are not of the end. */
  push(stream: OutputStream, bytes: Uint8Array): void;
  /** Of stderr; of stdout, said as such, if nothing came there. Undefined: it printed nothing. */
  read(): LastWords | undefined;
}

/** Bytes of each stream that are looked at. */
const maxKept = 32 * 1024;
const maxText = 8 * 1024;
/** Of the report's beginning, where what follows it is longer than all that is told. */
const maxHead = 3 * 1024;
/** A value that is shorter stands in a text by chance. */
const minSecretLength = 6;
const ofStdout = '(nothing on stderr; the end of stdout:)';

/** What terminals obey: colours, cursor, titles. Each part ends where the next begins, so it is linear. */
const escapes = new RegExp(
  [
    String.raw`(?:\u001b\[|\u009b)[0-?]*[ -/]*[@-~]`,
    String.raw`\u001b[\]PX^_][^\u0007\u001b\u009c]*(?:\u0007|\u001b\\|\u009c)`,
    String.raw`\u001b[ -/]*[0-~]?`,
  ].join('|'),
  'g',
);
const controls = /(?!\t)\p{Cc}/gu;
/** Begins what is followed by the stacks of all threads. */
const reportHead = /^(?:panic: |fatal error: )/;

const sizeOf = (text: string): number => Buffer.byteLength(text);

/** The last bytes of a stream. */
function createEnd() {
  let held: Uint8Array | undefined;
  let [length, isCut] = [0, false];

  function keepLast(buffer: Uint8Array): void {
    buffer.copyWithin(0, length - maxKept, length);
    length = maxKept;
    isCut = true;
  }

  return {
    push(bytes: Uint8Array): void {
      held ??= new Uint8Array(2 * maxKept);
      if (length > maxKept && length + bytes.length > held.length) keepLast(held);
      if (bytes.length > maxKept) isCut = true;
      const last = bytes.subarray(Math.max(0, bytes.length - maxKept));
      held.set(last, length);
      length += last.length;
    },
    /** Text from the beginning of a line on, unless all of it is one line. */
    text(): string {
      if (held === undefined) return '';
      let bytes = held.subarray(Math.max(0, length - maxKept), length);
      if (isCut || length > maxKept) {
        const line = bytes.indexOf(0x0a);
        let from = line === -1 || line === bytes.length - 1 ? 0 : line + 1;
        // Not in the midst of a character.
        while (((bytes[from] ?? 0) & 0xc0) === 0x80) from++;
        bytes = bytes.subarray(from);
      }
      return new TextDecoder().decode(bytes);
    },
  };
}

/** As a person would read it on a terminal: of a line that was written over, what was written last. */
function plainText(text: string): string {
  return (
    text
      .replace(escapes, '')
      // Not with what may stand before its end: carriage returns that end no line would each be looked through to the last.
      .split('\n')
      .map((line) => (line.split('\r').findLast((part) => part.trim() !== '') ?? '').replace(controls, '').trimEnd())
      .join('\n')
      .replace(/^\n+|\n+$/g, '')
  );
}

/** So many of the last lines as fit; of a single one that does not, its end. */
function lastLines(lines: readonly string[], maxBytes: number): string[] {
  let [from, size] = [lines.length, 0];
  while (from > 0) {
    size += sizeOf(lines[from - 1] ?? '') + 1;
    if (size > maxBytes) break;
    from--;
  }
  if (from < lines.length) return lines.slice(from);
  const bytes = Buffer.from(lines.at(-1) ?? '');
  let at = Math.max(0, bytes.length - maxBytes + 4);
  while (((bytes[at] ?? 0) & 0xc0) === 0x80) at++;
  return [`…${bytes.toString('utf8', at)}`];
}

/** The end that fits; if a report begins before it, its beginning too. */
function fitting(text: string, maxBytes: number): string {
  if (sizeOf(text) <= maxBytes) return text;
  const lines = text.split('\n');
  const end = lastLines(lines, maxBytes - 4);
  const headAt = lines.findLastIndex((line) => reportHead.test(line));
  if (headAt === -1 || headAt >= lines.length - end.length) {
    return [...(end[0]?.startsWith('…') ? [] : ['…']), ...end].join('\n');
  }
  const head: string[] = [];
  for (let at = headAt, size = 0; at < lines.length; at++) {
    size += sizeOf(lines[at] ?? '') + 1;
    if (size > maxHead) break;
    head.push(lines[at] ?? '');
  }
  return [...head, '…', ...lastLines(lines, maxBytes - maxHead - 8)].join('\n');
}

/** The error that it ended with, in one line; else the first of its last words. */
function lineOf(text: string): string {
  const [error] = readStack(text);
  if (error === undefined) return '';
  const message = error.message.split('\n').find((line) => line.trim() !== '') ?? '';
  return error.type === '' || message === '' ? `${error.type}${message}` : `${error.type}: ${message}`;
}

/** Values that a task gave its command under a name that calls them secret. */
function secretsOf(env: Readonly<Record<string, string>>): string[] {
  const named = Object.entries(env).filter(([name, value]) => isSecretName(name) && value.length >= minSecretLength);
  return named.map(([, value]) => value).sort((a, b) => b.length - a.length);
}

/** Creates it for one command. `env`: what its task gave it. */
export function createOutputTail(env: Readonly<Record<string, string>> = {}): OutputTail {
  const ends = { stdout: createEnd(), stderr: createEnd() };
  const secrets = secretsOf(env);

  function read(stream: OutputStream): string {
    let text = plainText(ends[stream].text());
    for (const secret of secrets) text = text.replaceAll(secret, markOf('named'));
    return redactText(text, () => undefined);
  }

  return {
    push: (stream, bytes) => ends[stream].push(bytes),
    read() {
      const told = read('stderr');
      const text = told === '' ? read('stdout') : told;
      if (text === '') return undefined;
      const title = told === '' ? `${ofStdout}\n` : '';
      const line = lineOf(text);
      return {
        text: boundedStack(`${title}${fitting(text, maxText - title.length)}`),
        line: told === '' && line !== '' ? `stdout ends with ${line}` : line,
      };
    },
  };
}
