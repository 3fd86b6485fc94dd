/**
 * Which of a peer's three chains carries a subject (protocol.md E12).
 * Law: every row of the subject table belongs to one kind.
 */
import type { SubjectParts } from './subject.ts';

/** `e` ephemeral, `q` work and inbox, `d` the rest. */
export type ChainKind = 'e' | 'q' | 'd';

/** The kind of session that publishes on a subject. */
export function chainKindOf({ plane, verb }: Pick<SubjectParts, 'plane' | 'verb'>): ChainKind {
  if (plane === 'work' || plane === 'agent') return 'q';
  return plane === 'events' || plane === 'control' || verb === 'presence' ? 'e' : 'd';
}
