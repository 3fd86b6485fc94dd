/**
 * Where cards and grants of a workspace are kept on this machine; the buckets of the workspace carry them to others.
 * Law: it stores and finds, and judges nothing; who reads a record verifies it.
 */
import type { Disposable } from '../../shared/base/disposer.ts';
import type { Card, Grant } from '../../shared/protocol/identity-records.ts';

/** A record with the time at which it was stored, ms since the epoch. */
export interface Stored<T> {
  readonly record: T;
  readonly storedMs: number;
}

/** Grants as they are found for judging. */
export interface GrantLookup {
  /** Every grant that the peer ever had, oldest first: superseded ones are kept to judge what was stored under them (I4). */
  grants(peer: string): readonly Stored<Grant>[];
  /** Peers that have a grant. */
  grantedPeers(): readonly string[];
}

export interface Directory extends GrantLookup {
  /** The peer's present card. */
  card(peer: string): Stored<Card> | undefined;
  cards(): readonly Stored<Card>[];
  /** Grants as of the last time that anybody read, put, or was told of something: they do not change while a judgement is made. */
  readonly seen: GrantLookup;
  putCard(card: Card): Promise<void>;
  putGrant(grant: Grant): Promise<void>;
  /** Takes cards as the present ones of their peers, all at once. */
  takeCards(cards: readonly Stored<Card>[]): Promise<void>;
  /**
   * Takes grants with the times at which they were stored, oldest first, each to its place among those of its peer that are here
   * (`mergeGrants`); `counts` says which of those here do.
   */
  takeGrants(grants: readonly Stored<Grant>[], counts: (grant: Grant) => boolean): Promise<void>;
  /** Looks whether others have put something, unless it did a moment ago, as reading does. Listeners are told. */
  look(): void;
  /** Looks at once, at a bounded rate, whether others have put something; whether they have. Listeners are told of it, too. */
  refresh(): boolean;
  onChange(listener: () => void): Disposable;
}
