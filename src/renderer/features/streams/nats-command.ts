/**
 * A message, and its place in a stream, as commands of the `nats` program (docs/spec/streams.md V7). Pure.
 * Law: a shell gives the program exactly these bytes, and a line that is pasted holds no character that a terminal obeys.
 */
import { shellLine } from '../../ui/shell-line.ts';

/** Longest text in one argument, in UTF-16 units: Linux takes 128 KiB of bytes. */
const maxArgument = 32_000;
/** Printable ASCII: nothing that a terminal obeys, nothing that looks like something else. */
const plainText = /^[\x20-\x7e]+$/;
/** What the program would read as an option, as a file of options, or as a template. */
const isRead = (text: string): boolean => /^[-@]/.test(text) || text.includes('{{');

function textOf(bytes: Uint8Array): string | undefined {
  if (bytes.length > maxArgument) return undefined;
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
    return plainText.test(text) && !isRead(text) ? text : undefined;
  } catch {
    return undefined;
  }
}

function base64Of(bytes: Uint8Array): string {
  let text = '';
  for (let at = 0; at < bytes.length; at += 0x8000) text += String.fromCharCode(...bytes.subarray(at, at + 0x8000));
  return btoa(text);
}

/** Publishes these bytes on the subject again. What is no plain text comes as base64 through a pipe. */
export function natsPublish(subject: string, bytes: Uint8Array): string {
  const text = textOf(bytes);
  if (text !== undefined) return shellLine(['nats', 'pub', subject, text]);
  return `printf %s '${base64Of(bytes)}' | base64 -d | ${shellLine(['nats', 'pub', '--force-stdin', subject])}`;
}

/** Reads the message of a stream. */
export function natsGet(stream: string, seq: number): string {
  return shellLine(['nats', 'stream', 'get', stream, String(seq)]);
}
