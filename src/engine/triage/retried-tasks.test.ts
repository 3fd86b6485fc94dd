import { afterEach, beforeEach, expect, test } from 'vitest';
import { type CampaignWorld, openCampaignWorld } from '../../../tests/support/campaign-place.ts';
import { findIds } from './retried-tasks.ts';

let world: CampaignWorld;
beforeEach(async () => {
  world = await openCampaignWorld();
});
afterEach(() => world.close());

test('D7 an id is found in the stream of tasks, and in whatever names it, believed or not; what nobody names is nowhere', async () => {
  const { workspace, fabric, clock, store, during } = world;
  const task = await world.submit();
  const [gone, forged, nowhere] = [10, 11, 12].map((n) => `0197a3c0-0000-7000-8000-0000000000${n}`) as [
    string,
    string,
    string,
  ];
  // An observer may say nothing of tasks.
  const oscar = world.peer('oscar', 'observer');
  const receipt = `vak.receipts.acme.${oscar.session}.completed`;
  const letter = 'vak.dlq.acme.oscar.failed';
  for (const [subject, causationId] of [
    [receipt, gone],
    [letter, forged],
  ] as const) {
    await store(subject, oscar.write({}, '', subject, { causationId }).data);
  }
  const pace = { pageLimit: 2, basis: () => 0, rest: async () => {} };
  const deps = { ...workspace, workspace: 'acme', durable: fabric.durable, clock, pace, sinceMs: 0 };
  const found = await during(findIds(deps, new Set([task.id, gone, forged, nowhere])));
  expect([...found.keys()].toSorted()).toEqual([task.id, gone, forged].toSorted());
  expect(found.get(task.id)).toMatchObject({ leaf: task.leaf, place: { seq: task.seq } });
  expect(found.get(gone)).toEqual({ leaf: null, place: null });
});
