import { cpSync, mkdtempSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createSystemClock } from '../ports/clock.ts';
import { createSystemRandomness, createUuid } from '../ports/randomness.ts';
import type { CampaignRecord } from './campaign-record.ts';
import { createCampaignStore } from './campaign-store.ts';

const [clock, randomness] = [createSystemClock(), createSystemRandomness()];
let folder: string;
let reports: string[];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'vak-campaigns-'));
  reports = [];
});
afterEach(() => rmSync(folder, { recursive: true }));

const open = (maxCampaigns = 3) =>
  createCampaignStore({
    ...{ folder: join(folder, 'campaigns'), clock, randomness, maxCampaigns },
    report: ({ message }) => reports.push(message),
  });

function recordAt(startedMs: number, isSettled = true): CampaignRecord {
  const letter = { seq: 1, taskLeaf: 'a'.repeat(64), fingerprint: 'b'.repeat(16), queue: 'q' };
  return {
    ...{ v: 1, operationId: createUuid(clock, randomness), workspace: 'acme', destination: 'here', peer: 'ada' },
    ...{ environment: 'here', kind: 'retry', queue: null, title: '1 letter', reason: null, isCanary: false },
    ...{ ratePerSec: 10, cutoffSeq: 1, startedMs, changedMs: startedMs, state: 'running', why: null },
    ...{ isEndTold: false, isSettled, slots: [], streak: { fingerprint: '', count: 0 } },
    items: [
      {
        ...{ ...letter, taskId: createUuid(clock, randomness), outcome: 'requested', told: null },
        ...{ leaf: null, place: null, failedWith: null, why: null },
      },
    ],
  };
}

test('D7 a campaign is on disk before it is announced, for nobody else to read, and is read back as it was', async () => {
  const store = open();
  expect(await store.ids()).toEqual([]);
  const record = recordAt(1);
  await store.add(record);
  const [name = ''] = readdirSync(join(folder, 'campaigns'));
  expect(statSync(join(folder, 'campaigns', name)).mode & 0o777).toBe(0o600);
  record.state = 'done';
  await store.save(record);
  expect(await open().get(record.operationId)).toEqual(record);
  expect(await store.get('0197a3c0-0000-7000-8000-000000000001')).toBeUndefined();
});

test('D7 a copy of a profile does not go on with what the other one may be at; the same folder elsewhere does', async () => {
  const store = open();
  const record = recordAt(1, false);
  await store.add(record);
  expect(await store.isHere(record)).toBe(true);
  cpSync(join(folder, 'campaigns'), join(folder, 'copy'), { recursive: true });
  const copy = createCampaignStore({ folder: join(folder, 'copy'), clock, randomness, report: () => {} });
  const copied = await copy.get(record.operationId);
  expect(copied).toEqual(record);
  expect(await copy.isHere(copied ?? record)).toBe(false);
  renameSync(join(folder, 'campaigns'), join(folder, 'moved'));
  const moved = createCampaignStore({ folder: join(folder, 'moved'), clock, randomness, report: () => {} });
  expect(await moved.isHere(record)).toBe(true);
  const { home: _, ...earlier } = record;
  expect(await copy.isHere(earlier)).toBe(true);
});

test('D7 a bounded number is kept: settled ones give way, the oldest first; others never do', async () => {
  const store = open(2);
  const [first, second, third] = [recordAt(1), recordAt(2, false), recordAt(3, false)];
  for (const record of [first, second, third]) await store.add(record);
  expect((await store.ids()).toSorted()).toEqual([second.operationId, third.operationId].toSorted());
  await expect(store.add(recordAt(4))).rejects.toMatchObject({ code: 'limit-exceeded' });
});

test('D7 a damaged file is set aside and told, one of a later version stays, and the others are read', async () => {
  const store = open();
  const record = recordAt(1);
  await store.add(record);
  const [damaged, later] = [recordAt(2).operationId, recordAt(3).operationId];
  writeFileSync(join(folder, 'campaigns', `${damaged}.json`), '{"v":1,"items":');
  writeFileSync(join(folder, 'campaigns', `${later}.json`), '{"v":2}');
  expect([await store.get(damaged), await store.get(later)]).toEqual([undefined, undefined]);
  expect(reports).toEqual([expect.stringContaining('set aside'), expect.stringContaining('later version')]);
  expect((await store.ids()).toSorted()).toEqual([record.operationId, later].toSorted());
});

test('D7 one process at a time works on a campaign', async () => {
  const id = recordAt(1).operationId;
  let end = (): void => {};
  const holding = open().hold(id, () => new Promise<void>((resolve) => (end = resolve)));
  const taken = (): Promise<string> => open().hold(id, async () => 'held');
  await expect
    .poll(() =>
      taken().then(
        (held) => held,
        (error) => error.code,
      ),
    )
    .toBe('already-running');
  end();
  await holding;
  expect(await taken()).toBe('held');
});
