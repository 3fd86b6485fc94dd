import { expect, it } from 'vitest';
import { toDisposable } from '../../shared/base/disposer.ts';
import { VakError } from '../../shared/base/vak-error.ts';
import { secretFromText } from '../identity/secret.ts';
import { createManagedLeases } from './managed-leases.ts';
import type { ManagedServer } from './managed-server.ts';
import type { ManagedState } from './managed-state.ts';

function playServer(log: string[], name: string, isOwner = true): ManagedServer & { fail(): void } {
  const listeners = new Set<(state: ManagedState) => void>();
  let kind: 'running' | 'failed' = 'running';
  const error = new VakError('spawn-failed', 'x').toShape();
  return {
    ...{ url: `nats://${name}`, isOwner, pid: 1, auth: { kind: 'nkey', seed: secretFromText('x') } },
    state: (): ManagedState => (kind === 'running' ? { kind, sinceMs: 0 } : { kind, sinceMs: 0, error }),
    onState(listener) {
      listeners.add(listener);
      return toDisposable(() => listeners.delete(listener));
    },
    async stop() {
      log.push(`stop ${name}`);
    },
    fail() {
      kind = 'failed';
      for (const listener of listeners) listener({ kind, sinceMs: 0, error });
    },
  };
}

function leasesOf(log: string[]) {
  const servers: ReturnType<typeof playServer>[] = [];
  const leases = createManagedLeases(async () => {
    const server = playServer(log, `s${servers.length + 1}`);
    servers.push(server);
    log.push(`start ${server.url}`);
    return server;
  });
  return { leases, servers };
}

it('B8 an exchange of one managed connection for another keeps the server; the last lease stops it', async () => {
  const log: string[] = [];
  const { leases } = leasesOf(log);
  const first = await leases.lease();
  const second = await leases.lease();
  await first.release();
  await first.release();
  expect([second.server, log]).toEqual([first.server, ['start nats://s1']]);
  await second.release();
  const third = await leases.lease();
  expect(log).toEqual(['start nats://s1', 'stop s1', 'start nats://s2']);
  await third.release();
});

it('B8 a start that failed is tried again by the next lease, and holds nothing', async () => {
  let isRefusing = true;
  const log: string[] = [];
  const leases = createManagedLeases(async () => {
    if (isRefusing) throw new VakError('not-found', 'none');
    return playServer(log, 's');
  });
  await expect(leases.lease()).rejects.toMatchObject({ code: 'not-found' });
  isRefusing = false;
  await (await leases.lease()).release();
  expect(log).toEqual(['stop s']);
});

it('B8 a server that gave up is started again by the next lease', async () => {
  const log: string[] = [];
  const { leases, servers } = leasesOf(log);
  const first = await leases.lease();
  servers[0]?.fail();
  const second = await leases.lease();
  expect([second.server.url, log]).toEqual(['nats://s2', ['start nats://s1', 'start nats://s2', 'stop s1']]);
  await first.release();
  await second.release();
  expect(log.at(-1)).toBe('stop s2');
});

it('B8 a server whose owner has gone is taken over at once, and a lease speaks of the one that runs now', async () => {
  const log: string[] = [];
  const servers = [playServer(log, 'theirs', false), playServer(log, 'ours')];
  const waiting = [...servers];
  const leases = createManagedLeases(async () => {
    const next = waiting.shift();
    if (next === undefined) throw new VakError('not-found', 'none');
    return next;
  });
  const lease = await leases.lease();
  expect(lease.server.isOwner).toBe(false);
  servers[0]?.fail();
  await expect.poll(() => lease.server.url).toBe('nats://ours');
  await expect.poll(() => log).toEqual(['stop theirs']);
  // Our own that gave up waits for somebody to ask, and cannot be had.
  servers[1]?.fail();
  await expect(leases.lease()).rejects.toMatchObject({ code: 'not-found' });
  expect(lease.server.url).toBe('nats://ours');
  await lease.release();
  expect(log).toEqual(['stop theirs', 'stop ours']);
});
