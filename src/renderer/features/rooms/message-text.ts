/**
 * Text of a message for the eye: hidden characters are shown as signs, but for line ends, tabs, and what joins an emoji. Pure.
 * Law: nothing in a message can hide or reorder what stands beside it.
 */
import { signOf } from '../../../shared/base/visible-text.ts';

const hidden = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;
const pictograph = /\p{Extended_Pictographic}/u;
const zeroWidthJoiner = '\u200d';
/** More of them on one letter reach into other lines. */
const excessMarks = /(\p{M}{4})\p{M}+/gu;

function joinsEmoji(text: string, at: number): boolean {
  const before = [...text.slice(Math.max(0, at - 4), at).replace(/\ufe0f|[\u{1f3fb}-\u{1f3ff}]/gu, '')].at(-1) ?? '';
  const after = String.fromCodePoint(text.codePointAt(at + 1) ?? 0x20);
  return pictograph.test(before) && (pictograph.test(after) || /[♀♂⚕]/u.test(after));
}

/** Lines and tabs keep their effect; of stacked marks four stay. */
export function messageText(text: string): string {
  return text.replace(excessMarks, '$1').replace(hidden, (character, at: number, whole: string) => {
    if (character === '\n' || character === '\t') return character;
    return character === zeroWidthJoiner && joinsEmoji(whole, at) ? character : signOf(character);
  });
}

/** Characters, and lines, of a message that are shown before the rest is asked for. */
const firstLength = 4_000;
const firstLines = 48;

/** The beginning of a long message, up to the end of a line where one is near; undefined: it is not long. */
export function beginningOf(text: string): string | undefined {
  let end = 0;
  for (let lines = 0; lines < firstLines && end >= 0; lines++) end = text.indexOf('\n', end + 1);
  const byLines = end < 0 ? text.length : end;
  if (text.length <= firstLength && byLines === text.length) return undefined;
  const most = Math.min(firstLength, byLines);
  const lineEnd = text.lastIndexOf('\n', most);
  const cut = lineEnd > most / 2 ? lineEnd : most;
  // Never between the halves of a character.
  return text.slice(0, (text.charCodeAt(cut - 1) & 0xfc00) === 0xd800 ? cut - 1 : cut);
}
