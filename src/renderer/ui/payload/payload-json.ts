/** Reads a payload as JSON for the eye (E3). Law: whatever is no JSON says why, and is shown as text. */
import { type JsonNode, scanJson } from '../../../shared/base/json-scan.ts';
import { isVakError } from '../../../shared/base/vak-error.ts';
import { decodeText } from '../visible-text.ts';

/** Largest payload that is read without a question, in bytes. */
export const askAboveBytes = 65_536;
/** Deeper JSON is no tree for the eye. */
const maxDepth = 4_096;

export type PayloadJson =
  | { readonly kind: 'json'; readonly root: JsonNode; readonly text: string }
  /** `why`: what follows "Not JSON:". */
  | { readonly kind: 'other'; readonly why: string };

export function readPayloadJson(bytes: Uint8Array): PayloadJson {
  if (bytes.length === 0) return { kind: 'other', why: 'the payload is empty' };
  const { text, isExact } = decodeText(bytes);
  if (!isExact) return { kind: 'other', why: 'the bytes are not UTF-8' };
  try {
    return { kind: 'json', text, root: scanJson(text, { field: 'payload', maxDepth, duplicates: 'keep' }) };
  } catch (error) {
    if (isVakError(error, 'invalid-payload')) return { kind: 'other', why: error.message };
    throw error;
  }
}
