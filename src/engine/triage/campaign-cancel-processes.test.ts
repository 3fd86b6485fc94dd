import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  type CampaignWorld,
  openCampaignWorld,
  planOf,
  takenOf,
  usualRetry as usual,
} from '../../../tests/support/campaign-place.ts';
import { createLife } from '../../../tests/support/outbox-fixture.ts';
import { VakError } from '../../shared/base/vak-error.ts';
import { cancelAction } from './campaign-audit.ts';

let world: CampaignWorld;
afterEach(async () => {
  await world.close();
  expect(world.log.filter((line) => line.includes('"bug"'))).toEqual([]);
});

const slow = { ...usual, ratePerSec: 1 };
const cancelled = async () => (await world.actions()).filter(({ action }) => action === 'dlq.cancel');

describe.each(['embedded', 'nats-server'] as const)('on the engine %s', (engine) => {
  beforeEach(async () => {
    world = await openCampaignWorld(engine);
  });

  test('D8 another operator cancels it: the process that works on it follows, says who, and the rest is free again', async () => {
    const letters = await world.buryMany(8);
    const [olga, otto] = [await world.operate(), await world.operate({ name: 'otto' })];
    world.worker = () => 'done';
    const { operationId } = await world.during(olga.campaigns.begin(planOf(letters), slow));
    await world.runUntil(() => world.taken.length === 3);
    await world.during(otto.campaigns.cancel(operationId, 'wrong cure'));
    await world.runUntil(() => olga.campaigns.isOver(operationId));
    const state = olga.campaigns.state(operationId);
    expect(state).toMatchObject({ state: 'cancelled', why: 'otto cancelled it: wrong cure' });
    expect(world.taken.length).toBeLessThan(6);
    const said = (await world.actions()).filter((one) => one.operationId === operationId);
    expect(said.find(({ action }) => action === 'dlq.cancel')).toMatchObject({ target: 'olga', reason: 'wrong cure' });
    // What was published before it is followed, so its outcome may come on record after the end.
    const ends = said.filter(({ outcome }) => outcome === 'cancelled');
    expect(ends).toMatchObject([{ scope: expect.stringContaining('; otto cancelled it') }]);
    await world.during(otto.campaigns.begin(planOf(letters), usual));
    await world.runUntil(() => otto.campaigns.states()[0]?.state === 'done');
    expect(await takenOf(world, letters)).toEqual([1, 1, 1, 1, 1, 1, 1, 1]);
  });

  test('D8 what a dead process left is cancelled by whoever may, and is not gone on with by the next one', async () => {
    const letters = await world.buryMany(6);
    const life = createLife(24, true);
    const first = await world.operate({ life });
    world.worker = () => 'done';
    void first.campaigns.begin(planOf(letters), { ...usual, ratePerSec: 2 }).catch(() => undefined);
    await world.runUntil(() => life.isDead);
    const operationId = [...world.disk.keys()][0] ?? '';
    const otto = await world.operate({ name: 'otto' });
    await world.during(otto.campaigns.cancel(operationId));
    // Once more is nothing more.
    await world.during(otto.campaigns.cancel(operationId));
    expect(await cancelled()).toHaveLength(1);
    const next = await world.operate();
    await world.during(next.campaigns.resume());
    await world.runUntil(() => next.campaigns.isOver(operationId));
    expect(next.campaigns.state(operationId)).toMatchObject({ state: 'cancelled', why: 'otto cancelled it.' });
    // What lay in the outbox of the dead one is published; nothing else is.
    await world.run(3_000);
    const { cancelled: leftCount = 0 } = next.campaigns.state(operationId)?.counts ?? {};
    expect([leftCount > 0, world.taken.length]).toEqual([true, 6 - leftCount]);
    expect((await takenOf(world, letters)).every((count) => count <= 1)).toBe(true);
  });
});

describe('on the embedded engine', () => {
  beforeEach(async () => {
    world = await openCampaignWorld();
  });

  test('A2 D8 the word of who is no operator counts for nothing, under whatever name', async () => {
    const letters = await world.buryMany(5);
    const olga = await world.operate();
    world.worker = () => 'done';
    const { operationId } = await world.during(olga.campaigns.begin(planOf(letters), { ...usual, ratePerSec: 2 }));
    await world.runUntil(() => world.taken.length === 1);
    const [wilma, carla] = [world.peer('wilma', 'worker'), world.peer('carla', 'coordinator', 'q')];
    for (const [by, name] of [
      [wilma, 'wilma'],
      [wilma, 'olga'],
      [carla, 'carla'],
    ] as const) {
      await world.append(by, cancelAction(operationId, { by: 'olga' }), `vak.audit.acme.${name}.action`);
    }
    await world.runUntil(() => olga.campaigns.isOver(operationId));
    expect(olga.campaigns.state(operationId)).toMatchObject({ state: 'done', counts: { done: 5 } });
  });

  test('D8 what has ended, or nobody knows, cannot be cancelled; nor where nothing can be put on record', async () => {
    const letters = await world.buryMany(2);
    const [olga, otto] = [await world.operate(), await world.operate({ name: 'otto' })];
    world.worker = () => 'done';
    const { operationId } = await world.during(olga.campaigns.begin(planOf(letters), usual));
    await world.runUntil(() => olga.campaigns.isOver(operationId));
    await expect(world.during(otto.campaigns.cancel(operationId))).rejects.toMatchObject({ code: 'conflict' });
    const nobody = '0197a3c0-0000-7000-8000-000000000001';
    await expect(world.during(otto.campaigns.cancel(nobody))).rejects.toMatchObject({ code: 'not-found' });
    world.world.away = new VakError('read-only', 'the context is read-only');
    await expect(world.during(otto.campaigns.cancel(nobody))).rejects.toMatchObject({ code: 'read-only' });
    expect(await cancelled()).toEqual([]);
  });
});
