/**
 * Text that is safe to put on a line of a screen (quality.md §4).
 * Law: control, format and bidi characters and halves of characters are shown as signs, never obeyed, so that nothing can hide or reorder text.
 */

const hidden = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/u;
const hiddenRuns = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]+/gu;

/** `␛`, `‹U+202E›`: the sign of one hidden character. */
export function signOf(character: string): string {
  const code = character.codePointAt(0) as number;
  if (character === '\n') return '↵';
  if (character === '\t') return '⇥';
  if (code < 0x20) return String.fromCodePoint(0x2400 + code);
  if (code === 0x7f) return '␡';
  return `‹U+${code.toString(16).toUpperCase().padStart(4, '0')}›`;
}

/** One line: every hidden character as its sign. */
export function visibleText(text: string): string {
  return hidden.test(text) ? text.replace(hiddenRuns, (run) => [...run].map(signOf).join('')) : text;
}
