import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createFakeClock } from '../ports/fake-clock.ts';
import { createSystemRandomness } from '../ports/randomness.ts';
import { type IncidentMemory, openIncidentMemory } from './incident-memory.ts';

const clock = createFakeClock();
let folder: string;
let reports: string[];
let opened: IncidentMemory[];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'vak-incidents-'));
  reports = [];
  opened = [];
});

afterEach(async () => {
  for (const memory of opened) await memory.close();
  rmSync(folder, { recursive: true });
  expect(clock.timerCount).toBe(0);
});

const path = (): string => join(folder, 'incidents.json');

async function open() {
  const memory = await openIncidentMemory({
    ...{ path: path(), clock, randomness: createSystemRandomness() },
    report: ({ message }) => reports.push(message),
  });
  opened.push(memory);
  return memory;
}

const ack = (atMs: number) => ({ mark: { atMs, seq: 1 }, atMs: atMs + 5 });
const leaf = (index: number): string => index.toString(16).padStart(64, '0');

test('product.md an acknowledgement holds at once, and after a start, for that workspace and engine alone', async () => {
  const first = await open();
  const written = first.of('ws', 'embedded').acknowledge('dead-letters:render:exit.1', ack(10));
  expect(first.of('ws', 'embedded').acknowledged('dead-letters:render:exit.1')).toEqual(ack(10));
  await written;
  const again = await open();
  expect(again.of('ws', 'embedded').acknowledged('dead-letters:render:exit.1')).toEqual(ack(10));
  expect(again.of('ws', 'at_prod.1').acknowledged('dead-letters:render:exit.1')).toBeUndefined();
  expect(again.of('other', 'embedded').acknowledged('dead-letters:render:exit.1')).toBeUndefined();
  await again.of('ws', 'embedded').takeBack(['dead-letters:render:exit.1']);
  expect((await open()).of('ws', 'embedded').acknowledged('dead-letters:render:exit.1')).toBeUndefined();
});

test('W7 a lost task is remembered until it turns out not to be lost', async () => {
  const place = (await open()).of('ws', 'embedded');
  const lost = [1, 2].map((index) => ({ leaf: leaf(index), queue: 'render', seq: index, atMs: index }));
  await place.changeLost(lost, []);
  expect((await open()).of('ws', 'embedded').lost()).toEqual(lost);
  expect((await open()).of('ws', 'managed').lost()).toEqual([]);
  await place.changeLost([], [leaf(1)]);
  expect((await open()).of('ws', 'embedded').lost()).toEqual(lost.slice(1));
});

test('I3 no name of a failure is on disk: it was sealed', async () => {
  await (await open()).of('ws', 'embedded').acknowledge('dead-letters:render:UnicornError', ack(10));
  expect(readFileSync(path(), 'utf8')).not.toMatch(/Unicorn|render/);
});

test('product.md the file is bounded, the newest are kept', async () => {
  const place = (await open()).of('ws', 'embedded');
  const writes: Promise<void>[] = [];
  for (let index = 0; index < 40; index++) writes.push(place.acknowledge(`old ${index}`, ack(index)));
  const lost = Array.from({ length: 1_500 }, (_, index) => ({ leaf: leaf(index), queue: 'q', seq: 1, atMs: index }));
  writes.push(place.changeLost(lost, []));
  await Promise.all(writes);
  const kept = (await open()).of('ws', 'embedded');
  expect(kept.lost()).toEqual(lost.slice(500));
  expect(kept.acknowledged('old 0')).toEqual(ack(0));
});

test('product.md a damaged file is set aside and said, and the rest goes on', async () => {
  writeFileSync(path(), '{"v":1,"acknowledged":7}');
  const place = (await open()).of('ws', 'embedded');
  expect(reports.join()).toContain('set aside');
  await place.acknowledge('lost:render', ack(1));
  expect(readdirSync(folder).filter((name) => name.includes('damaged'))).toHaveLength(1);
  expect((await open()).of('ws', 'embedded').acknowledged('lost:render')).toEqual(ack(1));
});
