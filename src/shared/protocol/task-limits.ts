/**
 * How large a task may be (protocol.md §3).
 * Law: numbers alone, so that a form can say them before anything is sent.
 */

/** Most bytes of a task on the wire (protocol.md §3: a dead letter must fit 1 MiB). */
export const maxTaskBytes = 512 * 1024;
/** Longest argument of a command, in UTF-16 units. */
export const maxArgumentLength = 128 * 1024;
