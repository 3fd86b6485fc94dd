/** How much of a message passes from engine to window at once. Law: whatever is larger passes in slices. */

/** Bytes that come with a message, or with its opened payload. */
export const headBytes = 65_536;
/** Most bytes of one slice. */
export const maxSliceBytes = 1_048_576;
