/** The peer's end of a channel as a test plays it: it says what it likes, and sees what main says. */
import type { ChannelPort } from '../../src/engine/bus/channel/channel-port.ts';
import { toDisposable } from '../../src/shared/base/disposer.ts';

export interface PlayedPeer {
  /** Main's end. */
  readonly port: ChannelPort;
  readonly heard: readonly Record<string, unknown>[];
  say(value: unknown): void;
  close(): void;
}

export function createPlayedPeer(): PlayedPeer {
  const ears = new Set<(value: unknown) => void>();
  const closers = new Set<() => void>();
  const heard: Record<string, unknown>[] = [];
  let isOpen = true;
  return {
    heard,
    port: {
      post(value) {
        if (isOpen) heard.push(structuredClone(value) as Record<string, unknown>);
      },
      onMessage(listener) {
        ears.add(listener);
        return toDisposable(() => ears.delete(listener));
      },
      onClose(listener) {
        closers.add(listener);
        return toDisposable(() => closers.delete(listener));
      },
      close() {},
    },
    say(value) {
      for (const hear of [...ears]) hear(value);
    },
    close() {
      isOpen = false;
      for (const tell of [...closers]) tell();
    },
  };
}
