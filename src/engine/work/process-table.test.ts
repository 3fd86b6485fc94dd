import { spawn } from 'node:child_process';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type ProcessRow, withDescendantRows } from './process-rows.ts';
import { createProcessTable } from './process-table.ts';
import { parseAuxiliaryVector, parseStat } from './process-table-linux.ts';
import { parseCpuTime, parsePs, parsePsEnvironment } from './process-table-ps.ts';

const units = { pageBytes: 4096, ticksPerSecond: 100 };
const tail = 'S 10 42 42 0 -1 4194304 100 200 0 0 7 3 20 30 20 0 1 0 5000 1000000 25 18446744073709551615 0 0 0';

describe('process table: /proc', () => {
  test('process table: a stat line is read field by field', () => {
    expect(parseStat(`42 (cat) ${tail}`, units)).toEqual({
      pid: 42,
      ppid: 10,
      pgid: 42,
      sid: 42,
      isZombie: false,
      cpuMs: 100,
      collectedCpuMs: 500,
      rssBytes: 25 * 4096,
      startedMs: 50_000,
    });
  });

  test('process table: a program named with spaces, parentheses and line breaks does not shift the fields', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 40 }), (name) => {
        expect(parseStat(`42 (${name}) ${tail}`, units)).toEqual(parseStat(`42 (cat) ${tail}`, units));
      }),
    );
    expect(parseStat(`42 (a) S 1 (b) ) ${tail}`, units)?.ppid).toBe(10);
  });

  test('process table: what is no stat line is no process', () => {
    for (const text of ['', '42', '42 (cat', `x (cat) ${tail}`, '42 (cat) S 1 2'])
      expect(parseStat(text, units)).toBeUndefined();
    fc.assert(fc.property(fc.string(), (text) => void parseStat(text, units)));
  });

  test('process table: a zombie is told apart', () => {
    expect(parseStat(`42 (cat) ${tail.replace('S', 'Z')}`, units)?.isZombie).toBe(true);
  });

  test('process table: page size and clock ticks come from the auxiliary vector', () => {
    const words = new BigUint64Array([33n, 1n, 6n, 16_384n, 17n, 250n, 0n, 0n]);
    expect(parseAuxiliaryVector(new Uint8Array(words.buffer), 8)).toEqual({ pageBytes: 16_384, ticksPerSecond: 250 });
    expect(parseAuxiliaryVector(new Uint8Array(), 8)).toEqual({ pageBytes: 4096, ticksPerSecond: 100 });
  });
});

describe('process table: ps', () => {
  test('process table: the columns of ps are read', () => {
    const text =
      '    1     0     1 Ss    12304   1:02.50\n  501     1   501 Z+        0   0:00.00\nnonsense\n 7 x 7 S 1 0:00\n';
    expect(parsePs(text).map(({ pid, cpuMs, rssBytes, isZombie }) => [pid, cpuMs, rssBytes, isZombie])).toEqual([
      [1, 62_500, 12_304 * 1024, false],
      [501, 0, 0, true],
    ]);
  });

  test('process table: CPU time is read in all forms that ps prints', () => {
    expect(['0:00.01', '12:34', '1:00:00', '2-01:00:00'].map(parseCpuTime)).toEqual([
      10, 754_000, 3_600_000, 176_400_000,
    ]);
    expect(parseCpuTime('-')).toBeNaN();
  });

  test('process table: an environment entry counts only as a whole word behind the command', () => {
    const text = ' 10 sleep 5 A=1 VAK_SESSION=s1 B=2\n 11 sleep 5 VAK_SESSION=s12\n 12 VAK_SESSION=s1\n';
    expect(parsePsEnvironment(text, 'VAK_SESSION=s1')).toEqual([10]);
  });
});

test('process table: descendants are those whose chain of parents reaches a root, as a brute-force walk finds', () => {
  const row = (pid: number, ppid: number): ProcessRow => ({
    ...{ pid, ppid, pgid: pid, sid: null, isZombie: false, cpuMs: 0, collectedCpuMs: 0, rssBytes: 0, startedMs: 0 },
  });
  fc.assert(
    fc.property(
      fc.array(fc.nat(12), { minLength: 1, maxLength: 12 }),
      fc.array(fc.nat(12), { maxLength: 3 }),
      (parents, roots) => {
        const rows = parents.map((parent, index) => row(index, parent));
        const reaches = (pid: number): boolean => {
          for (let at: number | undefined = pid, steps = 0; at !== undefined && steps < 20; steps++) {
            if (roots.includes(at)) return rows[at] !== undefined;
            at = rows[at]?.ppid;
          }
          return false;
        };
        const expected = rows.filter(({ pid }) => reaches(pid)).map(({ pid }) => pid);
        const found = withDescendantRows(rows, new Set(roots)).map(({ pid }) => pid);
        expect(found.sort((a, b) => a - b)).toEqual(expected);
      },
    ),
  );
});

test('process table: finds a real child by its parent, its group and its environment', async () => {
  const table = createProcessTable();
  const child = spawn('/bin/sh', ['-c', 'sleep 60 & wait'], {
    detached: true,
    env: { PATH: process.env['PATH'], MARK: 'm-1' },
  });
  const group = child.pid as number;
  try {
    await expect.poll(async () => (await table.withDescendants([group])).length).toBe(2);
    const inGroup = async () => (await table.all()).filter(({ pgid }) => pgid === group);
    // A process that has only just begun may hold no memory yet.
    await expect.poll(async () => (await inGroup()).every(({ rssBytes }) => rssBytes > 0)).toBe(true);
    const rows = await inGroup();
    expect(rows.map(({ ppid }) => ppid).sort()).toEqual([process.pid, group].sort());
    expect([...(await table.withEnvironment('MARK=m-1'))].sort()).toEqual(rows.map(({ pid }) => pid).sort());
    expect(await table.withEnvironment('MARK=m')).toEqual([]);
  } finally {
    process.kill(-group, 'SIGKILL');
  }
});
