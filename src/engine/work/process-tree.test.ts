import { spawn } from 'node:child_process';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createSystemClock } from '../ports/clock.ts';
import { createFakeClock } from '../ports/fake-clock.ts';
import type { ProcessRow, ProcessTable } from './process-rows.ts';
import { createProcessTable } from './process-table.ts';
import { cpuMsBetween, createProcessTree, selectTree } from './process-tree.ts';

const row = (pid: number, fields: Partial<ProcessRow> = {}): ProcessRow => ({
  ...{ pid, ppid: 1, pgid: 100, sid: 100, isZombie: false, cpuMs: 0, collectedCpuMs: 0, rssBytes: 1000, startedMs: 0 },
  ...fields,
});
const sampleOf = (uptimeMs: number, rows: readonly ProcessRow[]) => ({
  uptimeMs,
  rows: new Map(rows.map((each) => [each.pid, each])),
});

/** A table that shows what a test puts into it. */
function createFakeTable(): ProcessTable & { rows: ProcessRow[]; uptime: number } {
  const table = {
    rows: [] as ProcessRow[],
    uptime: 1_000,
    all: async () => table.rows,
    withDescendants: async () => table.rows,
    withEnvironment: async () => [],
    uptimeMs: () => table.uptime,
  };
  return table;
}

test('process tree: group, POSIX session and descendants of these belong, others do not', () => {
  const rows = [
    row(100),
    row(101, { ppid: 100 }),
    row(102, { pgid: 102, ppid: 1 }),
    row(103, { pgid: 103, sid: 103, ppid: 101 }),
    row(104, { pgid: 9, sid: 9 }),
    row(105, { pgid: 9, sid: 9, ppid: 103 }),
  ];
  expect(
    selectTree(rows, 100)
      .map(({ pid }) => pid)
      .sort(),
  ).toEqual([100, 101, 102, 103, 105]);
});

test('process tree: a child that ended counts once, by what its parent collected', () => {
  const before = sampleOf(1_000, [row(100, { cpuMs: 10 }), row(101, { ppid: 100, cpuMs: 300 })]);
  const after = sampleOf(1_500, [row(100, { cpuMs: 20, collectedCpuMs: 450 })]);
  expect(cpuMsBetween(before, after)).toBe(10 + 150);
});

test('process tree: a child that began and ended between two samples counts', () => {
  const before = sampleOf(1_000, [row(100)]);
  const after = sampleOf(1_500, [row(100, { collectedCpuMs: 80 })]);
  expect(cpuMsBetween(before, after)).toBe(80);
});

test('process tree: a member that is found late brings no past, a new one all that it spent', () => {
  const before = sampleOf(10_000, [row(100)]);
  const after = sampleOf(10_500, [
    row(100),
    row(101, { cpuMs: 9_000, startedMs: 5_000 }),
    row(102, { cpuMs: 40, startedMs: 10_100 }),
  ]);
  expect(cpuMsBetween(before, after)).toBe(40);
});

test('process tree: a reused pid is another process', () => {
  const before = sampleOf(1_000, [row(100, { cpuMs: 5_000, startedMs: 10 })]);
  const after = sampleOf(1_500, [row(100, { cpuMs: 30, startedMs: 1_200 })]);
  expect(cpuMsBetween(before, after)).toBe(30);
});

test('process tree: whatever leaves, the time between samples is never negative', () => {
  const rows = fc.array(
    fc.record({
      pid: fc.nat(6),
      ppid: fc.nat(6),
      cpuMs: fc.nat(1000),
      collectedCpuMs: fc.nat(1000),
      startedMs: fc.nat(2),
    }),
    { maxLength: 7 },
  );
  fc.assert(
    fc.property(rows, rows, (left, right) => {
      const toRows = (list: typeof left) => list.map(({ pid, ...fields }) => row(pid, fields));
      expect(cpuMsBetween(sampleOf(1_000, toRows(left)), sampleOf(1_500, toRows(right)))).toBeGreaterThanOrEqual(0);
    }),
  );
});

test('process tree: memory is summed, CPU is a share of the time that passed, an empty tree is undefined', async () => {
  const clock = createFakeClock();
  const table = createFakeTable();
  const tree = createProcessTree({ table, clock, leader: 100 });
  table.rows = [row(100), row(102, { isZombie: true, rssBytes: 0 })];
  table.rows.unshift(row(101, { ppid: 100 }));
  expect(await tree.sample()).toEqual({ pids: [100, 101], processes: 2, rssBytes: 2000, cpuPercent: 0 });
  clock.advance(500);
  table.uptime += 500;
  table.rows = [row(100, { cpuMs: 500 }), row(101, { ppid: 100, cpuMs: 250 })];
  expect((await tree.sample())?.cpuPercent).toBe(150);
  table.rows = [];
  clock.advance(500);
  expect(await tree.sample()).toBeUndefined();
});

test('process tree: a busy command shows about one core, also when its work is done by short-lived children', async () => {
  const script = 'while :; do awk "BEGIN { for (i = 0; i < 200000; i++) n += i }"; done';
  const child = spawn('/bin/sh', ['-c', script], { detached: true, stdio: 'ignore' });
  const leader = child.pid as number;
  const clock = createSystemClock();
  const tree = createProcessTree({ table: createProcessTable(), clock, leader });
  try {
    await tree.sample();
    const cpuBefore = process.uptime();
    await expect.poll(() => process.uptime() - cpuBefore, { interval: 100, timeout: 5_000 }).toBeGreaterThan(2);
    const usage = await tree.sample();
    // Even on a machine that is shared with others: clearly busy, and never more than one core and rounding.
    expect(usage?.cpuPercent).toBeGreaterThan(15);
    expect(usage?.cpuPercent).toBeLessThan(115);
    expect(usage?.rssBytes).toBeGreaterThan(100_000);
  } finally {
    process.kill(-leader, 'SIGKILL');
  }
});
