/** Electron's utility process, seen from inside, as a channel. Typed by its shape: peers know no Electron. */
import type { ChannelPort } from '../engine/bus/channel/channel-port.ts';
import { toDisposable } from '../shared/base/disposer.ts';

/** `process.parentPort` of a utility process. */
export interface ElectronParentPort {
  postMessage(value: unknown): void;
  on(event: 'message', listener: (event: { readonly data: unknown }) => void): unknown;
  on(event: 'close', listener: () => void): unknown;
  off(event: 'message', listener: (event: { readonly data: unknown }) => void): unknown;
  off(event: 'close', listener: () => void): unknown;
}

/** Makes a channel of the parent port. There is nothing to close from this side: the process ends instead. */
export function createParentPort(port: ElectronParentPort): ChannelPort {
  return {
    post: (value) => port.postMessage(value),
    onMessage(listener) {
      const onEvent = ({ data }: { readonly data: unknown }): void => listener(data);
      port.on('message', onEvent);
      return toDisposable(() => port.off('message', onEvent));
    },
    onClose(listener) {
      port.on('close', listener);
      return toDisposable(() => port.off('close', listener));
    },
    close() {},
  };
}
