/** Texts that fit a receipt and a dead letter (protocol.md W4). Law: one is cut between characters, and says so. */
const maxReasonBytes = 1024;
const maxStackBytes = 8 * 1024;

/** The text, or as much of it as fits 1 KiB, with `…` at its end. */
export function boundedReason(text: string): string {
  return bounded(text, maxReasonBytes);
}

/** As {@link boundedReason}, of a stack trace: 8 KiB. */
export function boundedStack(text: string): string {
  return bounded(text, maxStackBytes);
}

/** As much of a text as fits so many bytes. */
export function bounded(text: string, maxBytes: number): string {
  const bytes = Buffer.from(text, 'utf8');
  if (bytes.length <= maxBytes) return text;
  let end = maxBytes - 3;
  // The first byte that is dropped must begin a character.
  while (((bytes[end] ?? 0) & 0xc0) === 0x80) end--;
  return `${bytes.toString('utf8', 0, end)}…`;
}
