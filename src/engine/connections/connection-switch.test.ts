import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createUser } from 'nkeys.js';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type NatsServer, startNatsServer } from '../../../tests/support/nats-server.ts';
import { utf8 } from '../../shared/base/bytes.ts';
import { VakError } from '../../shared/base/vak-error.ts';
import { readSettings } from '../../shared/settings/settings-schema.ts';
import { createSecret } from '../identity/secret.ts';
import { createSystemClock } from '../ports/clock.ts';
import { createSilentLogger } from '../ports/logger.ts';
import { createSystemRandomness } from '../ports/randomness.ts';
import { type ConnectionSwitch, openConnectionSwitch } from './connection-switch.ts';
import { createManagedLeases } from './managed-leases.ts';
import type { OwnServerAuth } from './own-server-auth.ts';

const subject = 'vak.events.default.s1.tokens';
let folder: string;
let server: NatsServer | undefined;
let connection: ConnectionSwitch | undefined;
/** The settings file as it stands. */
let file: Record<string, unknown>;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'vak-switch-'));
  file = {};
});
afterEach(async () => {
  await connection?.close();
  await server?.stop();
  [connection, server] = [undefined, undefined];
  rmSync(folder, { recursive: true, force: true });
});

async function open(
  environment: Record<string, string> = {},
  ownAuth?: (peer: string) => OwnServerAuth,
): Promise<ConnectionSwitch> {
  connection = await openConnectionSwitch({
    ...{ clock: createSystemClock(), randomness: createSystemRandomness(), logger: createSilentLogger() },
    ...{ workspace: 'default', peer: () => 'ada', sources: () => ({ environment }), ...(ownAuth && { ownAuth }) },
    settings: () => readSettings(file).settings,
    embedded: { folder: join(folder, 'engine'), durability: 'written' },
    managed: createManagedLeases(() => Promise.reject(new VakError('not-found', 'nats-server: not found'))),
  });
  return connection;
}

const contexts = (url: string) => ({ contexts: { prod: { kind: 'remote', url } } });

describe('connection switch', () => {
  it('B6 begins with the embedded engine, whose streams are there, and is connected', async () => {
    const { live, current, status, problem } = await open();
    expect([current(), status().kind, problem()]).toEqual(['embedded', 'connected', undefined]);
    expect((await live.durable.streams()).map(({ spec }) => spec.name)).toContain('VAK_WORK_default');
    const stored = await live.durable.append('vak.audit.default.ada.action', utf8('{}'));
    expect(stored.stream).toBe('VAK_AUDIT_default');
  });

  it('B8 a change keeps every subscription; what was published before and after is heard once, in order', async () => {
    server = await startNatsServer();
    file = contexts(server.url);
    const { live, use, current } = await open();
    const heard: string[] = [];
    live.bus.subscribe('vak.events.default.>', {
      kind: 'inline',
      onMessage: ({ data }) => heard.push(Buffer.from(data).toString()),
    });
    live.bus.publish(subject, utf8('embedded'));
    await use('prod');
    expect(current()).toBe('prod');
    expect(live.facts().kind).toBe('nats');
    live.bus.publish(subject, utf8('remote'));
    await expect.poll(() => heard).toEqual(['embedded', 'remote']);
    await use('embedded');
    live.bus.publish(subject, utf8('embedded again'));
    await expect.poll(() => heard).toEqual(['embedded', 'remote', 'embedded again']);
  });

  it('B8 a change that fails is told and changes nothing', async () => {
    file = contexts('nats://127.0.0.1:1');
    const { use, current, live } = await open();
    await expect(use('prod')).rejects.toMatchObject({ code: 'disconnected' });
    await expect(use('nobody')).rejects.toMatchObject({ code: 'not-found' });
    expect([current(), live.facts().kind, live.status().kind]).toEqual(['embedded', 'embedded', 'connected']);
  });

  it('B8 settings that ask for a server which is not there are told, tried again, and followed when it comes', async () => {
    server = await startNatsServer();
    const { url } = server;
    await server.kill('SIGKILL');
    file = { ...contexts(url), currentContext: 'prod' };
    const { current, status, problem, live } = await open();
    expect(current()).toBe('prod');
    await expect.poll(() => status().kind).toBe('reconnecting');
    expect(problem()).toMatchObject({ code: 'disconnected' });
    await server.restart();
    await expect.poll(() => status().kind, { timeout: 15_000 }).toBe('connected');
    expect([problem(), live.facts().kind]).toEqual([undefined, 'nats']);
  });

  it('B8 what the settings ask for already is not connected anew, unless its secrets changed', async () => {
    server = await startNatsServer();
    file = { ...contexts(server.url), currentContext: 'prod' };
    const { follow, status, live, onChange } = await open();
    await expect.poll(() => status().kind).toBe('connected');
    const since = live.status().sinceMs;
    let changes = 0;
    onChange(() => changes++);
    follow();
    await expect.poll(() => changes).toBe(1);
    expect(live.status().sinceMs).toBe(since);
    follow(true);
    await expect.poll(() => live.status().sinceMs).toBeGreaterThan(since);
  });

  it('B6 the embedded engine is tested while it is in use, and made read-only and back, with all that it keeps', async () => {
    const { live, connect, follow, status } = await open();
    const audit = 'vak.audit.default.ada.action';
    await live.durable.append(audit, utf8('{"n":1}'));
    const lent = await connect('embedded');
    expect(await lent.ping()).toBeGreaterThanOrEqual(0);
    await lent.close();
    expect(status().kind).toBe('connected');
    file = { contexts: { embedded: { readOnly: true } } };
    follow();
    await expect
      .poll(() =>
        live.durable.append(audit, utf8('{"n":2}')).then(
          () => 'stored',
          (error) => error.code,
        ),
      )
      .toBe('read-only');
    const kept = (await live.durable.stream('VAK_AUDIT_default').last(audit))?.seq ?? 0;
    expect(kept).toBeGreaterThanOrEqual(1);
    file = {};
    follow();
    await expect
      .poll(() =>
        live.durable.append(audit, utf8('{"n":3}')).then(
          ({ seq }) => seq,
          (error) => error.code,
        ),
      )
      .toBe(kept + 1);
  });

  it('B8 whoever keeps something for the engine in use lets go of it before it is left, and is not waited for for ever', async () => {
    const { engine, follow, onLeave, onChange } = await open();
    const former = engine();
    const story: string[] = [];
    onLeave(async () => {
      const stored = await former?.fabric.durable.append('vak.audit.default.ada.action', utf8('{}'));
      story.push(`${engine()?.destination} ${stored?.stream}`);
    });
    onLeave(() => Promise.reject(new Error('must not hold it up')));
    onChange(() => story.push(engine() === undefined ? 'none' : 'there'));
    file = { contexts: { embedded: { readOnly: true } } };
    follow();
    await expect.poll(() => engine()?.readOnlyContext).toBe('embedded');
    expect(story.slice(0, 2)).toEqual(['none', 'undefined VAK_AUDIT_default']);
    expect(story.at(-1)).toBe('there');
    expect(engine()).toMatchObject({ kind: 'embedded', destination: 'embedded' });
    expect(engine()?.fabric).not.toBe(former?.fabric);
  });

  it('B3 what the settings keep of a stream counts when the connection is opened the next time, and can be taken back', async () => {
    const ageOf = async (one: ConnectionSwitch) =>
      (await one.live.durable.stream('VAK_DLQ_default').state()).spec.maxAgeMs ?? 0;
    const dayMs = 86_400_000;
    file = { retention: { deadLettersDays: 7, deadLettersMiB: 16 } };
    const first = await open();
    expect(await ageOf(first)).toBe(7 * dayMs);
    file = {};
    first.follow();
    expect(await ageOf(first)).toBe(7 * dayMs);
    await first.close();
    const second = await open();
    expect(await ageOf(second)).toBe(90 * dayMs);
    expect((await second.live.durable.stream('VAK_DLQ_default').state()).spec.maxBytes).toBe(1024 ** 3);
  });

  it('B10 whether the context is read-only is known as soon as it is asked for, also while its server is sought', async () => {
    const prod = { kind: 'remote', url: 'nats://127.0.0.1:1', readOnly: true };
    file = { contexts: { prod }, currentContext: 'prod' };
    const { readOnlyContext, engine, use } = await open();
    expect([engine(), readOnlyContext()]).toEqual([undefined, 'prod']);
    await use('embedded');
    expect(readOnlyContext()).toBeUndefined();
  });

  it('A18 another peer connects to the engine in use by its own key, or by what the context gives; where nothing can be changed it does not', async () => {
    const [ada, worker, stranger] = [createUser(), createUser(), createUser()];
    const users = [ada, worker].map((key) => ({ nkey: key.getPublicKey() }));
    server = await startNatsServer({ users, jetStream: false });
    file = { ...contexts(server.url), currentContext: 'prod' };
    let readCount = 0;
    const keyOf = (key: typeof ada): OwnServerAuth => ({
      read() {
        readCount++;
        return { kind: 'nkey', seed: createSecret(Uint8Array.from(key.getSeed())) };
      },
      dispose() {},
    });
    const own = await open({}, () => keyOf(ada));
    await expect.poll(() => own.engine()?.kind).toBe('remote');
    const connected = await own.engine()?.connectAs?.({ peer: 'worker-1', ownAuth: keyOf(worker) });
    expect(connected?.status().kind).toBe('connected');
    await connected?.close();
    const refused = own.engine()?.connectAs?.({ peer: 'worker-2', ownAuth: keyOf(stranger) });
    await expect(refused).rejects.toMatchObject({ code: 'unauthorized' });
    await own.close();

    readCount = 0;
    const given = await open({ VAK_BUS_NATS_NKEY_SEED: Buffer.from(ada.getSeed()).toString() }, () => keyOf(stranger));
    await expect.poll(() => given.engine()?.kind).toBe('remote');
    await (await given.engine()?.connectAs?.({ peer: 'worker-1', ownAuth: keyOf(stranger) }))?.close();
    expect(readCount).toBe(0);
    file = { contexts: { prod: { kind: 'remote', url: server.url, readOnly: true } }, currentContext: 'prod' };
    given.follow();
    await expect.poll(() => given.engine()?.readOnlyContext).toBe('prod');
    expect(given.engine()?.connectAs).toBeUndefined();
    await given.use('embedded');
    expect([given.engine()?.connectAs, given.present()?.destination]).toEqual([undefined, 'embedded']);
  });

  it('B8 closing while a connection is sought ends the search', async () => {
    file = { ...contexts('nats://10.255.255.1:4222'), currentContext: 'prod' };
    const { close } = await open();
    await close();
    connection = undefined;
  });
});
