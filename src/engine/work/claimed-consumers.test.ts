import { expect, test } from 'vitest';
import { createFabricFixture } from '../../../tests/support/fabric-fixture.ts';
import { provision } from '../bus/provision.ts';
import { claimedConsumers } from './claimed-consumers.ts';
import { queueConsumer } from './work-queue.ts';

const namesOf = (peers: Parameters<typeof claimedConsumers>[1]): string[] =>
  claimedConsumers('ws', peers).map(({ stream, spec }) => `${stream} ${spec.name}`);

test('A35 each granted peer has its inbox, a worker its queues, a supervisor the advisories; each once', () => {
  expect(
    namesOf([
      { peer: 'one', roles: ['worker'], queues: ['builds', 'tests'] },
      { peer: 'two', roles: ['worker'], queues: ['builds'] },
      { peer: 'ada', roles: ['operator', 'human'], queues: [] },
      { peer: 'grave', roles: ['dlq-supervisor'], queues: [] },
      { peer: 'seer', roles: ['observer'], queues: ['builds'] },
    ]),
  ).toEqual([
    ...['VAK_WORK_ws queue-builds', 'VAK_WORK_ws queue-tests', 'VAK_INBOX_ws inbox-one', 'VAK_INBOX_ws inbox-two'],
    ...['VAK_INBOX_ws inbox-ada', 'VAK_ADV_ws dlq-supervisor'],
  ]);
  expect(() => namesOf([{ peer: 'a b', roles: ['worker'], queues: [] }])).toThrow(/peer/);
});

test('A35 provisioning makes what is lacking, says so, and leaves a queue that was made with other retries', async () => {
  const fixture = createFabricFixture();
  const { durable } = await fixture.open();
  const peers = [{ peer: 'one', roles: ['worker'] as const, queues: ['builds', 'tests'] }];
  const consumers = claimedConsumers('ws', peers);
  const outcomes = async (options: { readonly dryRun?: boolean } = {}) =>
    (await provision(durable, 'ws', { consumers, ...options }))
      .filter(({ kind }) => kind === 'consumer')
      .map(({ name, outcome }) => `${name} ${outcome}`);
  expect(await outcomes({ dryRun: true })).toEqual([
    ...['VAK_WORK_ws queue-builds created', 'VAK_WORK_ws queue-tests created', 'VAK_INBOX_ws inbox-one created'],
  ]);
  await provision(durable, 'ws');
  const work = durable.stream('VAK_WORK_ws');
  expect(await work.consumers()).toEqual([]);
  await work.ensureConsumer(queueConsumer({ workspace: 'ws', queue: 'tests' }, 9));
  expect(await outcomes()).toEqual([
    ...['VAK_WORK_ws queue-builds created', 'VAK_WORK_ws queue-tests unchanged', 'VAK_INBOX_ws inbox-one created'],
  ]);
  expect((await work.consumer('queue-tests').state()).spec.maxDeliver).toBe(10);
  await fixture.end();
});
