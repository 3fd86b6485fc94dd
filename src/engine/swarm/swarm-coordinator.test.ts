import { afterEach, beforeEach, expect, test } from 'vitest';
import {
  openPlaneProfile,
  type PlaneEngine,
  type PlaneProfile,
  planeWorkspace,
} from '../../../tests/support/plane-profile.ts';
import { toText } from '../../shared/base/bytes.ts';
import type { TaskPayload } from '../../shared/protocol/payloads.ts';
import { startTrace } from '../../shared/protocol/trace-context.ts';
import { createEmbeddedFabric } from '../bus/memory/embedded-fabric.ts';
import { createNkeySigner } from '../identity/nkey.ts';
import { takeCredentials } from '../identity/own-credentials.ts';
import { createFakeClock, type FakeClock } from '../ports/fake-clock.ts';
import { setQueuePaused } from '../work/queue-flags.ts';
import { draftReceipt } from '../work/receipts.ts';
import type { WorkPeer } from '../work/work-peer.ts';
import { createSwarmCoordinator, type SwarmCoordinator } from './swarm-coordinator.ts';
import { mixedTask } from './task-mix.ts';

const workStream = `VAK_WORK_${planeWorkspace}`;
let clock: FakeClock;
let plane: PlaneProfile;
let engine: PlaneEngine;
let place: PlaneEngine | undefined;
let workers: number;
let coordinator: SwarmCoordinator;
/** Judges tasks. */
let carla: WorkPeer;

beforeEach(async () => {
  clock = createFakeClock();
  plane = await openPlaneProfile(clock);
  engine = await plane.openEngine('embedded');
  carla = await plane.openPeer(engine, 'carla', { roles: ['coordinator'] });
  place = undefined;
  workers = 4;
  const { ports, issue } = plane;
  coordinator = createSwarmCoordinator({
    ...{ ...ports, workspace: planeWorkspace, place: () => place, workerCount: () => workers, onChange: () => {} },
    async openPeer(there) {
      const given = await issue({ peer: 'swarm', roles: ['coordinator'], queues: [] });
      return await plane.openPeerWith(takeCredentials(given, { workspace: planeWorkspace, peer: 'swarm' }), there);
    },
  });
});

afterEach(async () => {
  const closed = coordinator.close();
  await settle();
  await closed;
  expect(plane.log.filter((line) => line.includes('"bug"'))).toEqual([]);
  expect(plane.denied).toEqual([]);
  await plane.close();
});

/** Lets what can run, run; then `ms` pass, half a second at a time. */
async function settle(ms = 0): Promise<void> {
  for (let passed = 0; ; passed += 500) {
    for (let i = 0; i < 25; i++) {
      await new Promise((resolve) => setImmediate(resolve));
      clock.runDeferred();
    }
    if (passed >= ms) return;
    clock.advance(500);
  }
}

async function begin(): Promise<void> {
  place = engine;
  const following = coordinator.follow();
  await settle();
  await following;
  await settle();
}

interface Standing {
  readonly seq: number;
  readonly taskId: string;
  readonly leaf: string;
  readonly task: TaskPayload;
}

/** Tasks that stand in the queue, each judged. */
async function standing(): Promise<readonly Standing[]> {
  const { messages } = await engine.fabric.durable.stream(workStream).read({ limit: 1_000 });
  return messages.map((message) => {
    const verdict = carla.judge(message);
    if (verdict.kind !== 'accepted') throw new Error('a task of the coordinator does not count');
    const { envelope, leaf, payload } = verdict;
    return { seq: message.seq, taskId: envelope.id, leaf, task: JSON.parse(toText(payload)) as TaskPayload };
  });
}

/** Takes tasks out of the queue as workers do, all but those that are kept. */
async function drain(keeps: (one: Standing) => boolean = () => false): Promise<void> {
  for (const one of await standing()) if (!keeps(one)) await engine.fabric.durable.stream(workStream).delete(one.seq);
}

const asking = ({ task }: Standing): boolean => task.approval !== undefined;

async function finish({ taskId, leaf }: Standing): Promise<void> {
  const worker = await plane.openPeer(engine, 'w1', { roles: ['worker'], queues: ['local'] });
  const at = new Date(clock.now()).toISOString();
  const receipt = {
    ...{ taskId, taskLeaf: leaf, queue: 'local', workerId: 'w1', attempt: 1, outcome: 'done' as const },
    ...{ startedAt: at, endedAt: at, outputHash: 'a'.repeat(64) },
  };
  const trace = startTrace(plane.ports.randomness.bytes);
  const session = worker.publisher.session('d');
  const published = worker.publisher.publish(draftReceipt(receipt, { workspace: planeWorkspace, session, trace }));
  await settle();
  const { stored } = await published;
  await settle();
  await stored;
}

test('W9 a burst fills the queue to three tasks a worker, and the next comes only after it was worked off', async () => {
  await begin();
  const first = await standing();
  expect(first).toHaveLength(12);
  expect(first[0]?.task).toEqual(mixedTask(0));
  expect(first.map(asking).indexOf(true)).toBe(1);
  await settle(20_000);
  expect(await standing()).toHaveLength(12);
  await drain();
  await settle(1_000);
  expect(await standing()).toHaveLength(0);
  await settle(1_500);
  expect(await standing()).toHaveLength(12);
  expect(coordinator.state()).toEqual({ kind: 'running', why: null });
});

test('W8 one task at a time asks for approval: the next only after the former is over', async () => {
  await begin();
  const [former] = (await standing()).filter(asking);
  if (former === undefined) throw new Error('none asks');
  const burst = async (): Promise<readonly Standing[]> => {
    await drain();
    await settle(6_000);
    return (await standing()).filter(asking);
  };
  expect(await burst()).toEqual([]);
  expect(await burst()).toEqual([]);
  await finish(former);
  expect(await burst()).toHaveLength(1);
  expect(await burst()).toEqual([]);
}, 30_000);

test('W8 where a task of an earlier start may still ask no other does; and none where one worker is all', async () => {
  await begin();
  place = undefined;
  await Promise.all([coordinator.follow(), settle()]);
  const claimed = await engine.fabric.durable.stream(workStream).consumer('queue-local').pull({ batch: 12, waitMs: 0 });
  const former = claimed.find(({ message }) => message.seq === 2);
  for (const delivery of claimed) if (delivery !== former) await delivery.ack();
  expect((await standing()).filter(asking)).toHaveLength(1);
  await begin();
  await settle(2_000);
  expect(await standing()).toHaveLength(12);
  expect((await standing()).filter(asking)).toHaveLength(1);
  workers = 1;
  await former?.ack();
  await drain();
  await settle(8_000);
  expect(await standing()).toHaveLength(3);
  expect((await standing()).filter(asking)).toEqual([]);
});

test('W9 nothing is put while the queue is paused, also if it was before', async () => {
  const { keyStore } = plane.profile;
  const seed = keyStore.read().identities.find(({ peer }) => peer === 'ada')?.signSeed;
  if (seed === undefined) throw new Error('there is no operator');
  const signer = createNkeySigner(seed);
  const pause = (isPaused: boolean) =>
    setQueuePaused({ workspace: planeWorkspace, queue: 'local', peer: 'ada' }, isPaused, {
      ...{ durable: engine.fabric.durable, signer, clock },
    });
  await pause(true);
  await begin();
  await settle(10_000);
  expect(await standing()).toEqual([]);
  await pause(false);
  await settle(1_000);
  expect(await standing()).toHaveLength(12);
});

test('B8 where there are no streams why is said, and when there are it begins', async () => {
  const bare = await createEmbeddedFabric({ ...plane.ports, folder: undefined, durability: 'written' });
  place = { ...engine, fabric: bare };
  await Promise.all([coordinator.follow(), settle()]);
  expect(coordinator.state()).toMatchObject({ kind: 'failed', why: expect.stringMatching(/VAK_WORK_acme|stream/) });
  place = engine;
  await Promise.all([coordinator.follow(), settle()]);
  expect(coordinator.state()).toEqual({ kind: 'running', why: null });
  await bare.close();
});

test('W1 without workers it puts nothing, and says that it runs; off it has no peer', async () => {
  expect(coordinator.state()).toEqual({ kind: 'off', why: null });
  workers = 0;
  await begin();
  await settle(5_000);
  expect(await standing()).toEqual([]);
  expect(coordinator.state()).toEqual({ kind: 'running', why: null });
});
