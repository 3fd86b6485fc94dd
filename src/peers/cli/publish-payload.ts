/** The payload of `vak publish`: a pipe, a file, or the text of the argument itself. */
import { statSync } from 'node:fs';
import { toTextStrict, utf8 } from '../../shared/base/bytes.ts';
import { scanJson } from '../../shared/base/json-scan.ts';
import { isVakError, VakError } from '../../shared/base/vak-error.ts';
import { decodePayload, isKnownType } from '../../shared/protocol/payloads.ts';
import type { CliHost } from './command.ts';
import { openInputFile } from './input-file.ts';
import { type ByteSource, untilAborted } from './standard-input.ts';

/** Sealed and in base64 it still fits a message. */
const maxPayloadBytes = 768 * 1024;

async function readAll(source: ByteSource, where: string, signal: AbortSignal): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of untilAborted(source, signal)) {
    chunks.push(chunk);
    length += chunk.length;
    if (length > maxPayloadBytes) {
      throw new VakError('limit-exceeded', `${where}: more than ${maxPayloadBytes} bytes; send a reference instead`);
    }
  }
  return new Uint8Array(Buffer.concat(chunks));
}

function isJson(text: string): boolean {
  try {
    scanJson(text, { field: 'payload', duplicates: 'keep' });
    return true;
  } catch (error) {
    if (isVakError(error)) return false;
    throw error;
  }
}

/** Whether a text names a file: one that is there, or a path without blanks, which was meant to be one. */
function isFileName(text: string): boolean {
  if (/^[^\s]*[/\\][^\s]*$/.test(text)) return true;
  // Longer names there are on no file system.
  return text.length <= 255 && statSync(text, { throwIfNoEntry: false }) !== undefined;
}

/** The bytes of `--data`: `-` stdin, JSON as it stands, a file that is there, else the text. Throws `invalid-input`, `limit-exceeded`, `aborted`. */
export async function readPayload(data: string, host: CliHost): Promise<Uint8Array> {
  if (data === '-') return await readAll(host.input(), 'stdin', host.signal);
  if (isJson(data)) return utf8(data);
  if (!isFileName(data)) return utf8(data);
  const handle = await openInputFile(data, '--data');
  try {
    return await readAll(handle.createReadStream({ autoClose: false }), '--data', host.signal);
  } finally {
    await handle.close();
  }
}

/** What a payload is by its bytes. */
export function contentTypeOf(payload: Uint8Array): string {
  try {
    return isJson(toTextStrict(payload, 'payload')) ? 'application/json' : 'text/plain; charset=utf-8';
  } catch (error) {
    if (isVakError(error)) return 'application/octet-stream';
    throw error;
  }
}

/** Why receivers will not understand a payload, if its type has a schema that it does not fit. */
export function findMisfit(type: string, payload: Uint8Array): string | undefined {
  if (!isKnownType(type)) return undefined;
  try {
    decodePayload(type, payload);
    return undefined;
  } catch (error) {
    if (isVakError(error)) return error.message;
    throw error;
  }
}
