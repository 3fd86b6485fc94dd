/**
 * One line that tells what a message says, made from at most its first kilobyte.
 * Law: bytes from the bus are hostile: no control or bidi character gets through, and the length is bounded.
 */

import { toText } from '../../shared/base/bytes.ts';
import { withoutAnsi } from '../../shared/base/plain-output.ts';
import { visibleText } from '../../shared/base/visible-text.ts';
import { payloadLine } from '../../shared/protocol/payload-line.ts';
import { decodePayload, isKnownType } from '../../shared/protocol/payloads.ts';

/** Longest preview, in characters. */
export const maxPreviewLength = 160;
const headBytes = 1024;

const terminalHead = /^\{"stream":"(stdout|stderr)","offset":\d+,"bytes":"([A-Za-z0-9+/]*)/;
function terminalPreview(data: Uint8Array): string | undefined {
  const head = terminalHead.exec(toText(data.subarray(0, headBytes)));
  if (head === null) return undefined;
  const line = withoutAnsi(toText(Buffer.from(head[2] as string, 'base64'))).trim();
  return head[1] === 'stderr' ? `stderr · ${line}` : line;
}

function knownPreview(type: string, data: Uint8Array): string | undefined {
  if (!isKnownType(type)) return undefined;
  if (type === 'vak.events.terminal') return terminalPreview(data);
  return payloadLine(type, decodePayload(type, data));
}

/** A text as one bounded line without anything that is not seen. */
export function lineOf(text: string): string {
  return visibleText(text.slice(0, maxPreviewLength)).slice(0, maxPreviewLength);
}

/** A bounded line for a message of a type; never throws. What does not fit its schema is shown as text. */
export function previewOf(type: string, data: Uint8Array): string {
  let text: string | undefined;
  try {
    text = knownPreview(type, data);
  } catch {
    // The inspector says why it does not fit its schema; the row shows what came.
  }
  return lineOf(text ?? toText(data.subarray(0, headBytes)));
}
