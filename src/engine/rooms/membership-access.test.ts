import { createUser } from 'nkeys.js';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Asker, createAsker, logOf, openRoom } from '../../../tests/support/membership-place.ts';
import { type NatsServer, startNatsServer } from '../../../tests/support/nats-server.ts';
import { openPlaneProfile, type PlaneProfile, planeWorkspace as ws } from '../../../tests/support/plane-profile.ts';
import { utf8 } from '../../shared/base/bytes.ts';
import { createDisposer } from '../../shared/base/disposer.ts';
import type { Role } from '../../shared/protocol/roles.ts';
import { accountsBlock, serverPolicyOf } from '../access/server-config.ts';
import type { Fabric } from '../bus/fabric.ts';
import { connectNats } from '../bus/nats/nats-fabric.ts';
import { provision } from '../bus/provision.ts';
import { takeCredentials } from '../identity/own-credentials.ts';
import { createSecret } from '../identity/secret.ts';
import { createSystemClock } from '../ports/clock.ts';
import type { WorkPeer } from '../work/work-peer.ts';
import { type MembershipService, serveMembership } from './membership-service.ts';

/** A nats-server that was told of these peers as `vak acl export` tells it, and everybody's own connection to it. */
const rolesOf = {
  membershipd: 'membershipd',
  anna: 'human',
  ben: 'bot',
  watcher: 'observer',
} as const satisfies Record<string, Role>;
type Name = keyof typeof rolesOf;

let plane: PlaneProfile;
let server: NatsServer;
let admin: Fabric;
let service: MembershipService;
const held = createDisposer();
const denied: string[] = [];
const peers = new Map<string, { readonly peer: WorkPeer; readonly fabric: Fabric }>();

const peerOf = (name: Name): WorkPeer => {
  const found = peers.get(name);
  if (found === undefined) throw new Error(name);
  return found.peer;
};
const fabricOf = (name: Name): Fabric => peers.get(name)?.fabric as Fabric;

beforeAll(async () => {
  plane = await openPlaneProfile(createSystemClock());
  const given = [];
  for (const [peer, role] of Object.entries(rolesOf))
    given.push(await plane.issue({ peer, roles: [role], queues: [] }));
  const users = given.map(({ grant }) => ({ ...grant, holdsRoot: false }));
  const adminKey = createUser();
  const block = accountsBlock(serverPolicyOf(ws, users, Object.keys(rolesOf)));
  const config = block.replace('users: [', `users: [\n{ nkey: ${adminKey.getPublicKey()} }`);
  server = await startNatsServer({ config });
  const connect = (name: string, seed: Uint8Array): Promise<Fabric> =>
    connectNats({
      ...{ ...plane.ports, servers: [server.url], name, inboxPrefix: `_INBOX.${ws}.${name}` },
      auth: { kind: 'nkey', seed: held.add(createSecret(Uint8Array.from(seed))) },
      onDenied: ({ operation, subject }) => denied.push(`${name}: ${operation} ${subject}`),
    });
  admin = await connect('admin', adminKey.getSeed());
  await provision(admin.durable, ws);
  for (const one of given) {
    const { peer: name } = one.grant;
    const fabric = await connect(name, one.signSeed);
    const own = held.add(takeCredentials(one, { workspace: ws, peer: name }));
    peers.set(name, { fabric, peer: await plane.openPeerWith(own, { fabric }) });
  }
  service = serveMembership({ ...plane.ports, peer: peerOf('membershipd'), onEvent: () => {} });
}, 60_000);

afterAll(async () => {
  await service?.close();
  for (const { peer, fabric } of peers.values()) {
    await peer.close(2_000);
    await fabric.close();
  }
  await admin?.close();
  await server?.stop();
  held.dispose();
  await plane?.close();
});

const here = { run: <T>(work: Promise<T>): Promise<T> => work };
const askerAs = (name: Name): Asker => held.add(createAsker({ ...peerOf(name), ports: plane.ports }));

test('A2 A34 R2 on a server that enforces access the service stores and answers, people and bots ask and read back, and nobody is refused', async () => {
  const [anna, ben] = [askerAs('anna'), askerAs('ben')];
  const room = await openRoom(here, anna, [ben]);
  await expect(ben.commit(room, { type: 'TOPIC', name: 'x', topic: '' })).rejects.toMatchObject({ code: 'forbidden' });
  expect(await ben.client.mine()).toEqual([{ room, n: 2, standing: 'member' }]);
  expect(anna.reader(room).standing()).toMatchObject({ stop: undefined, isBehind: false, skippedCount: 0 });
  // What stands behind its chain: heads on record, and a place that was voided (E12, E14).
  const { publisher } = peerOf('membershipd');
  const draft = { subject: `vak.audit.${ws}.membershipd.void`, payload: utf8('{}') };
  const { stored } = await publisher.publish({
    ...draft,
    trace: { traceId: '1'.repeat(32), spanId: '1'.repeat(16), flags: 0, tracestate: undefined },
  });
  expect((await stored).stream).toBe(`VAK_CHAIN_${ws}`);
  expect(denied).toEqual([]);
  expect(plane.denied).toEqual([]);
});

test('A2 only the service writes to a log, answers who asks about rooms, and hears it; it reads no messages of rooms', async () => {
  const tries: readonly [name: Name, refused: string, act: (fabric: Fabric) => unknown][] = [
    ['anna', `publish ${logOf('r')}`, ({ durable }) => durable.append(logOf('r'), utf8('x'))],
    ['ben', `publish ${logOf('r')}`, ({ durable }) => durable.append(logOf('r'), utf8('x'))],
    [
      'watcher',
      `publish vak.control.${ws}.rooms.append`,
      ({ bus }) => bus.publish(`vak.control.${ws}.rooms.append`, utf8('x')),
    ],
    [
      'anna',
      `subscribe vak.control.${ws}.rooms.append`,
      ({ bus }) => bus.subscribe(`vak.control.${ws}.rooms.append`, { kind: 'inline', onMessage: () => {} }),
    ],
    [
      'membershipd',
      `subscribe vak.rooms.${ws}.*.messages`,
      ({ bus }) => bus.subscribe(`vak.rooms.${ws}.*.messages`, { kind: 'inline', onMessage: () => {} }),
    ],
    [
      'membershipd',
      `publish vak.rooms.${ws}.r.messages`,
      ({ durable }) => durable.append(`vak.rooms.${ws}.r.messages`, utf8('x')),
    ],
    [
      'membershipd',
      `publish vak.keys.${ws}.anna.package`,
      ({ durable }) => durable.append(`vak.keys.${ws}.anna.package`, utf8('x')),
    ],
  ];
  denied.length = 0;
  for (const [name, , act] of tries) {
    const fabric = fabricOf(name);
    // Straight to the server, past the engine's own permit.
    await Promise.resolve(act(fabric)).catch(() => undefined);
    await fabric.ping();
  }
  expect(denied).toEqual(tries.map(([name, refused]) => `${name}: ${refused}`));
  const messages = admin.durable.append(`vak.rooms.${ws}.r.messages`, utf8('secret'));
  await messages;
  const reading = fabricOf('membershipd').durable.stream(`VAK_ROOMS_${ws}`);
  for (const subject of [`vak.rooms.${ws}.r.messages`, `vak.rooms.${ws}.*.*`]) {
    await expect(reading.read({ subject, limit: 1 })).rejects.toMatchObject({ code: 'unauthorized' });
  }
  await expect(reading.get(1)).rejects.toMatchObject({ code: 'unauthorized' });
});
