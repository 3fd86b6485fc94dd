import { expect, it } from 'vitest';
import { VakError } from '../../shared/base/vak-error.ts';
import { createFakeClock } from '../ports/fake-clock.ts';
import { createSilentLogger } from '../ports/logger.ts';
import { createManagedKeeper } from './managed-keeper.ts';
import type { ManagedProcess } from './managed-process.ts';

/** A process that a test lets die. */
function playProcess(pid: number): ManagedProcess & { die(): void } {
  let hasEnded = false;
  let die: () => void = () => {};
  const ended = new Promise<void>((resolve) => {
    die = () => {
      hasEnded = true;
      resolve();
    };
  });
  return { pid, ended, hasEnded: () => hasEnded, end: async () => die(), die: () => die() };
}

const turns = async (): Promise<void> => {
  for (let i = 0; i < 10; i++) await new Promise((resolve) => setImmediate(resolve));
};

function keep(launches: ('up' | 'refused')[]) {
  const clock = createFakeClock();
  const processes = [playProcess(1)];
  const pids: (number | null)[] = [];
  const triedMs: number[] = [];
  const keeper = createManagedKeeper(processes[0] as ManagedProcess, {
    ...{ clock, logger: createSilentLogger() },
    async launch() {
      triedMs.push(clock.monotonic());
      if (launches.shift() !== 'up') throw new VakError('spawn-failed', 'refused');
      const next = playProcess(processes.length + 1);
      processes.push(next);
      return next;
    },
    async onProcess(running) {
      pids.push(running?.pid ?? null);
    },
  });
  const told: string[] = [];
  keeper.onState((state) => told.push('attempt' in state ? `${state.kind} ${state.attempt}` : state.kind));
  return { clock, processes, pids, triedMs, keeper, told };
}

it('B8 the pace of restarts slows down, and after six in a row it is given up and said', async () => {
  const { clock, processes, pids, triedMs, keeper, told } = keep([]);
  processes[0]?.die();
  for (let i = 0; i < 12; i++) {
    await turns();
    clock.advance(3_200 * 2);
  }
  await turns();
  expect(triedMs.length).toBe(6);
  expect(told).toEqual([...[1, 2, 3, 4, 5, 6].map((n) => `restarting ${n}`), 'failed']);
  expect(keeper.state()).toMatchObject({ kind: 'failed', error: { code: 'spawn-failed' } });
  // Another one may run in its place by then: its record is not touched.
  await keeper.stop();
  expect(pids).toEqual([null]);
  expect(clock.timerCount).toBe(0);
});

it('B8 each wait is twice the one before', async () => {
  const { clock, processes, triedMs } = keep(['refused', 'refused', 'up']);
  processes[0]?.die();
  for (let ms = 0; ms < 1_500; ms += 50) {
    await turns();
    clock.advance(50);
  }
  expect(triedMs).toEqual([200, 600, 1_400]);
});

it('B8 deaths in quick succession count on, those of one that ran for a minute begin anew', async () => {
  const { clock, processes, told } = keep(['up', 'up', 'up']);
  const dieAndReturn = async (index: number): Promise<void> => {
    processes[index]?.die();
    await turns();
    clock.advance(7_000);
    await turns();
  };
  await dieAndReturn(0);
  await dieAndReturn(1);
  clock.advance(60_000);
  await dieAndReturn(2);
  expect(told).toEqual(['restarting 1', 'running', 'restarting 2', 'running', 'restarting 1', 'running']);
});

it('B8 stopping ends the process, starts no other, and ends a wait', async () => {
  const { clock, processes, keeper, told, triedMs } = keep(['up']);
  await keeper.stop();
  expect([processes[0]?.hasEnded(), triedMs, told]).toEqual([true, [], ['stopped']]);
  const waiting = keep(['up']);
  waiting.processes[0]?.die();
  await turns();
  await waiting.keeper.stop();
  expect([waiting.triedMs, waiting.told]).toEqual([[], ['restarting 1', 'stopped']]);
  expect([clock.timerCount, waiting.clock.timerCount]).toEqual([0, 0]);
});
