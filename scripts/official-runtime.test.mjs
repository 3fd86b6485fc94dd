import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { findInstalled, installOfficial, judgeFailure } from './official-runtime.mjs';
import { makeTempFolder } from './test-folder.mjs';

const dayMs = 24 * 60 * 60_000;
const unpack = `
  const fs = require('node:fs');
  fs.mkdirSync('dist', { recursive: true });
  fs.writeFileSync('dist/version', '45.5.0');
  fs.writeFileSync('dist/electron', '');
  fs.writeFileSync('path.txt', 'electron');`;

/** A project whose electron package has an install.js of ours; each run of it leaves a line in `runs`. */
async function makeProject(installer) {
  const projectRoot = await makeTempFolder();
  const packageFolder = join(projectRoot, 'node_modules', 'electron');
  await mkdir(packageFolder, { recursive: true });
  await writeFile(join(packageFolder, 'package.json'), '{"version":"45.5.0"}');
  const source = `require('node:fs').appendFileSync('runs', 'run\\n');\n${installer}`;
  await writeFile(join(packageFolder, 'install.js'), source);
  const runs = async () => (await readFile(join(packageFolder, 'runs'), 'utf8').catch(() => '')).split('\n').length - 1;
  const common = { projectRoot, version: '45.5.0', cacheRoot: await makeTempFolder(), platform: 'linux' };
  return { packageFolder, runs, common };
}

describe('findInstalled', () => {
  it('takes a whole installation of the wanted version only', async () => {
    const { packageFolder, common } = await makeProject('');
    const find = () => findInstalled(common);
    expect(await find()).toBeUndefined();
    await mkdir(join(packageFolder, 'dist'));
    await writeFile(join(packageFolder, 'dist', 'version'), 'v45.5.0\n');
    await writeFile(join(packageFolder, 'dist', 'electron'), '');
    expect(await find()).toBeUndefined();
    await writeFile(join(packageFolder, 'path.txt'), 'electron');
    expect(await find()).toBe(join(packageFolder, 'dist', 'electron'));
    await writeFile(join(packageFolder, 'dist', 'version'), '44.0.0');
    expect(await find()).toBeUndefined();
  });
});

describe('installOfficial', () => {
  it('runs the installer once, also for two at once', async () => {
    const { packageFolder, runs, common } = await makeProject(unpack);
    const both = await Promise.all([installOfficial(common), installOfficial(common)]);
    const executable = join(packageFolder, 'dist', 'electron');
    expect(both).toEqual([{ executable }, { executable }]);
    expect(await runs()).toBe(1);
  });

  it('remembers for a day that the network does not give it', async () => {
    const { runs, common } = await makeProject("throw new TypeError('fetch failed')");
    const at = (now) => installOfficial({ ...common, now: () => now });
    expect(await at(1000)).toEqual({ unreachable: 'TypeError: fetch failed' });
    expect(await at(1000 + 20 * 60_000)).toEqual({ unreachable: 'TypeError: fetch failed, 20 min ago' });
    expect(await at(999 + dayMs)).toEqual({ unreachable: 'TypeError: fetch failed, 24 h ago' });
    expect(await runs()).toBe(1);
    await at(1000 + dayMs);
    expect(await runs()).toBe(2);
  });

  it('stops at a checksum mismatch, and tries again next time', async () => {
    const mismatch = 'Generated checksum for "electron.zip" did not match expected checksum.';
    const { runs, common } = await makeProject(`throw new Error(${JSON.stringify(mismatch)})`);
    await expect(installOfficial(common)).rejects.toThrow('checksum is not the published one');
    await expect(installOfficial(common)).rejects.toThrow('checksum is not the published one');
    expect(await runs()).toBe(2);
  });
});

describe('judgeFailure', () => {
  it.each([
    [['Error: ENOSPC: no space left on device, write'], 'local'],
    [["Error: EACCES: permission denied, mkdir 'x'"], 'local'],
    [['TypeError: fetch failed', '    at node:internal', 'Error: connect EACCES 192.0.2.1:443'], 'unreachable'],
    [['HTTPError: Response code 403 (Forbidden)'], 'unreachable'],
    [['Error: No checksum found in checksum file for "electron.zip".'], 'checksum'],
    [[], 'unreachable'],
  ])('%j is %s', (lines, kind) => {
    expect(judgeFailure(lines).kind).toBe(kind);
  });

  it('a silent network is out of reach', () => {
    expect(judgeFailure([], true)).toEqual({ kind: 'unreachable', reason: 'no byte came for 45 s' });
  });
});
