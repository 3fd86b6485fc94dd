/** Texts that outlive what they were read from. Law: a text that is kept holds no more than itself: engines keep a slice by its whole. */

/** A copy that shares nothing with the text that it was cut from. */
export function ownText(text: string): string {
  return Buffer.from(text, 'utf16le').toString('utf16le');
}
