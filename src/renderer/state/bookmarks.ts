/** Messages that somebody wants to find again, with a note: kept over a restart in the window's state. Pure. */

/** Where a message lies, and by what it is known again there: places of what was heard live begin anew with each start. */
export interface MessageRef {
  readonly seq: number;
  /** The stream in which it lies; null: it was heard live. */
  readonly stream: string | null;
  readonly atMs: number;
  readonly subject: string;
  readonly type: string;
  /** Of its envelope; null: it has none. */
  readonly envelopeId: string | null;
}

export interface Bookmark extends MessageRef {
  readonly note: string;
}

export const maxBookmarks = 200;
export const maxNoteLength = 500;

/** What tells one message from every other. */
export const refKey = ({ envelopeId, subject, stream, seq, atMs }: MessageRef): string =>
  envelopeId ?? `${subject} ${stream ?? ''} ${seq} ${atMs}`;

const isText = (value: unknown, max: number): value is string => typeof value === 'string' && value.length <= max;
const isTextOrNull = (value: unknown): boolean => value === null || isText(value, 256);

function isBookmark(value: unknown): value is Bookmark {
  if (typeof value !== 'object' || value === null) return false;
  const { seq, stream, atMs, subject, type, envelopeId, note } = value as Record<string, unknown>;
  const isPlaced = Number.isSafeInteger(seq) && Number.isSafeInteger(atMs) && isTextOrNull(stream);
  return (
    isPlaced && isText(subject, 512) && isText(type, 256) && isTextOrNull(envelopeId) && isText(note, maxNoteLength)
  );
}

/** What is sound of a stored list. */
export function bookmarksOf(value: unknown): readonly Bookmark[] {
  return Array.isArray(value) ? value.filter(isBookmark).slice(0, maxBookmarks) : [];
}

/** The list with a bookmark, first; the one of the same message that it had gives way. Beyond the bound the oldest goes. */
export function withBookmark(bookmarks: readonly Bookmark[], bookmark: Bookmark): readonly Bookmark[] {
  return [bookmark, ...withoutBookmark(bookmarks, bookmark)].slice(0, maxBookmarks);
}

export function withoutBookmark(bookmarks: readonly Bookmark[], ref: MessageRef): readonly Bookmark[] {
  return bookmarks.filter((one) => refKey(one) !== refKey(ref));
}
