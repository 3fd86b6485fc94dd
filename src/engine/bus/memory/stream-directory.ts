/**
 * Which streams there are, and which one takes a subject (protocol.md §1).
 * Law: no two streams take one subject.
 */
import { VakError } from '../../../shared/base/vak-error.ts';
import type { StreamSpec } from '../../../shared/protocol/stream-table.ts';
import { checkSubject, overlaps } from '../../../shared/protocol/subject.ts';
import type { EmbeddedStream } from './embedded-stream.ts';
import { createSubjectRouter } from './subject-router.ts';

export interface StreamDirectory {
  get(name: string): EmbeddedStream | undefined;
  all(): readonly EmbeddedStream[];
  /** Who takes a subject of the table. Throws `invalid-subject` (S4). */
  ofSubject(subject: string): EmbeddedStream | undefined;
  /** Who takes a subject that is the engine's own. */
  ofOwnSubject(subject: string): EmbeddedStream | undefined;
  /** Throws `conflict` if another stream takes a subject of it. */
  checkSubjects(spec: StreamSpec): void;
  /** Adds a stream; one that is there is found under its present subjects from now on. */
  put(stream: EmbeddedStream): void;
  remove(name: string): EmbeddedStream | undefined;
}

/** Creates an empty directory. */
export function createStreamDirectory(): StreamDirectory {
  const byName = new Map<string, { readonly stream: EmbeddedStream; readonly routes: readonly (() => void)[] }>();
  const bySubject = createSubjectRouter<EmbeddedStream>(checkSubject);

  function remove(name: string): EmbeddedStream | undefined {
    const known = byName.get(name);
    for (const unroute of known?.routes ?? []) unroute();
    byName.delete(name);
    return known?.stream;
  }

  return {
    get: (name) => byName.get(name)?.stream,
    all: () => Array.from(byName.values(), ({ stream }) => stream),
    ofSubject: (subject) => bySubject.route(subject)[0],
    ofOwnSubject: (subject) => bySubject.find(subject)[0],
    checkSubjects({ name, subjects }) {
      for (const { stream } of byName.values()) {
        const other = stream.log.spec;
        if (other.name === name) continue;
        if (!other.subjects.some((theirs) => subjects.some((ours) => overlaps(ours, theirs)))) continue;
        const message = `stream ${name}: stream ${other.name} takes some of its subjects already; change one of them`;
        throw new VakError('conflict', message, { details: { stream: name, other: other.name } });
      }
    },
    put(stream) {
      const { name, subjects } = stream.log.spec;
      remove(name);
      byName.set(name, { stream, routes: subjects.map((subject) => bySubject.add(subject, stream)) });
    },
    remove,
  };
}
