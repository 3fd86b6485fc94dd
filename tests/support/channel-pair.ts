/** Both ends of a channel inside one process, with values copied as real channels copy them. */
import { deserialize, serialize } from 'node:v8';
import { MessageChannel, type MessagePort } from 'node:worker_threads';
import type { ChannelPort } from '../../src/engine/bus/channel/channel-port.ts';
import { toDisposable } from '../../src/shared/base/disposer.ts';

export interface ChannelPair {
  readonly peer: ChannelPort;
  readonly host: ChannelPort;
}

/** A real structured-clone channel, as Electron's. */
export function toChannelPort(port: MessagePort): ChannelPort {
  return {
    post: (value) => port.postMessage(value),
    onMessage(listener) {
      port.on('message', listener);
      return toDisposable(() => port.off('message', listener));
    },
    onClose(listener) {
      port.once('close', listener);
      return toDisposable(() => port.off('close', listener));
    },
    close: () => port.close(),
  };
}

export function openMessagePair(): ChannelPair {
  const { port1, port2 } = new MessageChannel();
  return { peer: toChannelPort(port1), host: toChannelPort(port2) };
}

/** As between forked processes: bytes arrive as views of the memory that all of the message lies in. */
export function openSerialPair(): ChannelPair {
  let isOpen = true;
  const closers = new Set<() => void>();
  const ears = [new Set<(value: unknown) => void>(), new Set<(value: unknown) => void>()] as const;
  const endOf = (hears: Set<(value: unknown) => void>, tells: Set<(value: unknown) => void>): ChannelPort => ({
    post(value) {
      if (!isOpen) return;
      const bytes = serialize(value);
      setImmediate(() => {
        if (!isOpen) return;
        const copy: unknown = deserialize(bytes);
        for (const hear of [...tells]) hear(copy);
      });
    },
    onMessage(listener) {
      hears.add(listener);
      return toDisposable(() => hears.delete(listener));
    },
    onClose(listener) {
      closers.add(listener);
      return toDisposable(() => closers.delete(listener));
    },
    close() {
      if (!isOpen) return;
      isOpen = false;
      for (const tell of [...closers]) tell();
    },
  });
  return { peer: endOf(ears[0], ears[1]), host: endOf(ears[1], ears[0]) };
}
