import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { failure } from '../../../tests/support/expected-failure.ts';
import { grantWith, root, signerOf } from '../../../tests/support/identity-fixture.ts';
import { openWorkPlace, type WorkPlace, workEngines } from '../../../tests/support/work-fixture.ts';
import { utf8 } from '../../shared/base/bytes.ts';
import type { Role } from '../../shared/protocol/roles.ts';
import { createRecordChecks } from '../identity/signed-record.ts';
import { createSignerResolution } from '../identity/signer-resolution.ts';
import { createStateReader, type StateReader, writeStateValue } from '../identity/state-values.ts';
import { createFakeClock } from '../ports/fake-clock.ts';
import { type QueueFlag, type QueueFlags, readQueueFlag, setQueuePaused, watchQueueFlags } from './queue-flags.ts';
import { pauseQueue } from './queue-pause.ts';
import { stateBucketOf } from './state-watch.ts';

const patience = { timeout: 10_000, interval: 10 };
const olga = signerOf(31);

describe.each(workEngines)('on the engine %s', (engine) => {
  let place: WorkPlace;
  let flags: QueueFlags;
  let told: [string, QueueFlag][];
  let refused: [string, string][];
  let reader: StateReader;
  let resolve: ReturnType<typeof createSignerResolution>['resolveSigner'];
  const again = createFakeClock();
  const grants = new Map<string, { record: ReturnType<typeof grantWith>; storedMs: number }[]>();
  const checks = createRecordChecks();

  const grant = (peer: string, roles: Role[], key: number): void => {
    grants.set(peer, [
      { record: grantWith({ ws: 'acme', peer, sign: signerOf(key).nkey, roles, queues: [] }), storedMs: 0 },
    ]);
  };

  beforeEach(async () => {
    place = await openWorkPlace(engine);
    await place.fabric.durable.ensureKeyValue({ name: stateBucketOf('acme'), history: 8 });
    grants.clear();
    grant('olga', ['operator'], 31);
    grant('wilma', ['worker'], 32);
    const resolution = createSignerResolution({
      ...{ ws: 'acme', rootPublic: root.nkey, checks, floor: { judge: () => 'known' as const, raise: () => {} } },
      directory: { grantedPeers: () => [...grants.keys()], grants: (peer) => grants.get(peer) ?? [] },
    });
    [told, refused] = [[], []];
    resolve = resolution.resolveSigner;
    reader = createStateReader({ workspace: 'acme', verifier: checks.verifier, resolve: resolution.resolveSigner });
    flags = watchQueueFlags({
      ...{ workspace: 'acme', durable: place.fabric.durable, clock: again },
      reader: createStateReader({ workspace: 'acme', verifier: checks.verifier, resolve: resolution.resolveSigner }),
      onChange: (queue, flag) => told.push([queue, flag]),
      onRefused: (key, why) => refused.push([key, why]),
    });
  });
  afterEach(async () => {
    flags.dispose();
    await place.close();
  });

  const set = (isPaused: boolean, { peer = 'olga', signer = olga, queue = 'q' } = {}): Promise<number> =>
    setQueuePaused({ workspace: 'acme', queue, peer }, isPaused, {
      ...{ durable: place.fabric.durable, signer, clock: place.ports.clock },
    });
  const put = (key: string, value: Uint8Array): Promise<number> =>
    place.fabric.durable.keyValue(stateBucketOf('acme')).put(key, value);

  test('W9 what an operator says of a queue is known to who watches, with who said it', async () => {
    expect(flags.of('q')).toBeUndefined();
    await set(true);
    await expect.poll(() => flags.of('q'), patience).toMatchObject({ isPaused: true, by: 'olga' });
    expect(flags.of('other')).toBeUndefined();
    await set(false);
    await expect.poll(() => flags.of('q'), patience).toMatchObject({ isPaused: false });
    expect(told.map(([queue, { isPaused }]) => [queue, isPaused])).toEqual([
      ['q', true],
      ['q', false],
    ]);
    expect(refused).toEqual([]);
  });

  test('W9 who looks once reads what an operator said last, and nothing of what does not count', async () => {
    const read = (queue = 'q', workspace = 'acme') =>
      readQueueFlag({ workspace, queue }, { durable: place.fabric.durable, reader });
    expect([await read(), await read('q', 'nowhere')]).toEqual([undefined, undefined]);
    await set(true);
    expect(await read()).toMatchObject({ isPaused: true, by: 'olga' });
    expect(await read('other')).toBeUndefined();
    await set(true, { peer: 'wilma', signer: signerOf(32), queue: 'other' });
    expect(await read('other')).toBeUndefined();
    await set(false);
    expect(await read()).toMatchObject({ isPaused: false });
  });

  test('E13 a value of nobody, of a worker, of another key, or too old changes nothing, and is told', async () => {
    const value = (over: object) =>
      writeStateValue(
        { ws: 'acme', key: 'queue.q', value: '{"isPaused":true}', at: Date.now(), peer: 'olga', ...over },
        olga,
      );
    await set(false);
    await expect.poll(() => flags.of('q')?.isPaused, patience).toBe(false);
    const bad = [
      utf8('{"isPaused":true}'),
      utf8('no json'),
      value({ ws: 'other' }),
      value({ key: 'queue.other' }),
      value({ at: Date.now() - 60_000 }),
      value({ at: Date.now() + 3_600_000 }),
      value({ value: '"paused"' }),
    ];
    for (const [at, bytes] of bad.entries()) {
      await put('queue.q', bytes);
      await expect.poll(() => refused.length, patience).toBe(at + 1);
    }
    await set(true, { peer: 'wilma', signer: signerOf(32) });
    await expect.poll(() => refused.length, patience).toBe(bad.length + 1);
    expect(flags.of('q')?.isPaused).toBe(false);
  });

  test('I4 a value of an operator whose grant is not known yet counts when it is, and is told once', async () => {
    await set(true, { peer: 'oskar', signer: signerOf(33) });
    await expect.poll(() => refused.length, patience).toBe(1);
    again.advance(5_000);
    expect([flags.of('q'), refused.length]).toEqual([undefined, 1]);
    grant('oskar', ['operator'], 33);
    again.advance(5_000);
    expect(flags.of('q')).toMatchObject({ isPaused: true, by: 'oskar' });
  });

  describe('the word of a machine whose clock is wrong', () => {
    const hourMs = 3_600_000;
    const say = (isPaused: boolean, aheadMs = 0) =>
      pauseQueue({ workspace: 'acme', queue: 'q', peer: 'olga' }, isPaused, {
        ...{ durable: place.fabric.durable, signer: olga, reader, clock: createFakeClock(Date.now() + aheadMs) },
      });
    const stands = async (): Promise<boolean | undefined> => {
      const late = createStateReader({ workspace: 'acme', verifier: checks.verifier, resolve });
      return (await readQueueFlag({ workspace: 'acme', queue: 'q' }, { durable: place.fabric.durable, reader: late }))
        ?.isPaused;
    };

    test('W9 one that is ahead is told that it does not count, and what stood before stands, for who comes later too', async () => {
      const told = await failure(say(true, hourMs));
      expect(told).toMatchObject({
        code: 'conflict',
        message: expect.stringMatching(/clock of this machine is 60 min ahead/),
      });
      expect(await stands()).toBeUndefined();
      await say(true);
      expect(await failure(say(false, hourMs))).toMatchObject({ code: 'conflict' });
      expect(await stands()).toBe(true);
      await expect.poll(() => flags.of('q'), patience).toMatchObject({ isPaused: true });
    });

    test('W9 one that is behind what was said last is told so before anything is stored', async () => {
      await say(true);
      expect(await failure(say(false, -hourMs))).toMatchObject({
        ...{
          code: 'conflict',
          message: expect.stringMatching(/what olga said of the queue last is of .* 60 min before/),
        },
      });
      expect(await stands()).toBe(true);
      await say(false);
      expect(await stands()).toBe(false);
    });
  });
});
