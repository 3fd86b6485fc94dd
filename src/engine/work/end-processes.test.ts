import { expect, test } from 'vitest';
import { createFakeClock } from '../ports/fake-clock.ts';
import { endProcesses } from './end-processes.ts';
import type { ProcessRow, ProcessTable } from './process-rows.ts';
import { withDescendantRows } from './process-rows.ts';

type Behaviour = 'obeys' | 'ignores' | 'immortal';
interface Simulated extends ProcessRow {
  readonly marker?: string;
  readonly behaviour: Behaviour;
}

const simulated = (pid: number, behaviour: Behaviour, fields: Partial<Simulated> = {}): Simulated => ({
  ...{ pid, ppid: 1, pgid: pid, sid: pid, isZombie: false, cpuMs: 0, collectedCpuMs: 0, rssBytes: 0, startedMs: pid },
  ...fields,
  behaviour,
});

/** Machine in a test: processes that obey, ignore SIGTERM, or survive everything. */
function createMachine(processes: readonly Simulated[]) {
  const clock = createFakeClock();
  const signals: string[] = [];
  let rows = [...processes];
  const table: ProcessTable = {
    all: async () => rows,
    withDescendants: async (pids) => withDescendantRows(rows, new Set(pids)),
    withEnvironment: async (entry) => rows.filter(({ marker }) => marker === entry).map(({ pid }) => pid),
    uptimeMs: () => 0,
  };
  function sendSignal(target: number, signal: NodeJS.Signals): boolean {
    signals.push(`${signal} ${target}`);
    const isHit = (row: Simulated): boolean => (target < 0 ? row.pgid === -target : row.pid === target);
    rows = rows.filter(
      (row) => !isHit(row) || row.behaviour === 'immortal' || (signal === 'SIGTERM' && row.behaviour === 'ignores'),
    );
    return true;
  }
  async function end(groups: number[], marker: string | null) {
    let result: Awaited<ReturnType<typeof endProcesses>> | undefined;
    const ending = endProcesses({ table, clock, sendSignal }, { groups, marker, graceMs: 2_000 }).then((value) => {
      result = value;
    });
    while (result === undefined) {
      await new Promise((resolve) => setImmediate(resolve));
      if (clock.timerCount > 0) clock.advance(50);
    }
    await ending;
    return { ...result, atMs: clock.monotonic() };
  }
  return { end, signals, left: () => rows.map(({ pid }) => pid) };
}

test('end processes: a group that obeys is asked once and never killed', async () => {
  const machine = createMachine([
    simulated(100, 'obeys'),
    simulated(101, 'obeys', { pgid: 100, ppid: 100 }),
    simulated(7, 'obeys'),
  ]);
  expect(await machine.end([100], null)).toMatchObject({ endedCount: 2, remainingPids: [] });
  expect(machine.signals.sort()).toEqual(['SIGTERM 100', 'SIGTERM 101']);
  expect(machine.left()).toEqual([7]);
});

test('end processes: one that ignores the request is killed after the grace, not before', async () => {
  const machine = createMachine([simulated(100, 'ignores')]);
  const { atMs } = await machine.end([100], null);
  expect(atMs).toBeGreaterThanOrEqual(2_000);
  expect(machine.signals).toContain('SIGKILL -100');
  expect(machine.left()).toEqual([]);
});

test('end processes: who left the group is found by POSIX session, by parent, or by marker', async () => {
  const machine = createMachine([
    simulated(100, 'obeys'),
    simulated(101, 'obeys', { sid: 100 }),
    simulated(102, 'ignores', { ppid: 100 }),
    simulated(103, 'ignores', { marker: 'VAK_SESSION=s' }),
    simulated(104, 'obeys', { marker: 'VAK_SESSION=s2' }),
  ]);
  expect(await machine.end([100], 'VAK_SESSION=s')).toMatchObject({ endedCount: 4, remainingPids: [] });
  expect(machine.left()).toEqual([104]);
});

test('end processes: it never signals itself, nor what else it started, nor group 0, 1 or below, and returns at once when nobody is there', async () => {
  const self = simulated(process.pid, 'obeys', { marker: 'VAK_SESSION=s' });
  const machine = createMachine([
    self,
    simulated(1, 'obeys'),
    simulated(300, 'obeys', { ppid: process.pid }),
    simulated(2, 'obeys', { pgid: 0, sid: 0 }),
  ]);
  expect(await machine.end([1, 0, -1, Number.NaN], 'VAK_SESSION=s')).toMatchObject({ endedCount: 0, atMs: 0 });
  expect(machine.signals).toEqual([]);
});

test('end processes: what cannot be ended is told after a limit, zombies are not waited for', async () => {
  const machine = createMachine([
    simulated(100, 'immortal'),
    simulated(101, 'immortal', { pgid: 100, isZombie: true }),
  ]);
  const { remainingPids, endedCount, atMs } = await machine.end([100], null);
  expect({ remainingPids, endedCount }).toEqual({ remainingPids: [100], endedCount: 0 });
  expect(atMs).toBeLessThan(6_000);
});
