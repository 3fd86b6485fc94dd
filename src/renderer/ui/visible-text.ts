/**
 * Text from the bus for the eye (quality.md §4): control, format and bidi characters are shown as signs, never obeyed.
 * Law: only the picture changes; what is copied comes from the bytes.
 */
import { signOf } from '../../shared/base/visible-text.ts';

/** A run of text; `isSign` runs stand for characters that would not be seen or would change the order of others. */
export interface TextRun {
  readonly text: string;
  readonly isSign: boolean;
}

const hidden = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]+/gu;

/** Marks that one character may carry; the terminal would keep every one of a million in one cell. */
const excessMarks = /(\p{M}{16})\p{M}+/gu;
const bidi = /[\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/gu;

/** Terminal output: bidi controls as their signs, at most 16 marks on a character; everything else is the terminal's to judge. */
export function terminalSafe(text: string): string {
  return text.replace(excessMarks, '$1').replace(bidi, signOf);
}

/** Many lines: signs apart from text; line feeds and tabs keep their effect behind their sign. */
export function visibleRuns(text: string): readonly TextRun[] {
  const runs: TextRun[] = [];
  let at = 0;
  const plain = (end: number): void => {
    if (end > at) runs.push({ text: text.slice(at, end), isSign: false });
  };
  for (const match of text.matchAll(hidden)) {
    plain(match.index);
    for (const part of match[0].split(/([\n\t])/)) {
      if (part === '') continue;
      runs.push({ text: [...part].map(signOf).join(''), isSign: true });
      if (part === '\n' || part === '\t') runs.push({ text: part, isSign: false });
    }
    at = match.index + match[0].length;
  }
  plain(text.length);
  return runs;
}

/** Text of bytes; `isExact` when encoding it again gives the same bytes. */
export function decodeText(bytes: Uint8Array): { readonly text: string; readonly isExact: boolean } {
  try {
    return { text: new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes), isExact: true };
  } catch {
    return { text: new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes), isExact: false };
  }
}

/** Parts of about `length` UTF-16 units that never split a character and end with a line where one ends in their second half. */
export function splitText(text: string, length: number): readonly string[] {
  const parts: string[] = [];
  for (let at = 0; at < text.length; ) {
    let end = Math.min(text.length, at + length);
    const lineEnd = text.lastIndexOf('\n', end - 1) + 1;
    if (end < text.length && lineEnd > at + length / 2) end = lineEnd;
    const isSplitPair = end < text.length && (text.charCodeAt(end - 1) & 0xfc00) === 0xd800;
    if (isSplitPair) end++;
    parts.push(text.slice(at, end));
    at = end;
  }
  return parts;
}
