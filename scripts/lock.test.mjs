import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readdir, readFile, utimes, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { withLock } from './lock.mjs';
import { makeTempFolder } from './test-folder.mjs';

async function leaveLock(path, owner) {
  await mkdir(path, { recursive: true });
  await writeFile(join(path, 'owner.json'), JSON.stringify({ token: 'left', host: hostname(), ...owner }));
}

async function deadPid() {
  const child = spawn(process.execPath, ['-e', '']);
  await once(child, 'exit');
  return child.pid;
}

describe('withLock', () => {
  it('lets one in at a time and tells the others who is inside', async () => {
    const path = join(await makeTempFolder(), 'x.lock');
    let inside = 0;
    let most = 0;
    const waited = [];
    const work = () =>
      withLock(
        path,
        async () => {
          inside += 1;
          most = Math.max(most, inside);
          await sleep(30);
          inside -= 1;
        },
        { pollMs: 5, onWait: (owner) => waited.push(owner.pid) },
      );
    await Promise.all([work(), work(), work(), work()]);
    expect(most).toBe(1);
    expect(waited).toEqual([process.pid, process.pid, process.pid]);
  });

  it('is free after a failure, and leaves nothing behind', async () => {
    const folder = await makeTempFolder();
    const fail = withLock(join(folder, 'x.lock'), () => Promise.reject(new Error('no')));
    await expect(fail).rejects.toThrow('no');
    expect(await readdir(folder)).toEqual([]);
    expect(await withLock(join(folder, 'x.lock'), async () => 7)).toBe(7);
  });

  it('takes over from a process that has died', async () => {
    const path = join(await makeTempFolder(), 'x.lock');
    await leaveLock(path, { pid: await deadPid(), startedAt: Date.now() });
    expect(await withLock(path, async () => 'mine')).toBe('mine');
  });

  it('takes over what was left before the machine was started', async () => {
    const path = join(await makeTempFolder(), 'x.lock');
    await leaveLock(path, { pid: process.pid, startedAt: 1 });
    expect(await withLock(path, async () => 'mine')).toBe('mine');
  });

  it('takes over from another host only when its heartbeat has stopped', async () => {
    const path = join(await makeTempFolder(), 'x.lock');
    await leaveLock(path, { pid: 1, host: 'elsewhere', startedAt: Date.now() });
    await expect(withLock(path, async () => 'mine', { limitMs: 50, pollMs: 5 })).rejects.toThrow('has held');
    const longAgo = new Date(Date.now() - 120_000);
    await utimes(path, longAgo, longAgo);
    expect(await withLock(path, async () => 'mine')).toBe('mine');
  });

  it('does not take over from a process that lives, and says what to do', async () => {
    const path = join(await makeTempFolder(), 'x.lock');
    await leaveLock(path, { pid: process.pid, startedAt: Date.now() });
    const attempt = withLock(path, async () => 'mine', { limitMs: 50, pollMs: 5 });
    await expect(attempt).rejects.toThrow(`process ${process.pid} has held ${path}`);
  });

  it('holds between processes that all find the same dead owner', async () => {
    const folder = await makeTempFolder();
    const path = join(folder, 'x.lock');
    const counter = join(folder, 'counter');
    await writeFile(counter, '0');
    await leaveLock(path, { pid: await deadPid(), startedAt: Date.now() });
    const source = `
      import { readFile, writeFile } from 'node:fs/promises';
      import { withLock } from ${JSON.stringify(new URL('lock.mjs', import.meta.url).href)};
      for (let round = 0; round < 5; round += 1) {
        await withLock(${JSON.stringify(path)}, async () => {
          const count = Number(await readFile(${JSON.stringify(counter)}, 'utf8'));
          await new Promise((resolve) => setTimeout(resolve, 5));
          await writeFile(${JSON.stringify(counter)}, String(count + 1));
        }, { pollMs: 2 });
      }`;
    const children = Array.from({ length: 4 }, () =>
      spawn(process.execPath, ['--input-type=module', '-e', source], { stdio: 'inherit' }),
    );
    const codes = await Promise.all(children.map(async (child) => (await once(child, 'exit'))[0]));
    expect(codes).toEqual([0, 0, 0, 0]);
    expect(await readFile(counter, 'utf8')).toBe('20');
  });
});
