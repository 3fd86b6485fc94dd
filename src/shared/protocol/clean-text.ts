/**
 * What CloudEvents allows in a string (§3.1): no control characters, lone surrogates or noncharacters.
 * Law: said once, for every attribute of an envelope.
 */

const unclean = /[\p{Cc}\p{Surrogate}\p{Noncharacter_Code_Point}]/u;

/** Whether a text may stand in an attribute. */
export function isCleanText(text: string): boolean {
  return !unclean.test(text);
}
