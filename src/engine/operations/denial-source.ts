/**
 * What peers were refused by the access policy, as the Operations Center reads it (protocol.md A4).
 * Law: it is told by whoever enforces the policy; nothing here decides.
 */
import type { Disposable } from '../../shared/base/disposer.ts';

/** Equal refusals, put together. Times in ms since the epoch. */
export interface Denial {
  readonly peer: string;
  readonly action: string;
  readonly subject: string;
  readonly rule: string;
  readonly count: number;
  readonly firstMs: number;
  readonly lastMs: number;
}

export interface DenialSource {
  /** The newest of them, in bounded number. */
  list(): readonly Denial[];
  onChange(listener: () => void): Disposable;
}
