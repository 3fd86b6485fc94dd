import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  type CampaignWorld,
  openCampaignWorld,
  planOf,
  takenOf,
  usualFailure,
  usualRetry,
} from '../../../tests/support/campaign-place.ts';
import { createLife } from '../../../tests/support/outbox-fixture.ts';
import type { PlannedLetter } from './retry-campaigns.ts';

let world: CampaignWorld;
afterEach(async () => {
  await world.close();
  expect(world.log.filter((line) => line.includes('"bug"'))).toEqual([]);
});

describe.each(['embedded', 'nats-server'] as const)('on the engine %s', (engine) => {
  beforeEach(async () => {
    world = await openCampaignWorld(engine);
  });

  test('D6 failures that arrive while it runs are not touched: it has the letters that were frozen, and no others', async () => {
    const letters = await world.buryMany(6);
    const { campaigns } = await world.operate();
    world.worker = () => usualFailure;
    const plan = planOf(letters.slice(0, 4));
    await world.during(campaigns.begin(plan, { ...usualRetry, ratePerSec: 2 }));
    const late: PlannedLetter[] = [];
    for (let i = 0; i < 10; i++) {
      late.push(await world.bury());
      await world.run(500);
    }
    expect(await takenOf(world, letters)).toEqual([1, 1, 1, 1, 0, 0]);
    expect(world.taken).toHaveLength(4);
  });

  test('D13 a retry that a worker has at hand is claimed, before anything is said of it; one that nobody has is not', async () => {
    const letters = await world.buryMany(2);
    const { campaigns } = await world.operate();
    const { operationId } = await world.during(campaigns.begin(planOf(letters), { ...usualRetry, ratePerSec: 100 }));
    await world.runUntil(() => campaigns.state(operationId)?.counts.published === 2);
    await world.run(3_000);
    expect(campaigns.state(operationId)?.counts).toMatchObject({ published: 2, claimed: 0 });
    const consumer = world.fabric.durable.stream('VAK_WORK_acme').consumer('queue-q');
    const [delivery] = await world.during(consumer.pull({ batch: 1, waitMs: 0 }));
    await world.runUntil(() => campaigns.state(operationId)?.counts.claimed === 1);
    // It waits for another worker, and stays claimed.
    await world.during(delivery?.nak(60_000) ?? Promise.resolve());
    await world.run(3_000);
    expect(campaigns.state(operationId)?.counts).toMatchObject({ published: 1, claimed: 1 });
  });

  test('D7 a campaign that ends in its midst goes on in the next process: each letter once, and all of it on record', async () => {
    const letters = await world.buryMany(6);
    const life = createLife(24, true);
    const first = await world.operate({ life });
    world.worker = () => 'done';
    void first.campaigns.begin(planOf(letters), { ...usualRetry, ratePerSec: 2 }).catch(() => undefined);
    await world.runUntil(() => life.isDead);
    expect(world.taken.length).toBeLessThan(6);
    const second = await world.operate();
    await world.during(second.campaigns.resume());
    await world.runUntil(() => second.campaigns.states()[0]?.state === 'done');
    expect(await takenOf(world, letters)).toEqual([1, 1, 1, 1, 1, 1]);
  });
});

describe('D7 the end of a process at any step', () => {
  beforeEach(async () => {
    world = await openCampaignWorld();
  });

  /** Runs a process that may end, then one that does not; gives whether the first one ended before it was done. */
  async function liveTwice(steps: number, isDoneAtDeath: boolean, pauseMs: number): Promise<boolean> {
    const letters = await world.buryMany(2);
    const life = createLife(steps, isDoneAtDeath);
    const first = await world.operate({ life });
    world.worker = () => 'done';
    void first.campaigns.begin(planOf(letters), usualRetry).catch(() => undefined);
    await world.runUntil(() => life.isDead || first.campaigns.states()[0]?.state === 'done');
    if (!life.isDead) return false;
    await world.run(200);
    world.clock.advance(pauseMs);
    const second = await world.operate();
    void second.campaigns.resume();
    await world.run(300);
    const isKept = world.disk.size > 0;
    await world.runUntil(() => second.campaigns.states().every(({ state }) => state === 'done'));
    await world.run(300);
    expect(await takenOf(world, letters)).toEqual(isKept ? [1, 1] : [0, 0]);
    const said = new Set((await world.actions()).map(({ outcome, taskId = '' }) => `${outcome} ${taskId}`));
    const told = world.taken.flatMap(({ envelope: { id } }) => [`published ${id}`, `done ${id}`]);
    expect(said).toEqual(new Set(isKept ? ['begun ', ...told, 'done '] : []));
    return true;
  }

  test('D7 while another process has the outbox that a retry may wait in, nothing is published, and that is said', async () => {
    const letters = await world.buryMany(2);
    const life = createLife(16, true);
    const first = await world.operate({ life });
    world.worker = () => 'done';
    void first.campaigns.begin(planOf(letters), usualRetry).catch(() => undefined);
    await world.runUntil(() => life.isDead);
    const before = world.taken.length;
    world.world.isOutboxElsewhere = true;
    const second = await world.operate();
    await world.during(second.campaigns.resume());
    await world.run(3_000);
    expect(second.campaigns.states()).toMatchObject([
      { state: 'waiting', why: expect.stringContaining('another process') },
    ]);
    expect(world.taken.length - before).toBeLessThanOrEqual(1);
    world.world.isOutboxElsewhere = false;
    await world.runUntil(() => second.campaigns.states()[0]?.state === 'done');
    expect(await takenOf(world, letters)).toEqual([1, 1]);
  });

  test.each([
    { when: 'after the step takes effect', isDoneAtDeath: true, pauseMs: 0, from: 1, by: 1 },
    { when: 'before it does', isDoneAtDeath: false, pauseMs: 0, from: 2, by: 4 },
    {
      when: 'after it, and comes back after the dedupe window',
      isDoneAtDeath: true,
      pauseMs: 15 * 60_000,
      from: 3,
      by: 4,
    },
  ])('D7 nothing is retried twice, and nothing is lost: $when', async ({ isDoneAtDeath, pauseMs, from, by }) => {
    let deaths = 0;
    for (let steps = from; await liveTwice(steps, isDoneAtDeath, pauseMs); steps += by) {
      deaths++;
      await world.close();
      world = await openCampaignWorld();
    }
    expect(deaths).toBeGreaterThan(30 / by);
  });
});
