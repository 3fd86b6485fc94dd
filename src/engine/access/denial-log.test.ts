import { expect, test } from 'vitest';
import { createSilentLogger } from '../ports/logger.ts';
import { createDenialLog, maxDenials } from './denial-log.ts';
import type { DeniedAccess } from './denial-teller.ts';

const denied = (change: Partial<DeniedAccess> = {}): DeniedAccess => ({
  ...{ peer: 'w1', action: 'publish', subject: 'vak.work.acme.q.task', rule: 'worker: deny work.>', atMs: 1 },
  ...{ side: 'engine', untoldCount: 0 },
  ...change,
});

const create = () => createDenialLog({ logger: createSilentLogger() });

test('A4 the same try of the same peer is one entry, with how often and since when; the latest is first', () => {
  const log = create();
  log.note(denied());
  log.note(denied({ peer: 'w2', atMs: 2 }));
  log.note(denied({ atMs: 5 }));
  expect(log.entries()).toEqual([
    expect.objectContaining({ peer: 'w1', rule: 'worker: deny work.>', count: 2, firstMs: 1, lastMs: 5 }),
    expect.objectContaining({ peer: 'w2', count: 1, firstMs: 2, lastMs: 2 }),
  ]);
  expect(log.totalCount()).toBe(2 + 1);
});

test('A12 refusals that were too many to be told are in the total', () => {
  const log = create();
  log.note(denied({ untoldCount: 40 }));
  expect(log.totalCount()).toBe(41);
  expect(log.entries()[0]?.count).toBe(1);
});

test('A4 the log is bounded, and a peer that tries much pushes out its own entries', () => {
  const log = create();
  log.note(denied({ peer: 'quiet' }));
  for (let i = 0; i < 3 * maxDenials; i++) log.note(denied({ subject: `vak.work.acme.q${i}.task`, atMs: i }));
  const entries = log.entries();
  expect(entries).toHaveLength(maxDenials);
  expect(entries[0]?.subject).toBe(`vak.work.acme.q${3 * maxDenials - 1}.task`);
  expect(entries.at(-1)?.peer).toBe('quiet');
  expect(log.totalCount()).toBe(3 * maxDenials + 1);
});

test('A4 whoever watches is told of each, until it does not watch any more', () => {
  const log = create();
  let count = 0;
  const watching = log.onChange(() => count++);
  log.note(denied());
  log.note(denied());
  watching.dispose();
  log.note(denied());
  expect(count).toBe(2);
});
