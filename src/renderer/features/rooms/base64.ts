/** Bytes of files to and from base64, as the bridge takes them. Pure. */

/** Few enough for the arguments of one call. */
const step = 0x8000;

/** Standard base64 with padding. */
export function toBase64(bytes: Uint8Array): string {
  let text = '';
  for (let at = 0; at < bytes.length; at += step) text += String.fromCharCode(...bytes.subarray(at, at + step));
  return btoa(text);
}

/** The engine's answers are base64; anything else throws, as a defect. */
export function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
}
