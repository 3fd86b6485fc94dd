/**
 * What two people compare so that nobody stands between them: the text of the QR code, and the comparison by machine (protocol.md I2).
 * Law: pure; what was read is hostile, and "same" is said only of the very keys that are known here.
 */
import { isToken } from './subject.ts';

/** A peer with its signing key, `U…`. */
export interface SafetyPeer {
  readonly peer: string;
  readonly sign: string;
}

/** Two peers of a workspace. */
export interface SafetyPair {
  readonly ws: string;
  /** In any order. */
  readonly peers: readonly [SafetyPeer, SafetyPeer];
}

/** Longest text that is looked at; the longest that is written has 327 characters. */
const maxTextLength = 1024;
const prefix = 'vak-safety:v1';
const userKey = /^U[A-Z2-7]{55}$/;

const shortKey = (key: string): string => `${key.slice(0, 8)}…${key.slice(-4)}`;

const byName = (a: SafetyPeer, b: SafetyPeer): number =>
  a.peer < b.peer || (a.peer === b.peer && a.sign < b.sign) ? -1 : 1;

/** The text of the QR code: both keys, the same on both sides. */
export function safetyText({ ws, peers }: SafetyPair): string {
  const named = [...peers].sort(byName).map(({ peer, sign }) => `${peer}:${sign}`);
  return [prefix, ws, ...named].join(':');
}

/** Sixty digits as people read them: twelve groups of five. */
export function safetyGroups(number: string): readonly string[] {
  return number.match(/.{1,5}/g) ?? [];
}

/** What a comparison says; `why` is a sentence. */
export type SafetyComparison =
  | { readonly kind: 'same' }
  | { readonly kind: 'different' | 'unreadable'; readonly why: string };

interface Known {
  readonly pair: SafetyPair;
  /** Sixty digits. */
  readonly number: string;
}

function parseText(text: string): SafetyPair | undefined {
  const [a, b, ws = '', peerA = '', signA = '', peerB = '', signB = '', ...rest] = text.split(':');
  const isSound =
    `${a}:${b}` === prefix &&
    rest.length === 0 &&
    [ws, peerA, peerB].every(isToken) &&
    [signA, signB].every((key) => userKey.test(key));
  if (!isSound) return undefined;
  return {
    ws,
    peers: [
      { peer: peerA, sign: signA },
      { peer: peerB, sign: signB },
    ],
  };
}

function comparePairs(found: SafetyPair, own: SafetyPair): SafetyComparison {
  const names = ({ peers }: SafetyPair): string =>
    peers
      .map(({ peer }) => peer)
      .sort()
      .join(' and ');
  if (found.ws !== own.ws) {
    return { kind: 'different', why: `This is of workspace ${found.ws}, not of ${own.ws}.` };
  }
  if (names(found) !== names(own)) {
    return { kind: 'different', why: `This is of ${names(found)}, not of ${names(own)}.` };
  }
  if (safetyText(found) === safetyText(own)) return { kind: 'same' };
  const wrong = own.peers.find(({ peer, sign }) => !found.peers.some((one) => one.peer === peer && one.sign === sign));
  const there = found.peers.find(({ peer }) => peer === wrong?.peer);
  const keys = wrong && there ? `: there ${shortKey(there.sign)}, here ${shortKey(wrong.sign)}` : '';
  return { kind: 'different', why: `The signing key of ${wrong?.peer ?? 'one of them'} is another one there${keys}.` };
}

function compareDigits(found: string, own: string): SafetyComparison {
  if (found.length !== own.length) {
    return { kind: 'unreadable', why: `A safety number has ${own.length} digits; this has ${found.length}.` };
  }
  const group = safetyGroups(own).findIndex((digits, index) => digits !== safetyGroups(found)[index]);
  if (group < 0) return { kind: 'same' };
  return { kind: 'different', why: `The ${group + 1}. group of five digits differs.` };
}

/** Compares what was scanned or pasted, digits or the text of the QR code, with what is known here. */
export function compareSafety(read: string, { pair, number }: Known): SafetyComparison {
  const text = read.trim();
  if (text.length > maxTextLength) {
    return { kind: 'unreadable', why: `This has ${text.length} characters, and no safety number is so long.` };
  }
  if (/^[\d\s]+$/.test(text)) return compareDigits(text.replaceAll(/\s/g, ''), number);
  const found = parseText(text);
  if (found !== undefined) return comparePairs(found, pair);
  return { kind: 'unreadable', why: 'This is neither a safety number nor the text of its QR code.' };
}
