/**
 * Where a peer's chain heads are kept from start to start (protocol.md E12).
 * Law: one head a peer and kind; what is kept may be older than the truth, never newer.
 */
import type { ChainKind } from '../../shared/protocol/chain-kind.ts';
import type { ChainHead } from '../../shared/protocol/chain-verdict.ts';

export interface HeadStore {
  /** The head that was kept last; undefined if there is none. Never throws. */
  previous(peer: string, kind: ChainKind): ChainHead | undefined;
  /** Keeps a head; may be late, and drops what a newer one replaces meanwhile. Never throws. */
  keep(peer: string, kind: ChainKind, head: ChainHead): void;
}
