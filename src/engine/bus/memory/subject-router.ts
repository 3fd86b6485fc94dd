/**
 * Finds the sinks of a subject: the trie behind a bounded cache of exact subjects (quality.md "Routing").
 * Law: a change of subscriptions is seen by the next publish, and many distinct subjects cost no more memory than the bound.
 */
import { createSubjectTrie } from '../../../shared/protocol/subject-trie.ts';

/** Subjects per generation of the cache; two generations are kept. */
const generationSize = 2048;

export interface SubjectRouter<Sink> {
  /** Adds a sink under a checked pattern; returns how to remove it. */
  add(pattern: string, sink: Sink): () => void;
  /** Sinks of a subject, oldest subscription first; a fixed array that later changes do not touch. */
  route(subject: string): readonly Sink[];
  /** As `route`, for a subject that is not to be checked; it is not remembered. */
  find(subject: string): readonly Sink[];
}

/** Creates a router. `check` runs once for each subject that is not in the cache, and throws if it may not be published. */
export function createSubjectRouter<Sink>(check: (subject: string) => void): SubjectRouter<Sink> {
  const trie = createSubjectTrie<Sink>();
  let young = new Map<string, readonly Sink[]>();
  let old = new Map<string, readonly Sink[]>();

  function forget(): void {
    young = new Map();
    old = new Map();
  }

  function remember(subject: string, sinks: readonly Sink[]): readonly Sink[] {
    if (young.size >= generationSize) {
      old = young;
      young = new Map();
    }
    young.set(subject, sinks);
    return sinks;
  }

  function resolve(subject: string): readonly Sink[] {
    const known = old.get(subject);
    if (known !== undefined) return remember(subject, known);
    check(subject);
    return remember(subject, trie.match(subject));
  }

  return {
    add(pattern, sink) {
      const remove = trie.add(pattern, sink);
      forget();
      return () => {
        remove();
        forget();
      };
    },
    route: (subject) => young.get(subject) ?? resolve(subject),
    find: (subject) => trie.match(subject),
  };
}
