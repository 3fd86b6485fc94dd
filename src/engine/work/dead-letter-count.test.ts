import { afterEach, beforeEach, expect, test } from 'vitest';
import { openWatchedPlace, type WatchedPlace } from '../../../tests/support/watched-place.ts';
import { createDeadLetterCount, type DeadLetterCount, type DeadLetterCounts } from './dead-letter-count.ts';

let place: WatchedPlace;
let count: DeadLetterCount;

beforeEach(async () => {
  place = await openWatchedPlace();
  count = create();
});
afterEach(async () => {
  await place.close();
});

const create = (capacity?: number): DeadLetterCount =>
  createDeadLetterCount({
    ...{ workspace: 'acme', durable: place.fabric.durable, judge: place.workspace.judge },
    ...(capacity === undefined ? {} : { capacity }),
  });

async function letter(name: string, queue = 'q'): Promise<{ seq: number }> {
  const payload = {
    ...{ envelopeId: null, taskLeaf: 'a'.repeat(64), subject: `vak.work.acme.${queue}.task`, queue, attempts: 1 },
    ...{ history: [], reason: 'r', errorClass: 'c', failedAt: '2026-01-02T03:04:05Z', workerId: null },
    envelope: 'AA==',
  };
  return await place.append(place.peer(name, 'worker'), payload, `vak.dlq.acme.${name}.failed`);
}

async function look(by = count): Promise<DeadLetterCounts> {
  const looking = by.look();
  await place.settle();
  return await looking;
}

const counts = (countingCount: number, refusedCount: number, unjudgedCount = 0) => ({
  ...{ countingCount, refusedCount, unjudgedCount },
});

test('W10 only dead letters that count are counted; forged ones are told apart, and what was deleted leaves the count', async () => {
  expect(await look()).toEqual(counts(0, 0));
  await letter('wilma');
  const second = await letter('wilma');
  await letter('wilma', 'of-others');
  await place.store('vak.dlq.acme.eve.failed', new Uint8Array(20));
  expect(await look()).toEqual(counts(2, 2));
  await place.fabric.durable.stream('VAK_DLQ_acme').delete(second.seq);
  await letter('wilma');
  await letter('wilma');
  expect(await look()).toEqual(counts(3, 2));
  await place.fabric.durable.stream('VAK_DLQ_acme').purge();
  expect(await look()).toEqual(counts(0, 0));
});

test('W10 what nobody can judge, and what is beyond the bound, counts as neither', async () => {
  for (let i = 0; i < 5; i++) await letter('wilma');
  const bounded = create(3);
  expect(await look(bounded)).toEqual(counts(3, 0, 2));
  await letter('wilma');
  expect(await look(bounded)).toEqual(counts(3, 0, 3));
  place.workspace.secrets = undefined;
  expect(await look(create())).toEqual(counts(0, 0, 6));
});
