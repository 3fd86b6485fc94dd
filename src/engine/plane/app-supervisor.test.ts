import { afterEach, beforeEach, expect, test } from 'vitest';
import {
  openPlaneProfile,
  type PlaneEngine,
  type PlaneProfile,
  planeWorkspace,
} from '../../../tests/support/plane-profile.ts';
import { utf8 } from '../../shared/base/bytes.ts';
import { VakError } from '../../shared/base/vak-error.ts';
import { startTrace } from '../../shared/protocol/trace-context.ts';
import type { IssueCredentials } from '../identity/peer-credentials.ts';
import { createFakeClock, type FakeClock } from '../ports/fake-clock.ts';
import { judgeDeadLetter } from '../work/dead-letter-judge.ts';
import type { WorkPeer } from '../work/work-peer.ts';
import { openQueue, taskSubject } from '../work/work-queue.ts';
import type { AppService } from './app-service.ts';
import { createAppSupervisor } from './app-supervisor.ts';

const queuePlace = { workspace: planeWorkspace, queue: 'q' };
let clock: FakeClock;
let plane: PlaneProfile;
let place: PlaneEngine | undefined;
let isOpen: boolean;
let basis: string | undefined;
let issue: IssueCredentials;
let issuedCount: number;
let supervisor: AppService;

beforeEach(async () => {
  clock = createFakeClock();
  plane = await openPlaneProfile(clock);
  [place, isOpen, basis, issuedCount] = [undefined, true, 'root s1', 0];
  issue = plane.issue;
  supervisor = createAppSupervisor({
    ...{ ...plane.ports, workspace: planeWorkspace, openPeer: plane.openPeerWith, onChange: () => {} },
    ...{ place: () => place, isOpen: () => isOpen, basis: () => basis },
    issueCredentials(wanted) {
      issuedCount++;
      return issue(wanted);
    },
  });
});

afterEach(async () => {
  const closed = supervisor.close();
  await settle();
  await closed;
  expect(plane.log.filter((line) => line.includes('"bug"'))).toEqual([]);
  expect(plane.denied).toEqual([]);
  await plane.close();
});

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

async function follow(): Promise<void> {
  const following = supervisor.follow();
  await settle();
  await following;
  await settle();
}

/** A task whose workers die at every delivery. */
async function killWorkersOf(engine: PlaneEngine, peer: WorkPeer): Promise<void> {
  const draft = { subject: taskSubject(queuePlace), payload: utf8('{"command":["true"]}') };
  const { stored } = await peer.publisher.publish({ ...draft, trace: startTrace(plane.ports.randomness.bytes) });
  await settle();
  await stored;
  const { consumer } = await openQueue(engine.fabric.durable, queuePlace);
  for (let delivery = 0; delivery < 5; delivery++) {
    await consumer.pull({ batch: 1, waitMs: 0 });
    await settle(31_000);
  }
}

async function lettersIn({ fabric }: PlaneEngine, { judge }: WorkPeer) {
  const { messages } = await fabric.durable.stream(`VAK_DLQ_${planeWorkspace}`).read({ limit: 10 });
  return messages.map((message) => judgeDeadLetter(message, judge));
}

test('W3 the app’s supervisor buries what dies on its engine, and on the next one although the key store is locked by then', async () => {
  const [first, second] = [await plane.openEngine('embedded'), await plane.openEngine('managed', 'managed')];
  const rights = { roles: ['coordinator'] } as const;
  const [carla, carlo] = [await plane.openPeer(first, 'carla', rights), await plane.openPeer(second, 'carlo', rights)];
  place = first;
  await follow();
  expect(supervisor.state()).toEqual({ kind: 'running', why: null });
  await killWorkersOf(first, carla);
  isOpen = false;
  place = second;
  await follow();
  await killWorkersOf(second, carlo);
  for (const [engine, peer] of [
    [first, carla],
    [second, carlo],
  ] as const) {
    expect(await lettersIn(engine, peer)).toMatchObject([
      { kind: 'valid', letter: { queue: 'q', errorClass: 'worker-lost' }, envelope: { agentid: 'supervisor' } },
    ]);
  }
  expect(issuedCount).toBe(1);
}, 60_000);

test('E7 I4 with other keys of the workspace it begins anew, as soon as it may have them', async () => {
  place = await plane.openEngine('embedded');
  await follow();
  await follow();
  expect(issuedCount).toBe(1);
  basis = 'root s1 s2';
  await follow();
  expect([issuedCount, supervisor.state().kind]).toEqual([2, 'running']);
  isOpen = false;
  basis = 'another root';
  await follow();
  expect([issuedCount, supervisor.state().kind]).toEqual([2, 'off']);
  isOpen = true;
  await follow();
  expect([issuedCount, supervisor.state().kind]).toEqual([3, 'running']);
});

test('W3 it is off without an engine, before the key store was open, and where the server is not the app’s', async () => {
  await follow();
  expect(supervisor.state()).toMatchObject({ kind: 'off', why: expect.stringContaining('no engine') });
  place = await plane.openEngine('embedded');
  [isOpen, basis] = [false, undefined];
  await follow();
  expect(supervisor.state()).toMatchObject({
    kind: 'off',
    why: expect.stringContaining('when the key store is opened'),
  });
  basis = 'root s1';
  place = await plane.openEngine('at_prod', 'remote');
  isOpen = true;
  await follow();
  expect(supervisor.state()).toMatchObject({ kind: 'off', why: expect.stringContaining('vak dlq-supervisor') });
  expect(issuedCount).toBe(0);
});

test('W3 what keeps it from working is told and logged, and it is tried again', async () => {
  const { issue: real } = { issue };
  issue = () => Promise.reject(new VakError('exists', 'supervisor is the name of a human of this profile'));
  place = await plane.openEngine('embedded');
  await follow();
  expect(supervisor.state()).toEqual({ kind: 'failed', why: 'supervisor is the name of a human of this profile' });
  expect(plane.log.some((line) => line.includes('"supervisor"') && line.includes('exists'))).toBe(true);
  issue = real;
  await settle(2_500);
  await follow();
  expect(supervisor.state()).toEqual({ kind: 'running', why: null });
});
