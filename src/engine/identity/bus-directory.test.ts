import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import {
  createDirectoryPlace,
  type DirectoryPlace,
  grantBob,
  keyOf,
  twoProfiles,
} from '../../../tests/support/directory-place.ts';
import { cardWith, grantWith } from '../../../tests/support/identity-fixture.ts';
import { VakError } from '../../shared/base/vak-error.ts';
import type { DurablePlane, KeyValueBucket } from '../bus/durable.ts';
import { keyValuesOf } from '../bus/provision.ts';
import { grantBucketOf } from './bus-entry.ts';

let at: DirectoryPlace;
beforeEach(async () => {
  at = await createDirectoryPlace();
});
afterEach(async () => {
  await at.close();
  expect(at.clock.timerCount).toBe(0);
});

/** The engine, with some calls of one bucket replaced. */
function withBucket(name: string, change: (bucket: KeyValueBucket) => Partial<KeyValueBucket>): DurablePlane {
  const { durable } = at.fabric;
  return {
    ...durable,
    keyValue(asked) {
      const bucket = durable.keyValue(asked);
      return asked === name ? { ...bucket, ...change(bucket) } : bucket;
    },
  };
}

describe('what goes out', () => {
  test('I1 I4 cards and grants of the profile lie in the buckets as soon as it is connected, and what is granted later follows', async () => {
    const { boss, bob } = await twoProfiles(at);
    expect(await at.lies('card', 'boss')).toMatchObject({ peer: 'boss', sign: keyOf(1) });
    expect(await at.lies('grant', 'boss')).toMatchObject({ roles: ['operator', 'human'] });
    // A1: whoever holds no role writes nothing.
    expect(await at.lies('card', 'bob')).toBeUndefined();
    await grantBob(boss, 5);
    await at.until(() => at.lies('card', 'bob'));
    expect(bob.rolesOf('bob')).toEqual(['worker']);
    expect(await boss.bus.published(0)).toEqual({ kind: 'all' });
  });

  test('I22 what was granted without a connection goes out at the next one, the newest of each peer alone', async () => {
    const { boss } = await twoProfiles(at);
    await boss.close();
    const later = await at.connect('boss', { holdsRoot: true, isReadOnly: true });
    await grantBob(later, 5);
    await grantBob(later, 6, []);
    expect(await later.bus.published(0)).toEqual({ kind: 'all' });
    await later.close();
    const again = await at.connect('boss', { holdsRoot: true });
    await at.settled(again);
    expect(await at.lies('grant', 'bob')).toMatchObject({ serial: 6, roles: [] });
    const values = await at.fabric.durable.keyValue(grantBucketOf('acme')).history('bob');
    expect(values).toHaveLength(1);
  });

  test('I22 B29 nothing is published through a read-only context, and reading goes on', async () => {
    const put = vi.fn(() => Promise.reject(new VakError('read-only', 'put')));
    await at.put('grant', 'bob', grantWith({ peer: 'bob', sign: keyOf(2), serial: 5 }));
    const boss = await at.connect('boss', {
      ...{ holdsRoot: true, isReadOnly: true },
      durable: withBucket(grantBucketOf('acme'), () => ({ put })),
    });
    await boss.grant({ roles: ['operator'] });
    await at.settled(boss);
    expect(boss.rolesOf('bob')).toEqual(['human']);
    expect([put.mock.calls, await at.lies('card', 'boss')]).toEqual([[], undefined]);
  });

  test('I22 a lower serial is never put over a higher one, nor a card over a newer one of the same key', async () => {
    await at.put('grant', 'boss', grantWith({ peer: 'boss', serial: 9, roles: ['operator'] }));
    await at.put('card', 'boss', cardWith({ peer: 'boss', serial: 9 }));
    const boss = await at.connect('boss', { holdsRoot: true });
    await boss.grant({ roles: ['operator'], serial: 3 });
    await at.settled(boss);
    expect(await at.lies('grant', 'boss')).toMatchObject({ serial: 9 });
    expect(await at.lies('card', 'boss')).toMatchObject({ serial: 9 });
    expect(boss.records.floor.highest({ kind: 'card', ws: 'acme', peer: 'boss' })).toBe(9);
  });

  test('I22 every put expects what was seen: who comes second looks again', async () => {
    const revisions: unknown[] = [];
    const boss = await at.connect('boss', {
      holdsRoot: true,
      durable: withBucket(grantBucketOf('acme'), (bucket) => ({
        async put(key, value, options) {
          revisions.push(options?.revision);
          // Another holder of the root was faster.
          if (revisions.length === 1)
            await at.put('grant', 'boss', grantWith({ peer: 'boss', roles: ['operator', 'human'], serial: 8 }));
          return await bucket.put(key, value, options);
        },
      })),
    });
    await boss.grant({ roles: ['operator'] });
    await at.until(() => boss.rolesOf('boss')?.length === 2);
    await at.settled(boss);
    expect(revisions).toEqual([0]);
    expect(await at.lies('grant', 'boss')).toMatchObject({ serial: 8 });
  });

  test('I22 a server that lets this peer put nothing is told once, and asked again after the next connection only', async () => {
    let puts = 0;
    const boss = await at.connect('boss', {
      holdsRoot: true,
      durable: withBucket(grantBucketOf('acme'), () => ({
        put() {
          puts++;
          return Promise.reject(new VakError('unauthorized', 'put: refused'));
        },
      })),
    });
    await boss.grant({ roles: ['operator'] });
    await at.until(async () => (await boss.bus.published(0)).kind === 'refused');
    at.clock.advance(600_000);
    await grantBob(boss, 5);
    await at.settled(boss);
    expect(puts).toBe(1);
    expect(await at.lies('card', 'boss')).toBeDefined();
  });

  test('I22 what fails for a while is tried again, ever more seldom', async () => {
    let puts = 0;
    const boss = await at.connect('boss', {
      holdsRoot: true,
      durable: withBucket(grantBucketOf('acme'), (bucket) => ({
        put(...args) {
          puts++;
          return puts < 4
            ? Promise.reject(new VakError('timeout', 'put: no answer', { retryable: true }))
            : bucket.put(...args);
        },
      })),
    });
    await boss.grant({ roles: ['operator'] });
    await at.until(() => at.lies('grant', 'boss'), 1_000);
    expect(puts).toBe(4);
  });

  test('I22 buckets that are made later are filled then; one that was made anew gets all of it again', async () => {
    await at.close();
    at = await createDirectoryPlace(false);
    const boss = await at.connect('boss', { holdsRoot: true });
    await boss.grant({ roles: ['operator'] });
    await at.until(async () => (await boss.bus.published(0)).kind === 'waiting');
    expect(await boss.bus.published(0)).toMatchObject({ error: { code: 'not-found' } });
    expect(await boss.bus.ready(0)).toBe(false);
    for (const spec of keyValuesOf('acme')) await at.fabric.durable.ensureKeyValue(spec);
    await at.until(() => at.lies('grant', 'boss'), 1_000);
    await at.fabric.durable.keyValue(grantBucketOf('acme')).delete('boss');
    await at.until(() => at.lies('grant', 'boss'), 1_000);
  });
});
