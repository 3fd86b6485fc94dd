/**
 * Node's fork as a channel, from both sides.
 * Law: both sides use the `advanced` serialization, so that bytes stay bytes.
 */
import type { ChildProcess } from 'node:child_process';
import { toDisposable } from '../../../shared/base/disposer.ts';
import type { ChannelPort } from './channel-port.ts';

/** What `process` and a forked `ChildProcess` have in common. */
type ForkEnd = Pick<ChildProcess, 'connected' | 'disconnect'> & {
  send?(message: unknown, sent: (error: Error | null) => void): boolean;
  on(event: 'message', listener: (value: unknown) => void): unknown;
  on(event: 'disconnect', listener: () => void): unknown;
  off(event: 'message', listener: (value: unknown) => void): unknown;
  off(event: 'disconnect', listener: () => void): unknown;
};

/** Makes a channel of a forked child (main's side) or of `process` (the child's side). */
export function createForkPort(end: ForkEnd): ChannelPort {
  return {
    post(value) {
      // A failed send means that the other side is gone, which `disconnect` tells.
      if (end.connected) end.send?.(value, () => {});
    },
    onMessage(listener) {
      end.on('message', listener);
      return toDisposable(() => end.off('message', listener));
    },
    onClose(listener) {
      const onDisconnect = (): void => {
        end.off('disconnect', onDisconnect);
        listener();
      };
      end.on('disconnect', onDisconnect);
      return toDisposable(() => end.off('disconnect', onDisconnect));
    },
    close() {
      if (end.connected) end.disconnect();
    },
  };
}
