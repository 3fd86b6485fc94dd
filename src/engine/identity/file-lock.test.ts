import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { failure } from '../../../tests/support/expected-failure.ts';
import { createFakeClock, type FakeClock } from '../ports/fake-clock.ts';
import { createSystemRandomness } from '../ports/randomness.ts';
import { createFileLock } from './file-lock.ts';
import { birthOf, birthPlace } from './process-birth.ts';

let folder: string;
let path: string;
let clock: FakeClock;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'vak-lock-'));
  path = join(folder, 'deep', 'x.lock');
  // The guard's age is told by the file system's time.
  clock = createFakeClock(Date.now());
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const createLock = (waitMs = 5000) => createFileLock({ path, waitMs, clock, randomness: createSystemRandomness() });

/** Moves the clock while the work waits; how long that was, in ms. */
async function settle<T>(work: Promise<T>): Promise<{ readonly value: T; readonly waitedMs: number }> {
  const beganMs = clock.monotonic();
  let isSettled = false;
  const done = (): void => {
    isSettled = true;
  };
  work.then(done, done);
  for (let turns = 0; !isSettled; turns++) {
    await new Promise((resolve) => setImmediate(resolve));
    if (turns % 3 === 2) clock.advance(10);
  }
  return { value: await work, waitedMs: clock.monotonic() - beganMs };
}

async function holder(changes: object = {}): Promise<string> {
  const own = { pid: process.pid, birth: await birthOf(process.pid), place: birthPlace(), token: 'f'.repeat(32) };
  return JSON.stringify({ ...own, ...changes });
}

async function plant(content: string): Promise<void> {
  await createLock().run(async () => {});
  writeFileSync(path, content);
}

describe('file lock', () => {
  it('lets one in at a time, and is gone afterwards, whatever the work does', async () => {
    const order: string[] = [];
    const first = createLock().run(async () => {
      order.push('in');
      for (let i = 0; i < 20; i++) await new Promise((resolve) => setImmediate(resolve));
      order.push('out');
      throw new Error('mine');
    });
    const second = createLock().run(async () => order.push('second'));
    await expect(first).rejects.toThrowError('mine');
    await settle(second);
    expect(order).toEqual(['in', 'out', 'second']);
    expect(readdirSync(join(folder, 'deep'))).toEqual([]);
    expect(clock.timerCount).toBe(0);
  });

  it('waits for a living process no longer than it was told, and leaves its lock alone', async () => {
    const content = await holder();
    await plant(content);
    const beganMs = clock.monotonic();
    const error = await failure(settle(createLock(700).run(async () => expect.unreachable())));
    expect(error).toMatchObject({ code: 'timeout', retryable: true });
    expect(clock.monotonic() - beganMs).toBeLessThan(800);
    expect(readFileSync(path, 'utf8')).toBe(content);
    // However long it takes: it lives.
    await failure(settle(createLock(60_000).run(async () => {})));
    expect(readFileSync(path, 'utf8')).toBe(content);
  });

  it('takes the lock of a dead process at once, of a zombie, and of one whose pid another process has now', async () => {
    const dead = spawnSync(process.execPath, ['-e', '0']).pid;
    const parent = spawn('sh', ['-c', 'true & echo $!; exec sleep 60'], { stdio: ['ignore', 'pipe', 'ignore'] });
    const zombie = await new Promise<number>((resolve) => {
      parent.stdout.once('data', (chunk: Buffer) => resolve(Number(String(chunk))));
    });
    for (let turns = 0; (await birthOf(zombie)) !== undefined && turns < 5000; turns++)
      await new Promise((resolve) => setImmediate(resolve));
    try {
      expect(await birthOf(zombie)).toBeUndefined();
      for (const changes of [{ pid: dead }, { pid: zombie, birth: 'untold' }, { birth: '12345' }]) {
        await plant(await holder(changes));
        const { value, waitedMs } = await settle(createLock().run(async (held) => held.wasAbandoned));
        expect(value).toBe(true);
        expect(waitedMs).toBeLessThan(50);
      }
    } finally {
      parent.kill('SIGKILL');
    }
  });

  it.each([
    ['', 'cut off while written'],
    ['{"pid":1', 'cut off within'],
    ['elsewhere', 'of another machine, boot or namespace'],
  ])('takes %j (%s) only after it stood still for three seconds', async (content) => {
    await plant(content === 'elsewhere' ? await holder({ place: 'another boot' }) : content);
    const { waitedMs } = await settle(createLock().run(async () => {}));
    expect(waitedMs).toBeGreaterThanOrEqual(2900);
    expect(waitedMs).toBeLessThan(3500);
  });

  it('of many that find the same dead lock at once only one is in at a time', async () => {
    const dead = spawnSync(process.execPath, ['-e', '0']).pid;
    await plant(await holder({ pid: dead }));
    let inside = 0;
    let most = 0;
    const work = async (): Promise<void> => {
      most = Math.max(most, ++inside);
      await new Promise((resolve) => setImmediate(resolve));
      inside--;
    };
    await settle(Promise.all(Array.from({ length: 20 }, () => createLock(60_000).run(work))));
    expect(most).toBe(1);
    expect(existsSync(path)).toBe(false);
  });

  it('a guard that a killed process left behind stops nobody for long', async () => {
    const dead = spawnSync(process.execPath, ['-e', '0']).pid;
    await plant(await holder({ pid: dead }));
    writeFileSync(`${path}.break`, '');
    const error = await failure(settle(createLock(1000).run(async () => {})));
    expect(error.code).toBe('timeout');
    const old = new Date(clock.now() - 10_000);
    utimesSync(`${path}.break`, old, old);
    await settle(createLock(1000).run(async () => {}));
    expect(readdirSync(join(folder, 'deep'))).toEqual([]);
  });

  it('tells the holder that its lock was taken away, and does not remove the next one’s', async () => {
    await createLock().run(async (held) => {
      held.assertHeld();
      writeFileSync(path, 'of another');
      expect(() => held.assertHeld()).toThrowError('taken away');
    });
    expect(readFileSync(path, 'utf8')).toBe('of another');
  });

  it('says why it cannot be made', async () => {
    writeFileSync(join(folder, 'deep'), 'no folder');
    const error = await failure(createLock().run(async () => {}));
    expect(error.code).toBe('forbidden');
    expect(error.message).toMatch(/\(E[A-Z]+\)/);
  });
});
