/** A reason that fits a receipt and a dead letter (protocol.md W4: at most 1 KiB). Law: it is cut between characters, and says so. */
const maxBytes = 1024;

/** The text, or as much of it as fits, with `…` at its end. */
export function boundedReason(text: string): string {
  const bytes = Buffer.from(text, 'utf8');
  if (bytes.length <= maxBytes) return text;
  let end = maxBytes - 3;
  // The first byte that is dropped must begin a character.
  while (((bytes[end] ?? 0) & 0xc0) === 0x80) end--;
  return `${bytes.toString('utf8', 0, end)}…`;
}
