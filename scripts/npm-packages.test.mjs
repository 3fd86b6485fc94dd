import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ensurePackages, holdsSamePackages } from './npm-packages.mjs';
import { makeTempFolder } from './test-folder.mjs';

const lock = { packages: { '': {}, 'node_modules/a': { version: '1.0.0' }, 'node_modules/b': { version: '2.0.0' } } };
const filled = { packages: { 'node_modules/a': { version: '1.0.0' }, 'node_modules/b': { version: '2.0.0' } } };

async function makeProject() {
  const projectRoot = await makeTempFolder();
  const installs = [];
  const install = async (root) => {
    installs.push(root);
    await mkdir(join(root, 'node_modules'), { recursive: true });
  };
  const writeLock = (content) => writeFile(join(projectRoot, 'package-lock.json'), JSON.stringify(content));
  await writeLock(lock);
  const ensure = () => ensurePackages({ projectRoot, lockFolder: join(projectRoot, 'out', '.set-up'), install });
  return { projectRoot, installs, writeLock, ensure };
}

describe('ensurePackages', () => {
  it('installs when there is nothing, and again only when the lock changes', async () => {
    const { installs, writeLock, ensure } = await makeProject();
    expect(await ensure()).toBe(true);
    expect(await ensure()).toBe(false);
    await writeLock({ packages: { ...lock.packages, 'node_modules/c': { version: '1.0.0' } } });
    expect(await ensure()).toBe(true);
    expect(installs).toHaveLength(2);
  });

  it('installs once for two at once', async () => {
    const { installs, ensure } = await makeProject();
    expect((await Promise.all([ensure(), ensure()])).sort()).toEqual([false, true]);
    expect(installs).toHaveLength(1);
  });

  it('adopts what npm itself has filled from the same lock', async () => {
    const { projectRoot, installs, ensure } = await makeProject();
    await mkdir(join(projectRoot, 'node_modules'));
    await writeFile(join(projectRoot, 'node_modules', '.package-lock.json'), JSON.stringify(filled));
    expect(await ensure()).toBe(false);
    expect(installs).toEqual([]);
  });

  it('a failed installation leaves no stamp', async () => {
    const { projectRoot, ensure } = await makeProject();
    const lockFolder = join(projectRoot, 'out', '.set-up');
    const install = () => Promise.reject(new Error('no network'));
    await expect(ensurePackages({ projectRoot, lockFolder, install })).rejects.toThrow('no network');
    expect(await ensure()).toBe(true);
  });

  it('says so when the lock is missing', async () => {
    const projectRoot = await makeTempFolder();
    await expect(ensurePackages({ projectRoot, lockFolder: projectRoot })).rejects.toThrow('is missing.\nNext:');
  });
});

describe('holdsSamePackages', () => {
  const optional = { version: '1.0.0', optional: true, os: ['darwin'] };
  it('asks for all but the optional parts of other systems', () => {
    expect(holdsSamePackages(lock, filled)).toBe(true);
    expect(holdsSamePackages({ packages: { ...lock.packages, 'node_modules/mac': optional } }, filled, 'linux')).toBe(
      true,
    );
    expect(holdsSamePackages(lock, { packages: { 'node_modules/a': { version: '1.0.0' } } })).toBe(false);
  });

  it('refuses another version, a package too many and parts of another system', () => {
    const other = { packages: { ...filled.packages, 'node_modules/b': { version: '2.0.1' } } };
    expect(holdsSamePackages(lock, other)).toBe(false);
    expect(holdsSamePackages(lock, { packages: { ...filled.packages, 'node_modules/c': { version: '1' } } })).toBe(
      false,
    );
    const mac = { 'node_modules/mac': optional };
    const both = [{ packages: { ...lock.packages, ...mac } }, { packages: { ...filled.packages, ...mac } }];
    expect(holdsSamePackages(...both, 'darwin')).toBe(true);
    expect(holdsSamePackages(...both, 'linux')).toBe(false);
  });
});
