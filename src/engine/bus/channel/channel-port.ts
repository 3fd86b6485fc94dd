/**
 * A private two-way channel between main and a process that it started.
 * Law: the same port over Electron's utility process, Node's fork and tests; values are structured clones.
 */
import type { Disposable } from '../../../shared/base/disposer.ts';

export interface ChannelPort {
  /** Sends a structured-cloneable value; after the other side has gone it is discarded. */
  post(value: unknown): void;
  onMessage(listener: (value: unknown) => void): Disposable;
  /** Called once, when the other side is gone. */
  onClose(listener: () => void): Disposable;
  close(): void;
}
