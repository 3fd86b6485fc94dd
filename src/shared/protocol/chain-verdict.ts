/**
 * What a link of a chain can be (protocol.md E11).
 * Law: the set is closed; every reader of a chain gives one of these verdicts for each envelope.
 */

/** `from`, `to`: the missing seqs, both included. `void`: every missing seq up to `seq` was refused for good and said so (E12). */
export type LinkVerdict =
  | { readonly kind: 'ok' }
  | { readonly kind: 'gap'; readonly from: number; readonly to: number }
  | { readonly kind: 'void'; readonly seq: number }
  | { readonly kind: 'fork' }
  | { readonly kind: 'reordered' }
  | { readonly kind: 'forged-payload' }
  | { readonly kind: 'forged-link' }
  | { readonly kind: 'foreign-source' };

/** Place of an envelope in its chain. */
export interface ChainHead {
  readonly source: string;
  readonly seq: number;
  /** 64 lower hex digits. */
  readonly leaf: string;
}
