import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Asker, createAsker, openRoom } from '../../../tests/support/membership-place.ts';
import { openProfilePeer } from '../../../tests/support/profile-worker.ts';
import { commitOf, topic } from '../../../tests/support/room-fixture.ts';
import { prepareServer } from '../../../tests/support/vak-bus.ts';
import { prepareVak } from '../../../tests/support/vak-program.ts';
import { prepareServices, type VakService } from '../../../tests/support/vak-service.ts';
import type { Fabric } from '../../engine/bus/fabric.ts';
import { connectNats } from '../../engine/bus/nats/nats-fabric.ts';
import { readManagedServer } from '../../engine/connections/managed-record.ts';
import { createSystemClock } from '../../engine/ports/clock.ts';
import { createSilentLogger } from '../../engine/ports/logger.ts';
import { createSystemRandomness } from '../../engine/ports/randomness.ts';
import { profileFiles } from '../../engine/settings/profile-files.ts';
import type { VakError } from '../../shared/base/vak-error.ts';
import { isVakError } from '../../shared/base/vak-error.ts';
import { streamsOf } from '../../shared/protocol/stream-table.ts';

const ports = { clock: createSystemClock(), randomness: createSystemRandomness(), logger: createSilentLogger() };
const program = prepareVak({ isSelfShared: true });
const bus = prepareServer();
const _patience = { timeout: 30_000, interval: 50 };
const workspace = 'default';

let closing: (() => Promise<void> | void)[];

beforeEach(async () => {
  closing = [];
  await program.newSelf();
});
afterEach(async () => {
  for (const close of closing.reverse()) await close();
});

const startService = prepareServices(program);
const serve = (args: readonly string[]): Promise<VakService> => startService(['membershipd', ...args]);

/** The profile's operator on a server. */
async function openOperator(server: string | (() => Promise<Fabric>)): Promise<Asker & { readonly fabric: Fabric }> {
  const own = await openProfilePeer(program.profile, 'operator', server);
  const { fabric, judge, signer } = own;
  const asker = createAsker({ ...fabric, ports, workspace, peer: 'operator', judge, signer });
  closing.push(async () => {
    asker.dispose();
    await own.close();
  });
  return { ...asker, fabric };
}
const here = { run: <T>(work: Promise<T>): Promise<T> => work };
const slow = { timeout: 90_000 };

test(
  'R2 R24 vak membershipd: two of them on one server, and one killed at any moment, neither fork a room nor lose an entry',
  slow,
  async () => {
    await bus.provision();
    const [first] = await Promise.all([serve(bus.url()), serve(bus.url())]);
    const ada = await openOperator(bus.server.url);
    const other = await openOperator(bus.server.url);
    const room = await openRoom(here, ada);
    let count = 1;
    const round = async (name: string): Promise<void> => {
      await Promise.all([ada.reader(room).catchUp(), other.reader(room).catchUp()]);
      const [left, right] = [
        ada.sign(room, topic(name)),
        other.sign(room, { type: 'REKEY', commit: commitOf(3), cause: 'hand' }),
      ];
      const outcomes = await Promise.allSettled([
        ada.client.append(left, { reader: ada.reader(room) }),
        other.client.append(right, { reader: other.reader(room) }),
      ]);
      const lost = outcomes.flatMap((one) => (one.status === 'rejected' ? [one.reason as VakError] : []));
      expect(lost.map((error) => (isVakError(error) ? error.code : error))).toEqual(['conflict']);
      count++;
    };
    for (let i = 0; i < 5; i++) await round(`both ${i}`);
    // The one is killed when what it, or the other, has stored is seen.
    let isKilled = false;
    const seen = ada.fabric.bus.subscribe(`vak.rooms.${workspace}.${room}.log`, {
      kind: 'inline',
      onMessage() {
        isKilled = true;
        first.child.kill('SIGKILL');
      },
    });
    await round('killed');
    seen.dispose();
    expect(isKilled).toBe(true);
    await first.ended;
    for (let i = 0; i < 3; i++) await round(`alone ${i}`);
    await ada.reader(room).catchUp();
    expect(ada.reader(room).standing()).toMatchObject({ stop: undefined, isBehind: false, skippedCount: 0 });
    expect(ada.reader(room).log().entries()).toHaveLength(count);
    expect(await ada.client.mine()).toEqual([{ room, n: count - 1, standing: 'member' }]);
    // Its chain is whole: what it could not store took no place in it.
    const { messages } = await ada.fabric.durable.stream(`VAK_CHAIN_${workspace}`).read({ limit: 100 });
    expect(messages.filter(({ subject }) => subject.endsWith('.void'))).toEqual([]);
    for (const { name } of streamsOf(workspace)) await ada.fabric.durable.deleteStream(name);
  },
);

test(
  'R27 vak membershipd without a server brings its own, and a whole fabric is one command; a signal ends both',
  slow,
  async () => {
    const service = await serve([]);
    const { managedServer } = profileFiles(program.profile);
    const found = await readManagedServer(managedServer, ports.clock);
    if (found === undefined) throw new Error('the managed server does not run');
    closing.push(() => found.seed.dispose());
    const ada = await openOperator(() =>
      connectNats({
        ...{ ...ports, servers: [found.url], auth: { kind: 'nkey', seed: found.seed } },
        ...{ name: 'operator', inboxPrefix: `_INBOX.${workspace}.operator` },
      }),
    );
    const room = await openRoom(here, ada);
    expect(await ada.client.mine()).toEqual([{ room, n: 0, standing: 'member' }]);
    expect(service.events('stored')).toMatchObject([{ room, type: 'CREATE', n: 0, by: 'operator' }]);
    for (const close of closing.splice(1)) await close();
    service.child.kill('SIGTERM');
    const { code, stdout } = await service.ended;
    expect([code, stdout, service.events('stopped').length]).toEqual([0, '', 1]);
    expect(await readManagedServer(managedServer, ports.clock)).toBeUndefined();
    expect(program.printed()).toMatch(/the managed server runs at nats:\/\/127\.0\.0\.1:\d+/);
    // Where it lay nothing is lost.
    expect(join(managedServer, 'server.log')).toContain(program.profile);
  },
);
