/**
 * What is never sealed by its type (protocol.md E8): what has a cipher of its own, and what strangers to the secrets must read.
 * Law: the set is closed. Ask it with the type of the bus subject: an envelope's own `type` is its sender's word.
 */

const planes = ['vak.rooms.', 'vak.keys.', 'vak.control.'] as const;
const types: ReadonlySet<string> = new Set(['vak.audit.checkpoint', 'vak.audit.void']);

/** Whether envelopes of a type are exempt from sealing: room frames and logs, key packages, checkpoints, voids, control. */
export function isNeverSealed(type: string): boolean {
  return types.has(type) || planes.some((plane) => type.startsWith(plane));
}
