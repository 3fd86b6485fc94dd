/**
 * Finds messages by the beginnings of their words (product.md "Rooms").
 * Law: only what lies opened in memory is looked at; nothing of it is written anywhere.
 */

/** A text as it is compared: compatibility forms and case folded. */
const folded = (text: string): string => text.normalize('NFKC').toLowerCase();
const words = /[\p{L}\p{N}\p{M}_]+/gu;

/** Says whether a text has, for each word of a question, a word that begins with it. A question without words finds nothing. */
export function createWordMatcher(question: string): (text: string) => boolean {
  const asked = folded(question).match(words) ?? [];
  if (asked.length === 0) return () => false;
  return (text) => {
    const all = folded(text);
    // Most texts hold not even the letters: that is asked first, as it is cheap.
    if (!asked.every((word) => all.includes(word))) return false;
    const there = all.match(words) ?? [];
    return asked.every((word) => there.some((one) => one.startsWith(word)));
  };
}
