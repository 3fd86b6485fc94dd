/**
 * A payload as it is edited: JSON, text or bytes, each to and from the same bytes. Pure.
 * Law: nothing is lost by looking: digits stay as they are, and what is no text is edited as bytes.
 */
import { type JsonNode, scanJson } from '../../../shared/base/json-scan.ts';
import { isVakError } from '../../../shared/base/vak-error.ts';
import { decodeText } from '../../ui/visible-text.ts';

export type EditMode = 'json' | 'text' | 'hex';

export type EditedBytes = { readonly bytes: Uint8Array } | { readonly fault: string };

/** Lines of JSON with each value as it stood. */
function formatJson(root: JsonNode, text: string): string {
  const write = (node: JsonNode, pad: string): string => {
    const inner = `${pad}  `;
    if (node.kind === 'object' && node.members.length > 0) {
      const members = node.members.map(({ name, value }) => `${inner}${JSON.stringify(name)}: ${write(value, inner)}`);
      return `{\n${members.join(',\n')}\n${pad}}`;
    }
    if (node.kind === 'array' && node.items.length > 0) {
      return `[\n${node.items.map((item) => inner + write(item, inner)).join(',\n')}\n${pad}]`;
    }
    return text.slice(node.start, node.end);
  };
  return write(root, '');
}

const maxDepth = 128;

function readJson(text: string): { readonly root: JsonNode } | { readonly fault: string } {
  try {
    return { root: scanJson(text, { field: 'payload', maxDepth }) };
  } catch (error) {
    if (isVakError(error, 'invalid-payload') || isVakError(error, 'limit-exceeded')) return { fault: error.message };
    throw error;
  }
}

/** Which ways there are to edit these bytes, the best first. */
export function modesOf(bytes: Uint8Array): readonly EditMode[] {
  const { text, isExact } = decodeText(bytes);
  // Of a text field, a line ends in one way only: other endings would be changed in silence.
  if (!isExact || text.includes('\r') || text.includes('\0')) return ['hex'];
  return 'root' in readJson(text) ? ['json', 'text', 'hex'] : ['text', 'hex'];
}

const hexPairsALine = 16;

function hexOf(bytes: Uint8Array): string {
  const lines: string[] = [];
  for (let at = 0; at < bytes.length; at += hexPairsALine) {
    lines.push([...bytes.subarray(at, at + hexPairsALine)].map((byte) => byte.toString(16).padStart(2, '0')).join(' '));
  }
  return lines.join('\n');
}

/** What is edited. */
export function textOf(bytes: Uint8Array, mode: EditMode): string {
  if (mode === 'hex') return hexOf(bytes);
  const { text } = decodeText(bytes);
  if (mode === 'text') return text;
  const read = readJson(text);
  return 'root' in read ? formatJson(read.root, text) : text;
}

function bytesOfHex(text: string): EditedBytes {
  const digits = text.replace(/\s+/g, '');
  const wrong = /[^0-9a-fA-F]/.exec(digits);
  if (wrong !== null) return { fault: `“${wrong[0]}” is no hex digit; type pairs of 0–9 and a–f` };
  if (digits.length % 2 === 1) return { fault: 'the last byte has one digit; type two for each' };
  return { bytes: Uint8Array.from(digits.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16)) };
}

/** The bytes of what was edited, or what is wrong with it. */
export function bytesOf(text: string, mode: EditMode): EditedBytes {
  if (mode === 'hex') return bytesOfHex(text);
  if (mode === 'json') {
    const read = readJson(text);
    if ('fault' in read) return read;
  }
  return { bytes: new TextEncoder().encode(text) };
}

/** The lines of a payload that are compared: those of its best way to be read. */
export function comparedLines(bytes: Uint8Array): readonly string[] {
  return textOf(bytes, modesOf(bytes)[0] ?? 'hex').split('\n');
}
