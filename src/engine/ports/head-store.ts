/**
 * Where a peer's chain heads are kept from start to start (protocol.md E12).
 * Law: one head a peer and kind; what is kept may be older than the truth, never newer.
 */
import type { ChainHead } from '../../shared/protocol/chain-verdict.ts';

/** `e` ephemeral, `q` work and inbox, `d` the rest. */
export type ChainKind = 'e' | 'q' | 'd';

export interface HeadStore {
  /** The head that was kept last; undefined if there is none. Never throws. */
  previous(peer: string, kind: ChainKind): ChainHead | undefined;
  /** Keeps a head; may be late, and drops what a newer one replaces meanwhile. Never throws. */
  keep(peer: string, kind: ChainKind, head: ChainHead): void;
}
