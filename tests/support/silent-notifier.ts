/** A notifier that keeps what it was given; the window is never in front unless said so. */
import type { Notice, Notifier } from '../../src/engine/ports/notifier.ts';
import { toDisposable } from '../../src/shared/base/disposer.ts';

export interface SilentNotifier extends Notifier {
  readonly shown: readonly Notice[];
  readonly badges: readonly number[];
  /** As if the notification was pressed. */
  press(id: string): void;
  putInFront(isInFront: boolean): void;
}

/** Creates one without a desktop behind it. */
export function createSilentNotifier(): SilentNotifier {
  const shown: Notice[] = [];
  const badges: number[] = [];
  const listeners = new Set<(id: string) => void>();
  let isInFront = false;
  return {
    ...{ shown, badges },
    show: (notice) => void shown.push(notice),
    setBadge: (count) => void badges.push(count),
    isInFront: () => isInFront,
    onPressed(listener) {
      listeners.add(listener);
      return toDisposable(() => listeners.delete(listener));
    },
    press(id) {
      for (const listener of listeners) listener(id);
    },
    putInFront(value) {
      isInFront = value;
    },
  };
}
