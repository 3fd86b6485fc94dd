/**
 * Messages whose verdict may become another one: a grant or a secret that it needs is not known here yet (protocol.md E7, I4).
 * Law: bounded, the oldest are decided as they stand; each is given out again only after what it lacked has changed.
 */
import type { Want } from './trust-knowledge.ts';

/** Most messages that wait. */
const maxUndecided = 1024;

/** A message that waits, and whoever is to be told of it when it is decided. */
export interface UndecidedMessage<Handler> {
  /** Place in the engine's buffer. */
  readonly seq: number;
  readonly want: Want;
  readonly owed: readonly Handler[];
}

export interface Undecided<Handler> {
  readonly size: number;
  /** Whether one of them lacks a secret. */
  readonly lacksSecret: boolean;
  has(seq: number): boolean;
  /** Takes a message in, or says anew what it lacks. */
  add(seq: number, want: Want): void;
  /** Remembers who is to be told of one that waits. */
  owe(seq: number, owed: readonly Handler[]): void;
  /** It is decided. */
  remove(seq: number): void;
  /** Takes out those of whose want something else is known now, in the order of their arrival. */
  takeChanged(): readonly UndecidedMessage<Handler>[];
}

interface Entry<Handler> {
  readonly want: Want;
  readonly basis: string;
  owed: readonly Handler[];
}

/** Creates it empty. `basisOf` names what is known of a want. */
export function createUndecided<Handler>(basisOf: (want: Want) => string): Undecided<Handler> {
  const entries = new Map<number, Entry<Handler>>();
  let secretCount = 0;

  function remove(seq: number): void {
    const entry = entries.get(seq);
    if (entry === undefined) return;
    entries.delete(seq);
    if (entry.want.kind === 'secret') secretCount--;
  }

  return {
    get size() {
      return entries.size;
    },
    get lacksSecret() {
      return secretCount > 0;
    },
    has: (seq) => entries.has(seq),
    add(seq, want) {
      const owed = entries.get(seq)?.owed ?? [];
      remove(seq);
      entries.set(seq, { want, basis: basisOf(want), owed });
      if (want.kind === 'secret') secretCount++;
      for (const oldest of entries.keys()) {
        if (entries.size <= maxUndecided) return;
        remove(oldest);
      }
    },
    owe(seq, owed) {
      const entry = entries.get(seq);
      if (entry !== undefined) entry.owed = owed;
    },
    remove,
    takeChanged() {
      const changed = [...entries].filter(([, { want, basis }]) => basisOf(want) !== basis);
      for (const [seq] of changed) remove(seq);
      return changed.map(([seq, { want, owed }]) => ({ seq, want, owed })).sort((left, right) => left.seq - right.seq);
    },
  };
}
