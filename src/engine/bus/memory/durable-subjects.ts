/**
 * Which live subjects some stream takes (protocol.md §1, B3).
 * Law: asking costs a look into a map for subjects that were asked for before; it may not slow what no stream takes.
 */
import type { StreamSpec } from '../../../shared/protocol/stream-table.ts';
import { isPattern } from '../../../shared/protocol/subject.ts';
import { createSubjectRouter } from './subject-router.ts';

export interface DurableSubjects {
  /** The stream takes these subjects from now on, and no others. */
  set(spec: Pick<StreamSpec, 'name' | 'subjects'>): void;
  remove(stream: string): void;
  /** Whether a stream takes a subject of the table. */
  has(subject: string): boolean;
}

/** Creates an empty set. */
export function createDurableSubjects(): DurableSubjects {
  // What is asked for was published: the bus has checked it.
  const router = createSubjectRouter<string>(() => {});
  const removals = new Map<string, readonly (() => void)[]>();

  function remove(stream: string): void {
    for (const removeOne of removals.get(stream) ?? []) removeOne();
    removals.delete(stream);
  }

  return {
    set({ name, subjects }) {
      remove(name);
      // A server's own subjects (advisories) are no subjects of the table: nobody publishes on them.
      const patterns = subjects.filter(isPattern);
      removals.set(
        name,
        patterns.map((pattern) => router.add(pattern, name)),
      );
    },
    remove,
    has: (subject) => router.route(subject).length > 0,
  };
}
