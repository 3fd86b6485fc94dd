import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { type NatsServer, startNatsServer } from '../../../tests/support/nats-server.ts';
import {
  openPlaneProfile,
  type PlaneProfile,
  planeWorkspace as workspace,
} from '../../../tests/support/plane-profile.ts';
import { buildTestPrograms, type TestPrograms } from '../../../tests/support/test-programs.ts';
import { readSettings } from '../../shared/settings/settings-schema.ts';
import { grantedNow, signedAccess } from '../access/access-export.ts';
import { jwtConfig, serverPolicyOf } from '../access/server-config.ts';
import type { ServerDenial } from '../access/server-denials.ts';
import { provision } from '../bus/provision.ts';
import { type ConnectionSwitch, openConnectionSwitch } from '../connections/connection-switch.ts';
import { createManagedLeases } from '../connections/managed-leases.ts';
import { createOwnServerAuth } from '../connections/own-server-auth.ts';
import { createSystemClock } from '../ports/clock.ts';
import { createForkLauncher } from '../swarm/fork-launcher.ts';
import { type AppWorkPlane, createAppWorkPlane } from './app-work-plane.ts';

const clock = createSystemClock();
const patience = { timeout: 30_000, interval: 50 };
let programs: TestPrograms;
let plane: PlaneProfile;
let server: NatsServer;
let connection: ConnectionSwitch;
let work: AppWorkPlane;

beforeAll(async () => {
  programs = await buildTestPrograms();
}, 60_000);

/** What the server is told now. */
function exported(): string {
  const { keyStore, records } = plane.profile;
  const place = { workspace, contents: keyStore.read(), records, nowMs: clock.now() };
  const granted = grantedNow(place);
  const policy = serverPolicyOf(
    workspace,
    granted,
    granted.map(({ peer }) => peer),
  );
  return jwtConfig(signedAccess(policy, place));
}

async function start(): Promise<void> {
  server = await startNatsServer({ config: exported() });
  const { ports, profile, issue } = plane;
  const { keyStore } = profile;
  const file = { contexts: { prod: { kind: 'remote', url: server.url } }, currentContext: 'prod' };
  const told: { denied: (peer: string, denial: ServerDenial) => void } = { denied: () => {} };
  connection = await openConnectionSwitch({
    ...{ ...ports, workspace, peer: () => 'ada', sources: () => ({ environment: {} }) },
    settings: () => readSettings(file).settings,
    embedded: { folder: undefined, durability: 'written' },
    managed: createManagedLeases(() => Promise.reject(new Error('no managed server here'))),
    ownAuth: (peer) => createOwnServerAuth({ keyStore, workspace, peer, clock }),
    onDenied: (peer, denial) => told.denied(peer, denial),
  });
  await expect.poll(() => connection.engine()?.kind, patience).toBe('remote');
  await provision(connection.live.durable, workspace);
  const launchWorker = createForkLauncher({ entry: programs.worker, environment: process.env, logger: ports.logger });
  work = createAppWorkPlane(
    { ...ports, profile, launchWorker },
    {
      ...{ workspace, connection, issueCredentials: issue, onSwarm: () => {} },
      isOpen: () => keyStore.state().kind === 'unlocked',
      sessions: { register: () => {}, end: () => {} },
    },
  );
  told.denied = work.onServerDenial;
}

beforeEach(async () => {
  plane = await openPlaneProfile(clock);
});

afterEach(async () => {
  await work.stop();
  await connection.close();
  await server.stop();
  await plane.close();
}, 60_000);

afterAll(() => {
  expect(plane.log.filter((line) => line.includes('"bug"'))).toEqual([]);
});

/** Attempts that are over. */
const triedCount = (): number =>
  work.swarm.state().workers.reduce((sum, { doneCount, failedCount }) => sum + doneCount + failedCount, 0);

/** What the server did not let anybody do, as it logged it. */
const violations = (): string[] =>
  server
    .log()
    .split('\n')
    .filter((line) => /violation/i.test(line));

test('A18 A20 the swarm is kept out by a server that was not told of it (jwt), says what to do, and works when it was told', {
  timeout: 60_000,
}, async () => {
  await start();
  await work.swarm.start({ workers: 3 });
  await expect
    .poll(() => work.swarm.state().keptOut?.peers, patience)
    .toEqual(['swarm', 'worker-1', 'worker-2', 'worker-3']);
  const { keptOut, coordinator, workers } = work.swarm.state();
  expect(keptOut?.why).toContain('export the access anew (vak acl export) and reload the server');
  expect([coordinator.kind, ...workers.map(({ problem }) => problem)]).toEqual(['off', ...Array(3).fill(keptOut?.why)]);
  await expect(work.swarm.run({ command: ['true'] })).rejects.toMatchObject({ code: 'unauthorized' });

  await server.config(exported());
  await expect.poll(triedCount, patience).toBeGreaterThan(0);
  await expect
    .poll(() => work.swarm.state(), patience)
    .toMatchObject({ keptOut: null, coordinator: { kind: 'running', why: null } });

  // The plug is pulled, and put back.
  await server.kill('SIGKILL');
  await server.restart();
  const before = triedCount();
  await expect.poll(triedCount, patience).toBeGreaterThan(before + 1);
  expect(violations()).toEqual([]);
  expect(work.denials.entries()).toEqual([]);
});
