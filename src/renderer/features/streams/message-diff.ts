/**
 * What differs between two messages: facts by name, payloads as JSON by path, else by line or by byte. Pure.
 * Law: values are told as they stand, digits and all; what is too much to compare or to show is said.
 */
import { type JsonNode, scanJson } from '../../../shared/base/json-scan.ts';
import { isVakError } from '../../../shared/base/vak-error.ts';
import type { BufferedMessage } from '../../../shared/contract/streams-contract.ts';
import { type DiffLine, lineDiff } from '../../ui/line-diff.ts';
import { decodeText } from '../../ui/visible-text.ts';

/** Most bytes of each payload that are compared. */
export const maxComparedBytes = 1_048_576;
/** Most differences that are listed. */
const maxListed = 500;
/** Most lines of each text that are compared by line. */
const maxLines = 2_000;
const maxValueLength = 200;

/** One value that differs; null: it is not there. */
export interface Difference {
  readonly name: string;
  readonly a: string | null;
  readonly b: string | null;
}

/** `leftOut`: further differences, or lines, that are not listed. */
export type PayloadDiff =
  | { readonly kind: 'same' }
  | { readonly kind: 'json' | 'hex'; readonly differences: readonly Difference[]; readonly leftOut: number }
  | { readonly kind: 'lines'; readonly lines: readonly DiffLine[]; readonly leftOut: number };

type Shown = Pick<BufferedMessage, 'subject' | 'type' | 'peer' | 'sizeBytes'> & {
  readonly trust: Pick<BufferedMessage['trust'], 'attributes' | 'contentType' | 'wire'>;
};

function factsOf({ subject, type, peer, sizeBytes, trust }: Shown): ReadonlyMap<string, string> {
  const own: [string, string | null][] = [
    ['subject', subject],
    ['type', type],
    ['peer', peer],
    ['size', `${sizeBytes} B`],
    ['format', trust.wire],
    ...trust.attributes.map(({ name, value }): [string, string] => [`envelope ${name}`, value]),
  ];
  return new Map(own.filter((one): one is [string, string] => one[1] !== null));
}

/** Facts and attributes of the envelope that differ, in their order. */
export function diffFacts(a: Shown, b: Shown): readonly Difference[] {
  const [left, right] = [factsOf(a), factsOf(b)];
  return [...new Set([...left.keys(), ...right.keys()])]
    .map((name) => ({ name, a: left.get(name) ?? null, b: right.get(name) ?? null }))
    .filter((one) => one.a !== one.b);
}

interface Side {
  readonly text: string;
  readonly node: JsonNode;
}

function shortText({ text, node }: Side): string {
  const value = text.slice(node.start, node.end);
  return value.length <= maxValueLength ? value : `${value.slice(0, maxValueLength)}…`;
}

/** Values directly inside, by name or number; a name that stands again has its turn behind it. */
function partsOf({ text, node }: Side): ReadonlyMap<string, Side> {
  if (node.kind === 'array') return new Map(node.items.map((item, at) => [`[${at}]`, { text, node: item }]));
  if (node.kind !== 'object') return new Map();
  const parts = new Map<string, Side>();
  const turns = new Map<string, number>();
  for (const { name, value } of node.members) {
    const turn = (turns.get(name) ?? 0) + 1;
    turns.set(name, turn);
    parts.set(`.${JSON.stringify(name)}${turn === 1 ? '' : `#${turn}`}`, { text, node: value });
  }
  return parts;
}

/** A part of a path, without quotes where they say nothing. */
const shortPart = (part: string): string => part.replace(/^\."([A-Za-z_][\w-]*)"/, '.$1');

function isSameScalar(a: Side, b: Side): boolean {
  if (a.node.kind === 'string' && b.node.kind === 'string') return a.node.value === b.node.value;
  return a.text.slice(a.node.start, a.node.end) === b.text.slice(b.node.start, b.node.end);
}

const textOrNull = (side: Side | undefined): string | null => (side === undefined ? null : shortText(side));
const isContainer = ({ node }: Side): boolean => node.kind === 'object' || node.kind === 'array';

/** Puts what differs at a path and below it into `found`. */
function diffNodes(path: string, [a, b]: readonly [Side, Side], found: Difference[]): void {
  if (a.node.kind !== b.node.kind || !isContainer(a)) {
    if (!isSameScalar(a, b)) found.push({ name: path, a: shortText(a), b: shortText(b) });
    return;
  }
  const [left, right] = [partsOf(a), partsOf(b)];
  for (const part of new Set([...left.keys(), ...right.keys()])) {
    const [one, other] = [left.get(part), right.get(part)];
    const name = path + shortPart(part);
    if (one !== undefined && other !== undefined) diffNodes(name, [one, other], found);
    else found.push({ name, a: textOrNull(one), b: textOrNull(other) });
  }
}

function readJson(text: string): Side | undefined {
  try {
    return { text, node: scanJson(text, { field: '', duplicates: 'keep' }) };
  } catch (error) {
    if (isVakError(error, 'invalid-payload')) return undefined;
    throw error;
  }
}

function diffJson(a: string, b: string): PayloadDiff | undefined {
  const [left, right] = [readJson(a), readJson(b)];
  if (left === undefined || right === undefined) return undefined;
  const found: Difference[] = [];
  diffNodes('payload', [left, right], found);
  return { kind: 'json', differences: found.slice(0, maxListed), leftOut: Math.max(0, found.length - maxListed) };
}

const rowBytes = 16;

const hexOf = (bytes: Uint8Array): string => Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join(' ');

function diffHex(a: Uint8Array, b: Uint8Array): PayloadDiff {
  const differences: Difference[] = [];
  let leftOut = 0;
  for (let at = 0; at < Math.max(a.length, b.length); at += rowBytes) {
    const [left, right] = [a.subarray(at, at + rowBytes), b.subarray(at, at + rowBytes)];
    const [one, other] = [hexOf(left), hexOf(right)];
    if (one === other) continue;
    const name = at.toString(16).padStart(8, '0');
    if (differences.length < maxListed) differences.push({ name, a: one || null, b: other || null });
    else leftOut++;
  }
  return { kind: 'hex', differences, leftOut };
}

function isSame(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, at) => byte === b[at]);
}

/** Compares what there is of two payloads, at most `maxComparedBytes` of each. */
export function diffPayloads(a: Uint8Array, b: Uint8Array): PayloadDiff {
  if (isSame(a, b)) return { kind: 'same' };
  const [left, right] = [decodeText(a), decodeText(b)];
  if (!left.isExact || !right.isExact) return diffHex(a, b);
  const json = diffJson(left.text, right.text);
  if (json !== undefined) return json;
  const lines = [left.text.split('\n'), right.text.split('\n')] as const;
  if (Math.max(lines[0].length, lines[1].length) > maxLines) return diffHex(a, b);
  const found = lineDiff(lines[0], lines[1]);
  return { kind: 'lines', lines: found.slice(0, maxListed), leftOut: Math.max(0, found.length - maxListed) };
}
