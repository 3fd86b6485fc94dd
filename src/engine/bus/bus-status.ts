/**
 * What a bus says of its connection (protocol.md B8): one union, one change each way for one outage.
 * Law: `stale` means that answers are late, `reconnecting` that the connection is lost and sought again; only `closed` is final.
 */
import type { Disposable } from '../../shared/base/disposer.ts';
import type { ErrorShape } from '../../shared/base/vak-error.ts';

export type BusStatus =
  | { readonly kind: 'connecting'; readonly sinceMs: number }
  | { readonly kind: 'connected'; readonly sinceMs: number; readonly server: string; readonly rttMs: number | null }
  | { readonly kind: 'stale'; readonly sinceMs: number }
  | {
      readonly kind: 'reconnecting';
      readonly sinceMs: number;
      readonly attempt: number;
      readonly error: ErrorShape | null;
    }
  | { readonly kind: 'closed'; readonly sinceMs: number; readonly error: ErrorShape | null };

export interface BusStatusSource {
  status(): BusStatus;
  /** Called at each change, with the new one. */
  onStatus(listener: (status: BusStatus) => void): Disposable;
}
