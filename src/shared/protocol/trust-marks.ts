/**
 * What a row of the live table says about a message's trust, packed into one integer for frames.
 * Law: both ends use these lists; a position in a list never changes its meaning.
 */

/** `opens`: sealed and opened here; `sealed`: not tried; `fails`: sealed, does not open; `exempt`: never sealed by its type (E8). */
export const sealMarks = ['none', 'plain', 'exempt', 'sealed', 'opens', 'fails'] as const;
/** `none`: no envelope; `unchecked`: signed, not verified yet. */
export const signatureMarks = ['none', 'unsigned', 'unchecked', 'valid', 'invalid'] as const;
/** The verdicts of E11; `first`: the first envelope of its source that was seen here; `unplaced`: read from a stream, which holds a part of its chain only. */
export const chainMarks = [
  'none',
  'first',
  'ok',
  'gap',
  'void',
  'fork',
  'reordered',
  'forged-payload',
  'forged-link',
  'foreign-source',
  'unplaced',
] as const;

export type SealMark = (typeof sealMarks)[number];
export type SignatureMark = (typeof signatureMarks)[number];
export type ChainMark = (typeof chainMarks)[number];

export interface TrustMarks {
  readonly seal: SealMark;
  readonly signature: SignatureMark;
  readonly chain: ChainMark;
  /** It broke the policy and is never handled. */
  readonly isRefused: boolean;
}

/** Packs marks into 13 bits. */
export function packMarks({ seal, signature, chain, isRefused }: TrustMarks): number {
  return (
    sealMarks.indexOf(seal) |
    (signatureMarks.indexOf(signature) << 4) |
    (chainMarks.indexOf(chain) << 8) |
    (isRefused ? 1 << 12 : 0)
  );
}

/** Unpacks marks; what no list knows is `none`. */
export function unpackMarks(packed: number): TrustMarks {
  return {
    seal: sealMarks[packed & 15] ?? 'none',
    signature: signatureMarks[(packed >> 4) & 15] ?? 'none',
    chain: chainMarks[(packed >> 8) & 15] ?? 'none',
    isRefused: ((packed >> 12) & 1) === 1,
  };
}
