import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { failure } from '../../../tests/support/expected-failure.ts';
import { cardWith, createScratchFolder, grantWith, signerOf } from '../../../tests/support/identity-fixture.ts';
import { createDisposer, type Disposer } from '../../shared/base/disposer.ts';
import type { VakError } from '../../shared/base/vak-error.ts';
import type { Card } from '../../shared/protocol/identity-records.ts';
import { createSystemClock } from '../ports/clock.ts';
import { createFakeClock, type FakeClock } from '../ports/fake-clock.ts';
import { createSystemRandomness } from '../ports/randomness.ts';
import { type LocalDirectory, openLocalDirectory } from './local-directory.ts';

let path: string;
let clock: FakeClock;
let reports: VakError[];
let disposer: Disposer;

beforeEach(() => {
  disposer = createDisposer();
  path = join(disposer.add(createScratchFolder()).path, 'directory-acme.json');
  clock = createFakeClock();
  reports = [];
});

afterEach(() => {
  disposer.dispose();
  expect(clock.timerCount).toBe(0);
});

async function open(
  workspace = 'acme',
  ownClock = clock as Parameters<typeof openLocalDirectory>[0]['clock'],
): Promise<LocalDirectory> {
  const report = (error: VakError): number => reports.push(error);
  const randomness = createSystemRandomness();
  return disposer.add(await openLocalDirectory({ path, workspace, clock: ownClock, randomness, report }));
}

describe('I1 I4 the local directory', () => {
  test('I1 the present card of each peer, with the time of its storing, after opening anew too', async () => {
    const directory = await open();
    const [first, second, bob] = [cardWith(), cardWith({ serial: 2 }), cardWith({ peer: 'bob' }, signerOf(2))];
    await directory.putCard(first);
    clock.advance(1000);
    await directory.putCard(bob);
    await directory.putCard(second);
    for (const one of [directory, await open()]) {
      expect(one.card('ada')).toEqual({ record: second, storedMs: clock.now() });
      expect(
        one
          .cards()
          .map(({ record }) => record.peer)
          .toSorted(),
      ).toEqual(['ada', 'bob']);
      expect(one.card('eve')).toBeUndefined();
    }
  });

  test('I4 every grant that a peer ever had, oldest first; the same one again is not stored twice', async () => {
    const directory = await open();
    const grants = [grantWith({ serial: 1 }), grantWith({ serial: 2, roles: [] }), grantWith({ serial: 3 })];
    const storedMs: number[] = [];
    for (const one of grants) {
      storedMs.push(clock.now());
      await directory.putGrant(one);
      await directory.putGrant(one);
      clock.advance(10);
    }
    for (const one of [directory, await open()]) {
      expect(one.grants('ada')).toEqual(grants.map((record, n) => ({ record, storedMs: storedMs[n] })));
      expect(one.grantedPeers()).toEqual(['ada']);
      expect(one.grants('eve')).toEqual([]);
    }
  });

  test('I4 it judges nothing: a lower serial and a grant of another root are stored as they come', async () => {
    const directory = await open();
    await directory.putGrant(grantWith({ serial: 2 }));
    await directory.putGrant(grantWith({ serial: 1 }));
    await directory.putGrant(grantWith({ serial: 9 }, signerOf(9)));
    expect(directory.grants('ada').map(({ record }) => record.serial)).toEqual([2, 1, 9]);
  });

  test('I4 a clock that was set back does not reorder grants', async () => {
    const directory = await open();
    await directory.putGrant(grantWith({ serial: 1 }));
    const earlier = createFakeClock(clock.now() - 60_000);
    const other = await open('acme', earlier);
    await other.putGrant(grantWith({ serial: 2 }));
    const times = other.grants('ada').map(({ storedMs }) => storedMs);
    expect(times).toEqual([clock.now(), clock.now()]);
    other.dispose();
  });

  test('I1 records that do not fit, or are of another workspace, are refused', async () => {
    const directory = await open();
    expect(await failure(directory.putCard({ ...cardWith(), more: 1 } as Card))).toMatchObject({
      code: 'invalid-payload',
    });
    expect(await failure(directory.putCard(cardWith({ ws: 'other' })))).toMatchObject({ details: { field: 'ws' } });
    expect(await failure(directory.putGrant(grantWith({ ws: 'other' })))).toMatchObject({ details: { field: 'ws' } });
    expect(readdirSync(join(path, '..'))).toEqual([]);
  });

  test('I4 two directories of one file see each other, tell their listeners, and lose nothing', async () => {
    const system = createSystemClock();
    const [left, right] = [await open('acme', system), await open('acme', system)];
    let told = 0;
    disposer.add(right.onChange(() => told++));
    await Promise.all(
      Array.from({ length: 12 }, (_, n) =>
        (n % 2 === 0 ? left : right).putGrant(grantWith({ peer: `p${n}`, sign: signerOf(n + 1).nkey })),
      ),
    );
    const third = await open();
    expect(third.grantedPeers()).toHaveLength(12);
    await left.putCard(cardWith());
    await right.putCard(cardWith({ peer: 'bob' }, signerOf(2)));
    expect(right.card('ada')).toBeDefined();
    expect(told).toBeGreaterThan(0);
    clock.advance(100);
    expect(third.cards()).toHaveLength(2);
  });

  test('I4 lists are the same ones until something changed', async () => {
    const directory = await open();
    await directory.putGrant(grantWith());
    expect(directory.grants('ada')).toBe(directory.grants('ada'));
  });

  test('I4 a damaged record damages the file: set aside, said, not written over', async () => {
    await (await open()).putGrant(grantWith());
    const damaged = readFileSync(path, 'utf8').replace('"human"', '"king"');
    writeFileSync(path, damaged);
    const error = await failure(open());
    expect(error.code).toBe('corrupt');
    expect(readFileSync(String(error.details?.['asidePath']), 'utf8')).toBe(damaged);
    expect((await open()).grantedPeers()).toEqual([]);
  });

  test('I4 another workspace’s directory is refused and left as it is', async () => {
    await (await open()).putGrant(grantWith());
    const before = readFileSync(path);
    expect((await failure(open('other'))).code).toBe('invalid-input');
    expect(readFileSync(path)).toEqual(before);
  });
});
