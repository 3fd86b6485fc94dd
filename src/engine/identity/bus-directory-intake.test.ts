import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  createDirectoryPlace,
  type DirectoryPlace,
  grantBob,
  keyOf,
  twoProfiles,
} from '../../../tests/support/directory-place.ts';
import { cardWith, grantWith, signerOf } from '../../../tests/support/identity-fixture.ts';
import { createFakeClock } from '../ports/fake-clock.ts';
import { cardBucketOf, grantBucketOf, maxEntryBytes } from './bus-entry.ts';
import { maxStrangers } from './card-intake.ts';
import { createStandings, type Standing, watchStanding } from './standing.ts';

let at: DirectoryPlace;
beforeEach(async () => {
  at = await createDirectoryPlace();
});
afterEach(async () => {
  await at.close();
  expect(at.clock.timerCount).toBe(0);
});

describe('what comes in', () => {
  test('I4 A19 a revocation ends who it names elsewhere at once, without an import', async () => {
    const { boss, bob } = await twoProfiles(at);
    const { directory } = bob.records;
    const told: (Standing | undefined)[] = [];
    const deps = { workspace: 'acme', directory, rootPublic: signerOf(255).nkey, clock: at.clock };
    await grantBob(boss, 5);
    await at.until(() => bob.rolesOf('bob')?.length === 1);
    const watching = watchStanding({
      ...{ peer: 'bob', sign: keyOf(2), standing: createStandings(deps), directory, clock: at.clock },
      onChange: (now) => told.push(now),
    });
    await grantBob(boss, 6, []);
    await at.until(() => told.length > 0);
    expect(told).toEqual([{ kind: 'over', why: 'its grant was revoked' }]);
    watching.dispose();
  });

  test('I4 I24 a server whose clock is ahead delays no revocation', async () => {
    const behind = createFakeClock(at.clock.now() - 600_000);
    const bob = await at.connect('bob', { key: 2, clock: behind });
    await at.put('grant', 'bob', grantWith({ peer: 'bob', sign: keyOf(2), serial: 5 }));
    await at.until(() => bob.rolesOf('bob')?.length === 1);
    await at.put('grant', 'bob', grantWith({ peer: 'bob', sign: keyOf(2), serial: 6, roles: [] }));
    await at.until(() => bob.rolesOf('bob')?.length === 0);
    expect(bob.verdict({ peer: 'bob', signer: keyOf(2), at: behind.now() })).toBe('wrong-role');
  });

  test('I4 I24 a profile that comes late judges by every grant that the bucket kept, by the times of their storing', async () => {
    const { boss } = await twoProfiles(at);
    const times: number[] = [];
    for (const [serial, roles] of [
      [5, ['worker']],
      [6, []],
      [7, ['worker']],
    ] as const) {
      at.clock.advance(10_000);
      times.push(at.clock.now());
      await grantBob(boss, serial, roles);
      await at.until(async () => (await at.lies('grant', 'bob'))?.['serial'] === serial);
    }
    at.clock.advance(10_000);
    const late = await at.connect('late', { key: 3 });
    await at.until(() => late.records.directory.grants('bob').length === 3);
    const kindAt = (atMs: number) => late.verdict({ peer: 'bob', signer: keyOf(2), at: atMs, roles: ['worker'] });
    const [granted = 0, revoked = 0, again = 0] = times;
    expect([granted - 1, granted, revoked, again, again + 1].map(kindAt)).toEqual([
      ...['unknown', 'granted', 'wrong-role', 'granted', 'granted'],
    ]);
  });

  test('I24 a grant that came both ways counts from the earlier time', async () => {
    const { boss } = await twoProfiles(at);
    const late = await at.connect('late', { key: 3 });
    const made = await grantBob(boss, 5);
    await at.until(() => at.lies('grant', 'bob'));
    const storedMs = at.clock.now();
    await at.until(() => late.rolesOf('bob'));
    await late.close();
    // Imported long after, into a profile that had not heard of it.
    at.clock.advance(100_000);
    const importer = await at.connect('importer', { key: 4, isReadOnly: true });
    await importer.records.directory.putGrant(made);
    await at.settled(importer);
    await at.until(() => importer.records.directory.grants('bob')[0]?.storedMs === storedMs);
    // Imported before the bucket had it: from then on it counts here.
    at.clock.advance(1_000);
    const early = await at.connect('early', { key: 5, isReadOnly: true });
    const next = grantWith({ peer: 'bob', sign: keyOf(2), serial: 9 });
    const importedMs = at.clock.now();
    await early.records.directory.putGrant(next);
    at.clock.advance(50_000);
    await at.put('grant', 'bob', next);
    await at.until(() => importer.rolesOf('bob')?.includes('human'));
    await at.settled(early);
    expect(early.records.directory.grants('bob').at(-1)).toMatchObject({ storedMs: importedMs });
  });

  test('I4 I23 an old grant that is put back is refused and told; the holder of the root puts the newest over it', async () => {
    const { boss, bob } = await twoProfiles(at);
    const old = await grantBob(boss, 5);
    await at.until(() => bob.rolesOf('bob')?.length === 1);
    await grantBob(boss, 6, []);
    await at.until(() => bob.rolesOf('bob')?.length === 0);
    at.clock.advance(60_000);
    for (let n = 0; n < 3; n++) await at.put('grant', 'bob', old);
    await at.until(() => bob.refused.length > 0);
    expect(bob.refused).toEqual([
      { kind: 'grant', peer: 'bob', why: 'grant: a newer one of this peer was seen before.' },
    ]);
    await at.until(async () => (await at.lies('grant', 'bob'))?.['serial'] === 6, 1_000);
    expect(bob.rolesOf('bob')).toEqual([]);
    await bob.close();
    // After a start it is the floor on disk that knows.
    await at.put('grant', 'bob', old);
    const again = await at.connect('bob', { key: 2 });
    await at.until(() => again.refused.length > 0);
    expect(again.verdict({ peer: 'bob', signer: keyOf(2), at: at.clock.now(), roles: ['worker'] })).toBe('wrong-role');
  });

  test('I4 I23 whoever deletes a key takes nothing from anybody, and what was deleted lies there again', async () => {
    const { boss, bob } = await twoProfiles(at);
    await grantBob(boss, 5);
    await at.until(() => at.lies('card', 'bob'));
    await at.until(() => boss.records.directory.card('bob'));
    for (const [bucket, key] of [
      [grantBucketOf('acme'), 'bob'],
      [cardBucketOf('acme'), 'bob'],
    ] as const)
      await at.fabric.durable.keyValue(bucket).delete(key);
    await at.until(() => at.lies('grant', 'bob'), 1_000);
    await at.until(() => at.lies('card', 'bob'), 1_000);
    expect([boss.rolesOf('bob'), bob.rolesOf('bob')]).toEqual([['worker'], ['worker']]);
    expect(boss.records.directory.grants('bob')).toHaveLength(1);
    expect(boss.records.directory.card('bob')).toBeDefined();
  });

  test('I23 a revocation that garbage was put over at once is found behind it', async () => {
    const bob = await at.connect('bob', { key: 2 });
    await at.put('grant', 'bob', grantWith({ peer: 'bob', sign: keyOf(2), serial: 5 }));
    await at.until(() => bob.rolesOf('bob')?.length === 1);
    await bob.close();
    await at.put('grant', 'bob', grantWith({ peer: 'bob', sign: keyOf(2), serial: 6, roles: [] }));
    await at.put('grant', 'bob', 'garbage');
    const again = await at.connect('bob', { key: 2 });
    await at.until(() => again.rolesOf('bob')?.length === 0);
  });

  test('I2 I4 I23 what is no record of that peer, of this workspace and soundly signed is refused, once each, and takes no room', async () => {
    const bob = await at.connect('bob', { key: 2 });
    const good = cardWith({ peer: 'eve' }, signerOf(9));
    const bad: readonly (readonly ['card' | 'grant', string, object | string | Uint8Array, RegExp])[] = [
      ['card', 'e1', 'no JSON', /no JSON/],
      ['card', 'e2', new Uint8Array([0xff, 0xfe]), /card/],
      ['card', 'e3', 'x'.repeat(maxEntryBytes + 1), /8193 bytes/],
      ['card', 'e4', { ...cardWith({ peer: 'e4' }), name: 'Eve' }, /signature/],
      ['card', 'e5', good, /another peer’s name|another peer's name/],
      ['card', 'e6', cardWith({ ws: 'other', peer: 'e6' }), /another workspace/],
      ['card', 'bob', cardWith({ peer: 'bob', serial: 2 ** 50 }, signerOf(9)), /of another key/],
      ['grant', 'bob', grantWith({ peer: 'bob', sign: keyOf(2) }, signerOf(9)), /signature/],
      ['grant', 'e7', grantWith({ peer: 'bob', sign: keyOf(2) }), /another peer/],
      ['grant', 'e8', grantWith({ ws: 'other', peer: 'e8' }), /another workspace/],
      ['grant', 'a.b', '[]', /grant/],
    ];
    for (let n = 0; n < 3; n++) for (const [kind, key, value] of bad) await at.put(kind, key, value);
    await at.until(() => bob.refused.length >= bad.length);
    for (const [kind, key, , why] of bad) {
      const told = bob.refused.filter((one) => one.kind === kind && one.peer === key);
      expect(told).toEqual([{ kind, peer: key, why: expect.stringMatching(why) as string }]);
    }
    await at.settled(bob);
    expect(bob.records.directory.cards().map(({ record }) => record.peer)).toEqual(['bob']);
    expect([bob.records.directory.grantedPeers(), bob.records.pins.list('acme')]).toEqual([[], []]);
    expect(bob.records.floor.highest({ kind: 'card', ws: 'acme', peer: 'bob' })).toBe(1);
  });

  test('I2 first sight pins; another key under the name is offered, blocks, and raises nothing', async () => {
    const { boss, bob } = await twoProfiles(at);
    await grantBob(boss, 5);
    await at.until(() => boss.records.pins.find({ ws: 'acme', peer: 'bob' }));
    await bob.close();
    await at.put('card', 'bob', cardWith({ peer: 'bob', serial: 2 ** 40 }, signerOf(9)));
    await at.until(() => boss.records.pins.find({ ws: 'acme', peer: 'bob' })?.offered);
    expect(boss.records.pins.state({ ws: 'acme', peer: 'bob' })).toMatchObject({
      ...{ kind: 'changed', card: { sign: keyOf(2) }, offered: { sign: keyOf(9) } },
    });
    expect(boss.records.directory.card('bob')?.record.sign).toBe(keyOf(2));
    expect(boss.records.floor.highest({ kind: 'card', ws: 'acme', peer: 'bob' })).toBe(1);
    // Whom the root names puts its own card over it.
    const again = await at.connect('bob', { key: 2 });
    await at.until(async () => (await at.lies('card', 'bob'))?.['sign'] === keyOf(2));
    // Whom it does not name leaves it as it is.
    const stranger = await at.connect('boss2', { key: 7 });
    await at.put('card', 'boss2', cardWith({ peer: 'boss2' }, signerOf(9)));
    await at.settled(again, stranger);
    expect(await at.lies('card', 'boss2')).toMatchObject({ sign: keyOf(9) });
  });

  test('I22 what others write over a record is put right ever more seldom', async () => {
    const { boss } = await twoProfiles(at);
    let rights = 0;
    const bucket = at.fabric.durable.keyValue(grantBucketOf('acme'));
    for (let minute = 0; minute < 10; minute++) {
      await at.put('grant', 'boss', 'garbage');
      await at.until(() => boss.refused.length > 0);
      for (let n = 0; n < 20; n++) {
        at.clock.advance(3_000);
        await new Promise((resolve) => setImmediate(resolve));
        if ((await at.lies('grant', 'boss'))?.['peer'] !== 'boss') continue;
        rights++;
        await at.put('grant', 'boss', 'garbage');
      }
    }
    expect(rights).toBeGreaterThan(3);
    expect(rights).toBeLessThan(12);
    expect((await bucket.history('boss')).length).toBeLessThan(64);
  });

  test('I23 strangers’ cards are bounded; whom the root has granted something is always taken', async () => {
    const bob = await at.connect('bob', { key: 2 });
    const first = cardWith({ peer: 's0' }, signerOf(9));
    await bob.records.pins.seeAll(
      Array.from({ length: maxStrangers }, (_, n) => ({ ...first, peer: `s${n}` }) as typeof first),
    );
    await at.put('card', 'eve', cardWith({ peer: 'eve' }, signerOf(9)));
    await at.until(() => bob.refused.length > 0);
    expect(bob.refused).toEqual([
      { kind: 'card', peer: '', why: expect.stringMatching(/1024 peers without a grant/) as string },
    ]);
    expect(bob.records.pins.find({ ws: 'acme', peer: 'eve' })).toBeUndefined();
    await at.put('grant', 'ann', grantWith({ peer: 'ann', sign: keyOf(8) }));
    await at.until(() => bob.rolesOf('ann'));
    await at.put('card', 'ann', cardWith({ peer: 'ann' }, signerOf(8)));
    await at.until(() => bob.records.pins.find({ ws: 'acme', peer: 'ann' }));
  });
});
