import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createCallContext } from '../../../tests/support/call-context.ts';
import { type NatsServer, startNatsServer } from '../../../tests/support/nats-server.ts';
import { createScriptedPrompt, type ScriptedPrompt } from '../../../tests/support/scripted-prompt.ts';
import { createTestProfiles, type TestProfiles, testWorkspace } from '../../../tests/support/test-profile.ts';
import { VakError } from '../../shared/base/vak-error.ts';
import { createFirstIdentity, updateAndErase } from '../identity/operator-identity.ts';
import type { Profile } from '../identity/profile.ts';
import { createSystemClock } from '../ports/clock.ts';
import { keyStoreSecrets } from '../settings/secret-sources.ts';
import { type ConnectionSwitch, openConnectionSwitch } from './connection-switch.ts';
import { type ConnectionsService, createConnectionsService } from './connections-service.ts';
import { createManagedLeases } from './managed-leases.ts';

const context = createCallContext();
let profiles: TestProfiles;
let profile: Profile;
let prompt: ScriptedPrompt;
let connection: ConnectionSwitch;
let service: ConnectionsService;
let server: NatsServer | undefined;
let natsCli: string;

beforeEach(async () => {
  profiles = createTestProfiles();
  profile = await profiles.open(profiles.folder());
  natsCli = mkdtempSync(join(tmpdir(), 'vak-nats-cli-'));
  prompt = createScriptedPrompt();
  const { randomness, logger } = profiles;
  const clock = createSystemClock();
  const { keyStore, settings } = profile;
  await keyStore.create({});
  const first = { peer: 'ada', name: 'Ada', workspace: testWorkspace, clock, randomness };
  await updateAndErase(keyStore, (contents) => createFirstIdentity({ contents, ...first }).contents);
  connection = await openConnectionSwitch({
    ...{ clock, randomness, logger, workspace: testWorkspace, peer: () => 'ada', settings: settings.settings },
    sources: () => ({
      environment: {},
      keyStore: keyStoreSecrets(keyStore.read(), {
        workspace: testWorkspace,
        workspaceSecretEnv: 'VAK_WORKSPACE_SECRET',
      }),
    }),
    embedded: { folder: undefined, durability: 'written' },
    managed: createManagedLeases(() => Promise.reject(new VakError('not-found', 'nats-server: not found'))),
  });
  service = createConnectionsService({
    ...{ connection, settings, keyStore, prompt, clock, natsCli: { folder: natsCli, home: natsCli } },
    newestSeq: () => 41,
    waiting: () => ({ count: 2, oldestMs: 7 }),
    outboxProblem: () => undefined,
    onChange: () => {},
  });
});
afterEach(async () => {
  service.dispose();
  await connection.close();
  await server?.stop();
  server = undefined;
  await profiles.remove();
  rmSync(natsCli, { recursive: true, force: true });
});

const names = (): string[] => service.state().contexts.map(({ name }) => name);
const remote = (name: string, url: string) =>
  ({ name, kind: 'remote', url, colour: 'red', isReadOnly: false }) as const;

describe('connections service', () => {
  it('B8 what waits in the outbox is part of the state', () => {
    expect(service.state().outbox).toEqual({ waitingCount: 2, oldestMs: 7, problem: null });
  });

  it('contexts are saved, changed, shown, and taken away; the embedded one and the one in use stay', async () => {
    await service.calls.save(remote('prod', 'nats://127.0.0.1:4222'), context);
    await service.calls.save(
      { ...remote('prod', 'tls://nats.example.com'), colour: 'amber', isReadOnly: true },
      context,
    );
    expect(service.state().contexts[1]).toEqual({
      ...{ name: 'prod', kind: 'remote', url: 'tls://nats.example.com', colour: 'amber' },
      ...{ isReadOnly: true, credentials: 'none' },
    });
    const fault = async (work: () => unknown): Promise<unknown> => {
      try {
        await work();
        return undefined;
      } catch (error) {
        return error;
      }
    };
    expect(await fault(() => service.calls.remove({ name: 'embedded' }, context))).toMatchObject({
      code: 'invalid-input',
    });
    expect(await fault(() => service.calls.save(remote('embedded', 'nats://a'), context))).toMatchObject({
      code: 'invalid-input',
    });
    expect(await fault(() => service.calls.save({ ...remote('x', ''), url: null }, context))).toMatchObject({
      details: { field: 'url' },
    });
    expect(await fault(() => service.calls.save(remote('y', 'nats://a:b@c'), context))).toMatchObject({
      details: { field: 'url' },
    });
    // Refused at its address, nothing of it is kept.
    expect(names()).toEqual(['embedded', 'prod']);
    const changed = { ...remote('prod', 'http://a'), colour: 'red' };
    expect(await fault(() => service.calls.save(changed, context))).toMatchObject({ details: { field: 'url' } });
    expect(service.state().contexts[1]).toMatchObject({ url: 'tls://nats.example.com', colour: 'amber' });
    await service.calls.remove({ name: 'prod' }, context);
    expect(names()).not.toContain('prod');
  });

  it('B8 B9 a context is tested beside the one in use, used, and told with its server', async () => {
    server = await startNatsServer();
    await service.calls.save(remote('prod', server.url), context);
    const test = await service.calls.test({ name: 'prod' }, context);
    expect(test).toMatchObject({ server: { version: expect.stringMatching(/^2\./) }, jetStream: {} });
    expect(test.rttMs).toBeGreaterThan(0);
    expect(service.state()).toMatchObject({ current: 'embedded', server: null, rttMs: null });
    await service.calls.use({ name: 'prod' }, context);
    expect(profile.settings.settings().currentContext).toBe('prod');
    await expect.poll(() => service.state().rttMs).toBeGreaterThan(0);
    expect(service.state()).toMatchObject({
      current: 'prod',
      status: { kind: 'connected' },
      problem: null,
      outages: [],
    });
    await server.kill('SIGKILL');
    await expect.poll(() => service.state().status.kind, { timeout: 10_000 }).toBe('reconnecting');
    const [outage] = service.state().outages;
    expect(outage).toEqual({ fromMs: expect.any(Number), toMs: null, afterSeq: 41 });
    expect(service.state().staleSinceMs).toBe(outage?.fromMs);
    await server.restart();
    await expect.poll(() => service.state().status.kind, { timeout: 15_000 }).toBe('connected');
    expect(service.state()).toMatchObject({
      staleSinceMs: null,
      outages: [{ afterSeq: 41, toMs: expect.any(Number) }],
    });
    expect(service.state().outages).toHaveLength(1);
  });

  it('I3 contexts of the nats command line are taken over with their secrets in the key store, and no secret is shown', async () => {
    mkdirSync(natsCli, { recursive: true });
    const password = 'pelican-of-the-lower-quay';
    writeFileSync(
      join(natsCli, 'stage.json'),
      JSON.stringify({ url: 'nats://stage.example.com:4222', user: 'ops', password }),
    );
    writeFileSync(join(natsCli, 'broken.json'), '{');
    const { imported, skipped } = await service.calls.importNats({}, context);
    expect(imported).toEqual(['stage']);
    expect(skipped.map(({ name }) => name)).toEqual(['broken']);
    expect(service.state().contexts.find(({ name }) => name === 'stage')).toMatchObject({
      ...{ kind: 'remote', url: 'nats://stage.example.com:4222', credentials: 'password' },
    });
    expect(JSON.stringify([service.state(), skipped])).not.toContain(password);
    expect(profiles.log.join('')).not.toContain(password);
    const again = await service.calls.importNats({}, context);
    expect(again.imported).toEqual([]);
    await service.calls.remove({ name: 'stage' }, context);
    expect([...profile.keyStore.read().credentials.keys()]).toEqual([]);
  });
});
