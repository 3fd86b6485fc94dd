/** What the marks of a row mean, in words and tones. Law: a mark that is not in the protocol's lists does not compile here. */
import { type ChainMark, type SealMark, type SignatureMark, unpackMarks } from '../../shared/protocol/trust-marks.ts';

/** Colour of a mark; `quiet` says nothing for or against the message. */
export type TrustTone = 'sealed' | 'ok' | 'wait' | 'bad' | 'quiet';

export interface TrustWord {
  /** For the title and for screen readers. */
  readonly text: string;
  readonly tone: TrustTone;
}

export const sealWords: Readonly<Record<SealMark, TrustWord>> = {
  none: { text: 'no envelope', tone: 'quiet' },
  plain: { text: 'not sealed: sent plain', tone: 'wait' },
  exempt: { text: 'not sealed: its type never is', tone: 'quiet' },
  sealed: { text: 'sealed, not opened yet', tone: 'quiet' },
  opens: { text: 'sealed, opens', tone: 'sealed' },
  fails: { text: 'sealed, does not open', tone: 'bad' },
};

export const signatureWords: Readonly<Record<SignatureMark, TrustWord>> = {
  none: { text: 'no envelope, no signature', tone: 'quiet' },
  unsigned: { text: 'not signed', tone: 'wait' },
  unchecked: { text: 'signed, not checked yet', tone: 'wait' },
  valid: { text: 'signature valid', tone: 'ok' },
  invalid: { text: 'signature does not count', tone: 'bad' },
};

export const chainWords: Readonly<Record<ChainMark, TrustWord>> = {
  none: { text: 'no envelope, no chain', tone: 'quiet' },
  first: { text: 'chain: first one seen', tone: 'quiet' },
  ok: { text: 'chain: ok', tone: 'ok' },
  gap: { text: 'chain: gap', tone: 'wait' },
  void: { text: 'chain: what is missing was refused and said so', tone: 'quiet' },
  fork: { text: 'chain: fork', tone: 'bad' },
  reordered: { text: 'chain: reordered', tone: 'bad' },
  'forged-payload': { text: 'chain: forged payload', tone: 'bad' },
  'forged-link': { text: 'chain: forged link', tone: 'bad' },
  'foreign-source': { text: 'chain: foreign source', tone: 'wait' },
  unplaced: { text: 'chain: not judged, a stream holds a part of it', tone: 'quiet' },
};

/** Whether a row broke the policy and is never handled. */
export function isRefusedRow(marks: number): boolean {
  return unpackMarks(marks).isRefused;
}
