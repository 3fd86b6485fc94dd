/**
 * One managed server for all connections of a process (product.md "Engines and headless peers").
 * Law: it runs while somebody holds a lease, so that an exchange of one connection for another does not end it between; one that
 * another process ran, and left, is started again in its place.
 */
import { isVakError } from '../../shared/base/vak-error.ts';
import type { Logger } from '../ports/logger.ts';
import type { ManagedServer } from './managed-server.ts';

export interface ManagedLease {
  /** The one that runs now: its address stays, its credentials do too. */
  readonly server: ManagedServer;
  /** The last one stops the server. */
  release(): Promise<void>;
}

export interface ManagedLeases {
  /** Starts the server unless it runs. Throws what starting throws. */
  lease(): Promise<ManagedLease>;
}

export function createManagedLeases(start: () => Promise<ManagedServer>, logger?: Logger): ManagedLeases {
  let starting: Promise<ManagedServer> | undefined;
  let present: ManagedServer | undefined;
  /** Settled when no server is being stopped. */
  let stopping: Promise<void> = Promise.resolve();
  let count = 0;

  /** The former one ends when the next one is there: until then its credentials are of use. */
  function begin(open: () => Promise<ManagedServer>): Promise<ManagedServer> {
    const opening = open().then(async (server) => {
      const former = present;
      present = server;
      server.onState(({ kind }) => {
        if (kind === 'failed' && !server.isOwner && count > 0 && present === server) replace();
      });
      await former?.stop();
      return server;
    });
    starting = opening;
    return opening;
  }

  /** Puts another one in the place of one that another process ran. */
  function replace(): void {
    const replacing = begin(start);
    replacing.catch((error: unknown) => {
      if (starting === replacing) starting = undefined;
      logger?.warn('managed-server.not-replaced', { code: isVakError(error) ? error.code : 'internal' });
    });
  }

  async function running(): Promise<ManagedServer> {
    const before = starting;
    const server = await before?.catch(() => undefined);
    // One that gave up is started again by whoever asks next.
    const isOver = server === undefined || server.state().kind === 'failed';
    const mine =
      starting === undefined || (isOver && starting === before) ? begin(() => stopping.then(start)) : starting;
    try {
      return await mine;
    } catch (error) {
      if (starting === mine) starting = undefined;
      throw error;
    }
  }

  async function release(): Promise<void> {
    count--;
    if (count > 0) return;
    const ending = starting;
    starting = undefined;
    const stop = (async () => {
      await ending?.catch(() => undefined);
      const last = present;
      present = undefined;
      await last?.stop();
    })();
    stopping = stop.catch(() => {});
    await stop;
  }

  return {
    async lease() {
      count++;
      try {
        const first = await running();
        let released: Promise<void> | undefined;
        return {
          get server() {
            return present ?? first;
          },
          release() {
            released ??= release();
            return released;
          },
        };
      } catch (error) {
        await release();
        throw error;
      }
    },
  };
}
