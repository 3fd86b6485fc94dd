import { beforeEach, expect, test } from 'vitest';
import { createCallContext } from '../../../tests/support/call-context.ts';
import { failure } from '../../../tests/support/expected-failure.ts';
import { createKeptMemory, createKeptSettings } from '../../../tests/support/operations-parts.ts';
import { createSilentNotifier, type SilentNotifier } from '../../../tests/support/silent-notifier.ts';
import { toDisposable } from '../../shared/base/disposer.ts';
import type { ApprovalReport, ApprovalsState } from '../../shared/contract/approvals-contract.ts';
import type { QueueState, QueuesState } from '../../shared/contract/queues-contract.ts';
import type { Denial } from '../access/denial-log.ts';
import { createFakeClock, type FakeClock } from '../ports/fake-clock.ts';
import { createSilentLogger } from '../ports/logger.ts';
import type { TaskRecord } from '../work/task-book.ts';
import type { RefusedWork } from '../work/watched-work.ts';
import type { TaskChange } from '../work/work-watch.ts';
import type { IncidentMemory } from './incident-memory.ts';
import { createOperationsService, type OperationsService, type OperationsServiceDeps } from './operations-service.ts';

const context = createCallContext();

interface Kit {
  readonly service: OperationsService;
  readonly notifier: SilentNotifier;
  readonly settings: ReturnType<typeof createKeptSettings>;
  readonly world: {
    destination: string | undefined;
    queues: QueueState[];
    pending: ApprovalReport[];
    leftOutCount: number;
    refused: RefusedWork[];
    denials: Denial[];
    isLocked: boolean;
    alarms: ReturnType<OperationsServiceDeps['alarmSources']>;
  };
  task(record: TaskRecord): void;
  /** One look of the watch, a second later. */
  look(): void;
  ids(): string[];
}

let clock: FakeClock;
let memory: IncidentMemory;
beforeEach(() => {
  clock = createFakeClock();
  memory = createKeptMemory();
});

function start(): Kit {
  const notifier = createSilentNotifier();
  const settings = createKeptSettings();
  const world: Kit['world'] = {
    ...{ destination: 'embedded', queues: [], pending: [], leftOutCount: 0 },
    ...{ refused: [], denials: [], isLocked: false, alarms: undefined },
  };
  let onTask = (_change: TaskChange): void => {};
  let readAtMs: number | null = null;
  const queues = (): QueuesState => ({
    ...{ readAtMs, problem: null, sampleMs: 2_000, queues: world.queues, leftOutCount: 0 },
    ...{ supervisor: { kind: 'running', why: null }, purges: [] },
  });
  const approvals = (): ApprovalsState => ({
    ...{ readAtMs, problem: null, pending: world.pending, past: [] },
    ...{ leftOutCount: world.leftOutCount, refusedCount: 0, refused: [] },
  });
  const service = createOperationsService({
    ...{ workspace: 'ws', memory, settings, notifier, clock, queues, approvals, logger: createSilentLogger() },
    watch: {
      work: () => ({ refusedWork: { count: () => world.refused.length, newest: () => world.refused } }) as never,
      onTask(listener) {
        onTask = listener;
        return toDisposable(() => {});
      },
    },
    destination: () => world.destination,
    bus: { subscribe: () => ({ ...toDisposable(() => {}), dropped: 0 }) as never },
    denials: { entries: () => world.denials, onChange: () => toDisposable(() => {}) },
    isLocked: () => world.isLocked,
    alarmSources: () => world.alarms,
    onChange: () => {},
    onLockedNews: () => {},
  });
  return {
    ...{ service, notifier, settings, world },
    task: (record) => onTask({ record, before: undefined }),
    look() {
      clock.advance(1_000);
      readAtMs = clock.now();
      service.follow();
    },
    ids: () => service.state().incidents.map(({ id }) => id),
  };
}

/** Started, and past the first look. */
function startSettled(): Kit {
  const kit = start();
  kit.look();
  kit.look();
  return kit;
}

function record(index: number, more: Partial<TaskRecord>): TaskRecord {
  const leaf = index.toString(16).padStart(64, '0');
  return {
    ...{
      leaf,
      queue: 'render',
      taskId: null,
      receipts: [],
      deadLetter: undefined,
      goneMs: undefined,
      refusal: undefined,
      state: 'queued',
      strays: [],
      repeats: [],
    },
    place: { seq: index, storedMs: clock.now() },
    ...more,
  };
}
const lost = (index: number): TaskRecord => record(index, { state: 'lost', goneMs: clock.now() });

function dead(index: number): TaskRecord {
  const deadLetter = {
    ...{ seq: index, storedMs: clock.now(), errorClass: 'exit.1', reason: 'sealed words', workerId: 'w1', attempts: 4 },
  } as TaskRecord['deadLetter'];
  return record(index, { state: 'dead', deadLetter });
}

const pending = (requestId: string, queue: string | null = 'render') =>
  ({ requestId, peer: 'worker-2', queue, title: 'sealed words', state: 'pending' }) as ApprovalReport;

test('W7 a forged acknowledgement is an incident, on the badge, and told once without a word of a payload', () => {
  const kit = startSettled();
  kit.task(lost(1));
  kit.task(dead(2));
  kit.look();
  kit.look();
  expect(kit.service.state().incidents).toMatchObject([
    { id: 'lost:render', tone: 'bad', title: '1 task of render is lost', place: { kind: 'queue', queue: 'render' } },
    { id: 'dead-letters:render:exit.1', tone: 'bad', acknowledged: null, isMuted: false },
  ]);
  expect(kit.service.state().attention.incidentCount).toBe(2);
  expect(kit.notifier.badges).toEqual([2]);
  expect(kit.notifier.shown.map(({ title }) => title)).toEqual(['2 incidents']);
});

test('W7 what was lost before a start is lost after it, until somebody proves that it was not', () => {
  const before = startSettled();
  before.task(lost(1));
  before.look();
  const after = startSettled();
  expect(after.ids()).toEqual(['lost:render']);
  // All that the streams still know of it.
  after.task(record(1, { state: 'retrying', place: undefined }));
  after.look();
  expect(after.ids()).toEqual(['lost:render']);
  after.task(record(1, { state: 'done', place: undefined }));
  after.look();
  expect(after.ids()).toEqual([]);
  expect(startSettled().ids()).toEqual([]);
});

test('product.md what was there at the first look is listed and counted, and no news', () => {
  const kit = start();
  kit.task(dead(1));
  kit.look();
  kit.task(dead(2));
  kit.look();
  kit.look();
  expect(kit.notifier.badges).toEqual([1]);
  expect(kit.notifier.shown).toEqual([]);
});

test('product.md an acknowledgement survives a start; what comes after it is news', async () => {
  const kit = startSettled();
  kit.task(dead(1));
  kit.look();
  await kit.service.calls.acknowledge({ id: 'dead-letters:render:exit.1' }, context);
  expect(kit.service.state()).toMatchObject({
    attention: { incidentCount: 0 },
    incidents: [{ acknowledged: { atMs: clock.now() } }],
  });
  expect(kit.notifier.badges).toEqual([1, 0]);
  const after = start();
  after.task({ ...dead(1), deadLetter: { ...dead(1).deadLetter, storedMs: clock.now() - 1_000 } as never });
  after.look();
  expect(after.service.state().attention.incidentCount).toBe(0);
  after.look();
  after.task(dead(2));
  after.look();
  expect(after.service.state()).toMatchObject({
    attention: { incidentCount: 1 },
    incidents: [{ count: 2, acknowledged: null }],
  });
  expect(after.notifier.shown).toHaveLength(1);
  await after.service.calls.acknowledge({ id: 'dead-letters:render:exit.1' }, context);
  await after.service.calls.takeBack({}, context);
  expect(after.service.state().attention.incidentCount).toBe(1);
});

const busy = { queue: 'render', lag: 5_000, pendingCount: 5_000, health: 'ok', paused: null } as unknown as QueueState;
const withOutcomes = (queue: QueueState): QueueState => ({
  ...{ ...queue, inFlightCount: 0, inPerSec: 2, outPerSec: 1, oldestMs: null, lagHistory: [1, 5_000] },
  outcomes: { queued: 5_000, refused: 0, retrying: 0, done: 7, dead: 1, 'finished-late': 1, lost: 2, purged: 0 },
});

test('W9 a condition stands and cannot be acknowledged away; what is over neither', async () => {
  const kit = startSettled();
  kit.world.queues = [withOutcomes(busy)];
  for (let seconds = 0; seconds < 8; seconds++) kit.look();
  expect(kit.service.state().incidents).toMatchObject([{ id: 'lag:render', isStanding: true, tone: 'wait' }]);
  expect(kit.notifier.shown).toEqual([]);
  const refuse = async (id: string) =>
    await failure((async () => await kit.service.calls.acknowledge({ id }, context))());
  expect((await refuse('lag:render')).code).toBe('conflict');
  expect((await refuse('lost:render')).code).toBe('not-found');
});

test('W9 totals are the sums of all queues', () => {
  const kit = startSettled();
  kit.world.queues = [withOutcomes(busy), withOutcomes({ ...busy, queue: 'builds', lag: 4, pendingCount: 4 })];
  kit.world.pending = [pending('r1')];
  kit.world.leftOutCount = 4;
  expect(kit.service.state()).toMatchObject({
    totals: {
      lag: 5_004,
      inPerSec: 4,
      outPerSec: 2,
      doneCount: 16,
      deadCount: 2,
      lostCount: 4,
      pendingApprovalCount: 5,
    },
    ...{ lagHistory: [2, 10_000], lagTrend: 'steady', sampleMs: 2_000 },
  });
});

test('product.md what is muted stays listed, and is neither counted nor told', async () => {
  const kit = startSettled();
  await kit.service.calls.muteQueue({ queue: 'render', isMuted: true }, context);
  await kit.service.calls.muteKind({ kind: 'approval', isMuted: true }, context);
  kit.task(lost(1));
  kit.world.pending = [pending('r1', 'builds')];
  kit.look();
  expect(kit.service.state()).toMatchObject({
    attention: { incidentCount: 0 },
    incidents: [{ id: 'lost:render', isMuted: true }],
    muted: { kinds: ['approval'], queues: ['render'], untilMs: null },
  });
  expect([kit.notifier.badges, kit.notifier.shown]).toEqual([[], []]);
  await kit.service.calls.muteQueue({ queue: 'render', isMuted: false }, context);
  expect(kit.notifier.badges).toEqual([1]);
});

test('product.md all can be muted for an hour: the badge counts on', async () => {
  const kit = startSettled();
  await kit.service.calls.muteAll({ forMinutes: 60 }, context);
  expect(kit.service.state().muted.untilMs).toBe(clock.now() + 3_600_000);
  kit.task(lost(1));
  kit.look();
  expect([kit.notifier.badges, kit.notifier.shown]).toEqual([[1], []]);
  clock.advance(3_600_000);
  expect(kit.service.state().muted.untilMs).toBeNull();
  await kit.service.calls.muteAll({ forMinutes: 60 }, context);
  await kit.service.calls.muteAll({ forMinutes: 0 }, context);
  expect(kit.service.state().muted.untilMs).toBeNull();
});

test('W8 an approval that waits is told by peer and queue alone, and its notification leads to the approvals', async () => {
  const kit = startSettled();
  kit.world.pending = [pending('r1')];
  kit.look();
  expect(kit.notifier.shown).toEqual([
    { id: 'approval:r1', title: 'worker-2 asks for approval', body: 'Queue render.' },
  ]);
  expect(kit.notifier.badges).toEqual([1]);
  kit.notifier.press('approval:r1');
  expect(kit.service.state().asked).toEqual({ kind: 'approvals', at: 1 });
  kit.notifier.press('lost:render');
  expect(kit.service.state().asked).toEqual({ kind: 'incident', id: 'lost:render', at: 2 });
  kit.notifier.press('room:abc');
  expect(kit.service.state().asked).toEqual({ kind: 'rooms', room: 'abc', at: 3 });
  kit.notifier.press('room:');
  expect(kit.service.state().asked).toEqual({ kind: 'rooms', room: null, at: 4 });
  await kit.service.calls.taken({ at: 1 }, context);
  expect(kit.service.state().asked).not.toBeNull();
  await kit.service.calls.taken({ at: 4 }, context);
  expect(kit.service.state().asked).toBeNull();
});

test('I3 while the key store is locked a notification names nobody', () => {
  const kit = startSettled();
  kit.world.isLocked = true;
  kit.world.pending = [pending('r1')];
  kit.look();
  expect(kit.notifier.shown).toMatchObject([{ id: 'approval:', title: 'An approval waits' }]);
});

test('W9 what is beyond the list is counted, on the badge too, and said', () => {
  const kit = startSettled();
  kit.world.queues = Array.from({ length: 250 }, (_, at) => withOutcomes({ ...busy, queue: `q${at}` }));
  for (let i = 0; i < 8; i++) kit.look();
  const { incidents, leftOutCount, attention } = kit.service.state();
  expect([incidents.length, leftOutCount, attention.incidentCount]).toEqual([200, 50, 250]);
  expect(kit.notifier.badges.at(-1)).toBe(250);
});

test('product.md the badge counts what the flag shows: incidents, what is wrong with the app itself, and approvals', async () => {
  const kit = startSettled();
  const connection = {
    status: { kind: 'connected', sinceMs: 1 },
    staleSinceMs: null,
    problem: null,
    missing: [],
    outbox: null,
  };
  const alarms = (droppedCount: number) =>
    ({
      ...{ flow: { droppedCount }, quarantine: { refusedCount: 2 } },
      swarm: {
        state: 'running',
        workers: [{ session: 's-1', death: { atMs: 5 } }],
        ...{ problem: null, keptOut: null },
        coordinator: { kind: 'running' },
      },
      provisioning: { lacking: [] },
      connection: { ...connection, outages: [{ fromMs: 1, toMs: 2 }] },
    }) as unknown as Kit['world']['alarms'];
  kit.world.alarms = alarms(0);
  kit.world.pending = [pending('r1'), pending('r2')];
  kit.task(lost(1));
  kit.look();
  expect(kit.service.state().attention).toEqual({ incidentCount: 4, approvalCount: 2 });
  expect(kit.notifier.badges).toEqual([6]);
  await kit.service.calls.acknowledge({ id: 'refused', mark: '2' }, context);
  await kit.service.calls.acknowledge({ id: 'death s-1', mark: '5' }, context);
  expect(kit.notifier.badges).toEqual([6, 5, 4]);
  // What has grown since is news again; it is counted though no task has changed.
  kit.world.alarms = alarms(9);
  kit.service.recount();
  expect(kit.notifier.badges.at(-1)).toBe(5);
  await expect(kit.service.calls.acknowledge({ id: 'store', mark: 'x' }, context)).rejects.toMatchObject({
    code: 'not-found',
  });
  await kit.service.calls.takeBack({}, context);
  expect(kit.service.state()).toMatchObject({ attention: { incidentCount: 5 }, acknowledgedMarks: {} });
});

test('W6 a receipt that does not count leads to its session; A4 a denial to who may do what', () => {
  const kit = startSettled();
  const stream = 'VAK_RECEIPTS_ws';
  const why = 'It is signed by nobody.';
  kit.world.refused = [{ kind: 'receipt', stream, seq: 4, atMs: clock.now(), why, from: 's-9' }];
  const times = { count: 2, firstMs: clock.now(), lastMs: clock.now() };
  kit.world.denials = [
    { peer: 'w1', action: 'publish', subject: 'vak.work.ws.render.task', rule: 'A2', side: 'server', ...times },
  ];
  kit.look();
  expect(kit.service.state().incidents).toMatchObject([
    { kind: 'refused-record', place: { kind: 'session', session: 's-9' }, records: [{ stream, seq: 4, why }] },
    { kind: 'denied', place: { kind: 'access' }, count: 2, records: [] },
  ]);
});

test('W3 dead letters that do not count are listed by their incident, where each lies and why, with nothing hidden', () => {
  const kit = startSettled();
  const letter = { kind: 'dead-letter', stream: 'VAK_DLQ_ws', atMs: clock.now() } as const;
  kit.world.refused = [
    { ...letter, seq: 4, why: 'It is signed by nobody.', from: 'w1' },
    { ...letter, seq: 9, why: `It names ${'x'.repeat(2_000)}.`, from: 'w\u202e2' },
  ];
  kit.look();
  const [incident] = kit.service.state().incidents;
  expect(incident).toMatchObject({ kind: 'refused-record', place: { kind: 'records' }, count: 2 });
  expect(incident?.records).toMatchObject([
    { stream: 'VAK_DLQ_ws', seq: 9, atMs: letter.atMs, from: expect.not.stringContaining('\u202e') },
    { stream: 'VAK_DLQ_ws', seq: 4, from: 'w1', why: 'It is signed by nobody.' },
  ]);
  expect(incident?.records[0]?.why.length).toBeLessThanOrEqual(500);
});

test('B8 another engine has incidents of its own, and those of the first come back with it', async () => {
  const kit = startSettled();
  kit.task(dead(1));
  kit.look();
  await kit.service.calls.acknowledge({ id: 'dead-letters:render:exit.1' }, context);
  kit.world.destination = 'at_prod.1';
  kit.look();
  expect(kit.ids()).toEqual([]);
  kit.task(dead(1));
  kit.look();
  expect(kit.service.state().attention.incidentCount).toBe(1);
  // While there is none, what is known stands.
  kit.world.destination = undefined;
  kit.look();
  expect(kit.ids()).toHaveLength(1);
});
