import { afterEach, beforeEach, expect, test } from 'vitest';
import { createKeptMemory, createKeptSettings } from '../../../tests/support/operations-parts.ts';
import { createSilentNotifier, type SilentNotifier } from '../../../tests/support/silent-notifier.ts';
import { openWatchedPlace, type WatchedPlace } from '../../../tests/support/watched-place.ts';
import { createDenialLog, type DenialLog } from '../access/denial-log.ts';
import { createSilentLogger } from '../ports/logger.ts';
import { createOperationsService, type OperationsService } from './operations-service.ts';

// From the streams of a real engine to what the Operations Center shows.
let place: WatchedPlace;
let service: OperationsService;
let notifier: SilentNotifier;
let denials: DenialLog;

beforeEach(async () => {
  place = await openWatchedPlace();
  notifier = createSilentNotifier();
  const logger = createSilentLogger();
  denials = createDenialLog({ logger });
  service = createOperationsService({
    ...{ workspace: 'acme', watch: place.watch, destination: () => place.app.destination, denials, notifier, logger },
    bus: place.fabric.bus,
    ...{ queues: place.queuesState, approvals: place.approvalsState, clock: place.clock, onChange: () => {} },
    ...{ memory: createKeptMemory(), settings: createKeptSettings(), isLocked: () => !place.app.isOpen },
    ...{ alarmSources: () => undefined, onLockedNews: () => {} },
  });
  place.watch.follow();
  await look();
  await look();
});

afterEach(async () => {
  service.dispose();
  await place.close();
});

/** Time for a look of the watch, and what the work plane does after each. */
async function look(): Promise<void> {
  await place.pass(1_100);
  service.follow();
}

const shown = () => service.state().incidents.map(({ id, tone, count }) => [id, tone, count]);

test('W7 a forged acknowledgement is a lost task, until the real worker proves that it was done', async () => {
  const task = await place.submit();
  await look();
  const consumer = place.fabric.durable.stream('VAK_WORK_acme').consumer('queue-q');
  const [claimed] = await consumer.pull({ batch: 1, waitMs: 0 });
  await claimed?.ack();
  await look();
  expect(shown()).toEqual([['lost:q', 'bad', 1]]);
  expect(notifier.shown.map(({ title }) => title)).toEqual(['1 task of q is lost']);
  expect(service.state().totals).toMatchObject({ lag: 0, lostCount: 1 });
  await place.receipt(place.peer('wilma', 'worker'), task);
  await look();
  expect(shown()).toEqual([]);
  expect(notifier.badges).toEqual([1, 0]);
});

test('W3 W6 a dead letter is an incident of its class; whoever finishes late closes it', async () => {
  const task = await place.submit();
  const wilma = place.peer('wilma', 'worker');
  const time = new Date(place.clock.now()).toISOString();
  const letter = {
    ...{
      envelopeId: task.id,
      taskLeaf: task.leaf,
      subject: 'vak.work.acme.q.task',
      queue: 'q',
      attempts: 4,
      history: [],
    },
    ...{
      reason: 'no such file',
      errorClass: 'exit.2',
      failedAt: time,
      workerId: 'wilma',
      envelope: { specversion: '1.0' },
    },
  };
  await place.append(wilma, letter, 'vak.dlq.acme.wilma.failed');
  await look();
  expect(shown()).toEqual([['dead-letters:q:exit.2', 'bad', 1]]);
  expect(service.state().incidents[0]?.why).toContain('after 4 attempts, last by wilma: no such file.');
  await place.receipt(wilma, task);
  await look();
  expect(shown()).toEqual([]);
});

test('W6 a receipt of who is no worker of the queue is refused and visible', async () => {
  await place.receipt(place.peer('carl', 'coordinator'), await place.submit());
  await look();
  expect(shown()).toEqual([['refused:receipt', 'bad', 1]]);
  const [incident] = service.state().incidents;
  expect(incident).toMatchObject({ why: 'carl is not granted worker of queue q.', place: { kind: 'session' } });
  // Who said it stands in the list; a notification names nothing that was sealed.
  expect(notifier.shown).toMatchObject([{ title: '1 receipt does not count' }]);
});

test('W8 a verdict for another request is refused and visible; a request that waits is told', async () => {
  const wilma = place.peer('wilma', 'worker');
  const subject = `vak.approvals.acme.${wilma.session}`;
  const expiresAt = new Date(place.clock.now() + 60_000).toISOString();
  const { id } = await place.append(wilma, { title: 'sealed', detail: 'words', expiresAt }, `${subject}.request`);
  await look();
  expect(notifier.shown).toMatchObject([{ title: 'wilma asks for approval' }]);
  expect(notifier.badges).toEqual([1]);
  const said = { requestId: id, requestLeaf: '0'.repeat(64), decision: 'approve' };
  await place.append(place.peer('olga', 'operator'), said, `${subject}.verdict`);
  await look();
  expect(shown()).toEqual([['refused:verdict', 'bad', 1]]);
  expect(service.state().totals.pendingApprovalCount).toBe(1);
});

test('W8 I3 a request that comes while the key store is locked is told, also over the lock in front, and names nobody', async () => {
  place.app.isOpen = false;
  notifier.putInFront(true);
  const wilma = place.peer('wilma', 'worker');
  const expiresAt = new Date(place.clock.now() + 60_000).toISOString();
  const asked = { title: 'sealed', detail: 'words', expiresAt };
  await place.append(wilma, asked, `vak.approvals.acme.${wilma.session}.request`);
  await place.pass(100);
  expect(notifier.shown).toEqual([
    { id: 'approval:', title: 'An approval waits', body: 'Unlock the workbench to see it.' },
  ]);
  place.app.isOpen = true;
  place.watch.follow();
  await look();
  await place.pass(20_000);
  expect(notifier.shown).toHaveLength(1);
  expect(notifier.badges).toEqual([1]);
});

test('W3 I3 a dead letter that comes while the key store is locked is counted and told, and nothing of it is', async () => {
  place.app.isOpen = false;
  notifier.putInFront(true);
  for (const worker of ['wilma', 'wilma', 'carl'])
    place.fabric.bus.publish(`vak.dlq.acme.${worker}.failed`, new Uint8Array([1]));
  place.fabric.bus.publish('vak.approvals.acme.s1.request', new Uint8Array([1]));
  await place.pass(10_100);
  expect(service.lockedNews()).toEqual({ incidentCount: 3, approvalCount: 1 });
  expect(notifier.shown).toEqual([
    { id: 'several', title: 'New: 1 incident', body: 'Unlock the workbench to see it.' },
    { id: 'several', title: 'New: 2 incidents, 1 approval', body: 'Unlock the workbench to see them.' },
  ]);
  expect(notifier.badges.at(-1)).toBe(4);
  place.app.isOpen = true;
  place.watch.follow();
  await look();
  expect(service.lockedNews()).toEqual({ incidentCount: 0, approvalCount: 0 });
});

test('W8 I3 an app that was never unlocked tells of a request, too', async () => {
  place.app.isOpen = false;
  notifier = createSilentNotifier();
  const logger = createSilentLogger();
  const locked = createOperationsService({
    ...{ workspace: 'acme', watch: place.watch, destination: () => place.app.destination, denials, notifier, logger },
    ...{ queues: place.queuesState, approvals: place.approvalsState, clock: place.clock, onChange: () => {} },
    ...{ memory: createKeptMemory(), settings: createKeptSettings(), isLocked: () => true, bus: place.fabric.bus },
    ...{ alarmSources: () => undefined, onLockedNews: () => {} },
  });
  place.fabric.bus.publish('vak.approvals.acme.s1.request', new Uint8Array([1]));
  await place.pass(100);
  expect(notifier.shown.map(({ title }) => title)).toEqual(['An approval waits']);
  locked.dispose();
});

test('A4 what a peer of this app was refused is an incident of that peer', async () => {
  const tried = {
    peer: 'worker-1',
    action: 'publish',
    subject: 'vak.work.acme.q.task',
    rule: 'A2 worker',
    side: 'engine',
  } as const;
  denials.note({ ...tried, atMs: place.clock.now(), untoldCount: 0 });
  await place.pass(600);
  expect(service.state().incidents).toMatchObject([
    {
      id: 'denied:worker-1',
      why: 'It may not publish vak.work.acme.q.task: this program refused it (rule A2 worker).',
    },
  ]);
});

test('W9 tasks that nobody claims are a problem after a while, and none when a worker comes', async () => {
  await place.submit();
  for (let seconds = 0; seconds < 45; seconds++) await look();
  expect(shown()).toEqual([['no-consumer:q', 'wait', 1]]);
  const consumer = place.fabric.durable.stream('VAK_WORK_acme').consumer('queue-q');
  const [claimed] = await consumer.pull({ batch: 1, waitMs: 0 });
  for (let seconds = 0; seconds < 12; seconds++) {
    await claimed?.working();
    await look();
  }
  expect(shown()).toEqual([]);
});
