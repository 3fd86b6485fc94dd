/**
 * One try to connect (protocol.md B8); the client library bounds its time.
 * Law: of a try that failed or was given up no socket is left, and one that the server has ended is not waited for; the library by
 * itself forgets the sockets of a hung server, and does not see that one was closed before it was let in.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { Socket } from 'node:net';
import { createDisposer } from '../../../shared/base/disposer.ts';
import { VakError } from '../../../shared/base/vak-error.ts';
import type { Clock } from '../../ports/clock.ts';

/** Node tells here of each TCP socket that a client makes, before it connects. */
const socketChannel = 'net.client.socket';
const lookMs = 50;

export interface DialOptions<T> {
  readonly clock: Clock;
  readonly signal?: AbortSignal | undefined;
  /** Ends what came of a try that was given up meanwhile. */
  readonly discard?: (made: T) => unknown;
  /** The server has ended the connection, and the library still waits. */
  readonly onDead?: () => void;
}

/** Sockets that are made in a context. */
function createSocketNet(isAborted: () => boolean) {
  const context = new AsyncLocalStorage<true>();
  const sockets: Socket[] = [];
  const note = (message: unknown): void => {
    if (context.getStore() === undefined) return;
    const { socket } = message as { readonly socket: Socket };
    sockets.push(socket);
    // Not at once: it is about to connect, which would bring it back.
    if (isAborted()) queueMicrotask(() => socket.destroy());
  };
  subscribe(socketChannel, note);
  return {
    sockets,
    run: <T>(work: () => Promise<T>): Promise<T> => context.run(true, work),
    destroyAll(): void {
      for (const socket of sockets) socket.destroy();
    },
    dispose: () => unsubscribe(socketChannel, note),
  };
}

/** Runs a try. Throws what it throws, or `aborted`. */
export async function dial<T>(run: () => Promise<T>, options: DialOptions<T>): Promise<T> {
  const { clock, signal, discard, onDead } = options;
  const isAborted = (): boolean => signal?.aborted === true;
  const aborted = (): VakError => new VakError('aborted', 'connect: cancelled');
  if (isAborted()) throw aborted();
  const held = createDisposer();
  const net = held.add(createSocketNet(isAborted));
  let suspect: Socket | undefined;
  held.add(
    clock.setTicker(lookMs, () => {
      const last = net.sockets.at(-1);
      if (last?.destroyed !== true) return;
      // A failure that the library sees has ended the try by the next look.
      if (suspect === last) onDead?.();
      suspect = last;
    }),
  );
  signal?.addEventListener('abort', net.destroyAll, { once: true });
  held.defer(() => signal?.removeEventListener('abort', net.destroyAll));
  let made: T;
  try {
    made = await net.run(run);
  } catch (thrown) {
    net.destroyAll();
    throw isAborted() ? aborted() : thrown;
  } finally {
    held.dispose();
  }
  if (isAborted()) {
    await discard?.(made);
    throw aborted();
  }
  // Those of servers that were tried before the one that answered.
  for (const socket of net.sockets.slice(0, -1)) socket.destroy();
  return made;
}
