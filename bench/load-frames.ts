/** What the bench and its load say to each other. */

/** What the peers sign and seal with: keys that were made for this run, and go with it. */
export interface LoadSecrets {
  readonly workspace: string;
  /** Bytes as base64. */
  readonly secret: { readonly id: string; readonly bytes: string };
  /** `seed`: the nkey seed's text, as base64. */
  readonly peers: readonly { readonly peer: string; readonly seed: string }[];
}

export type LoadOrder =
  /** Writes what every peer says in so many seconds. */
  | { readonly kind: 'prepare'; readonly url: string; readonly secrets: LoadSecrets; readonly seconds: number }
  /** Lets the first so many peers speak, from their beginning. */
  | { readonly kind: 'play'; readonly peers: number }
  | { readonly kind: 'stop' };

/** What was sent, how long that took, and how late the latest of it was. */
export interface LoadReport {
  readonly sentCount: number;
  readonly elapsedMs: number;
  readonly latestMs: number;
}

export type LoadAnswer =
  | {
      readonly kind: 'prepared';
      readonly envelopes: number;
      readonly bytes: number;
      readonly tookMs: number;
      /** By peer. */
      readonly sessions: readonly string[];
    }
  | { readonly kind: 'playing' }
  | ({ readonly kind: 'stopped' } & LoadReport)
  | { readonly kind: 'failed'; readonly why: string };
