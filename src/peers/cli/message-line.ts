/** A message as a member of a line of JSON: its own text, no digit altered, or base64 where it is no envelope (E3). */
import { toBase64, toTextStrict } from '../../shared/base/bytes.ts';
import { scanJson } from '../../shared/base/json-scan.ts';
import { isVakError } from '../../shared/base/vak-error.ts';
import { readMessage } from './message-reading.ts';

/** Bytes as JSON text on one line with their digits as they are; undefined if they are none. */
export function jsonTextOf(bytes: Uint8Array): string | undefined {
  try {
    const text = toTextStrict(bytes, 'payload');
    const { start, end } = scanJson(text, { field: 'payload', duplicates: 'keep' });
    // A line break within JSON stands between its parts: a string cannot hold one.
    return text.slice(start, end).replaceAll(/[\n\r]/g, ' ');
  } catch (error) {
    if (isVakError(error)) return undefined;
    throw error;
  }
}

/** The text of an envelope on one line, on either wire; undefined for anything else. */
export function envelopeTextOf(bytes: Uint8Array): string | undefined {
  try {
    readMessage(bytes);
    return jsonTextOf(bytes);
  } catch (error) {
    if (isVakError(error)) return undefined;
    throw error;
  }
}

/** `{…fields, envelope}` or `{…fields, base64}`, in one line. */
export function messageLine(fields: Readonly<Record<string, string | number>>, bytes: Uint8Array): string {
  const envelope = envelopeTextOf(bytes);
  if (envelope === undefined) return JSON.stringify({ ...fields, base64: toBase64(bytes) });
  return `${JSON.stringify(fields).slice(0, -1)},"envelope":${envelope}}`;
}
