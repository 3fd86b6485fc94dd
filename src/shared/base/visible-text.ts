/**
 * Text that is safe to put on a line of a screen.
 * Law: control and bidi characters are replaced by visible symbols, one for one, so that nothing can hide or reorder text.
 */

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters to make visible.
const unsafe = /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/g;

function toVisible(character: string): string {
  const code = character.charCodeAt(0);
  if (code === 0x0a || code === 0x0d) return '⏎';
  if (code === 0x09) return '→';
  if (code < 0x20) return String.fromCharCode(0x2400 + code);
  if (code === 0x7f) return '␡';
  return '�';
}

/** Replaces every control, bidi and invisible character (Unicode Cc, the bidi controls, zero-width ones). */
export function visibleText(text: string): string {
  return text.replace(unsafe, toVisible);
}
