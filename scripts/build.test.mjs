import { mkdir, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ensureBuilt, hashSources } from './build.mjs';
import { makeTempFolder } from './test-folder.mjs';

async function makeProject() {
  const projectRoot = await makeTempFolder();
  await mkdir(join(projectRoot, 'src', 'main'), { recursive: true });
  const write = (name, text) => writeFile(join(projectRoot, name), text);
  await write('package.json', '{"main":"out/main/main.js"}');
  await write('src/main/main.ts', 'one');
  const builds = [];
  const build = async (root) => {
    builds.push(root);
    await mkdir(join(root, 'out', 'main'), { recursive: true });
    await write('out/main/main.js', `build ${builds.length}`);
    return 0;
  };
  return { projectRoot, write, builds, build, ensure: () => ensureBuilt({ projectRoot, build }) };
}

describe('ensureBuilt', () => {
  it('builds at first and then only when a source, a config file or the lock changed', async () => {
    const { write, builds, ensure } = await makeProject();
    expect(await ensure()).toBe(true);
    expect(await ensure()).toBe(false);
    for (const name of ['src/main/main.ts', 'src/main/other.ts', 'electron.vite.config.ts', 'package-lock.json']) {
      await write(name, `changed ${name}`);
      expect(await ensure(), name).toBe(true);
      expect(await ensure(), name).toBe(false);
    }
    expect(builds).toHaveLength(5);
  });

  it('does not build for tests and other files', async () => {
    const { write, ensure } = await makeProject();
    await ensure();
    await write('src/main/main.test.ts', 'a test');
    await write('README.md', 'words');
    expect(await ensure()).toBe(false);
  });

  it('builds again when the output was removed or made by somebody else', async () => {
    const { projectRoot, write, ensure } = await makeProject();
    await ensure();
    await write('out/main/main.js', 'made by another build');
    expect(await ensure()).toBe(true);
    await rm(join(projectRoot, 'out', 'main'), { recursive: true });
    expect(await ensure()).toBe(true);
  });

  it('removes what an earlier build has left', async () => {
    const { projectRoot, write, ensure } = await makeProject();
    await mkdir(join(projectRoot, 'out', 'chunks'), { recursive: true });
    await write('out/chunks/old-1234.js', 'old');
    await utimes(join(projectRoot, 'out', 'chunks', 'old-1234.js'), 1, 1);
    await ensure();
    expect(await readdir(join(projectRoot, 'out', 'chunks'))).toEqual([]);
  });

  it('a failed build is an error each time, until it succeeds', async () => {
    const { projectRoot, ensure } = await makeProject();
    const fail = () => ensureBuilt({ projectRoot, build: async () => 3 });
    await expect(fail()).rejects.toThrow('ended with code 3');
    await expect(fail()).rejects.toThrow('ended with code 3');
    expect(await ensure()).toBe(true);
  });

  it('a build that makes no app entry is an error', async () => {
    const { projectRoot } = await makeProject();
    await expect(ensureBuilt({ projectRoot, build: async () => 0 })).rejects.toThrow('made no out/main/main.js');
  });

  it('builds once for two at once', async () => {
    const { builds, ensure } = await makeProject();
    expect((await Promise.all([ensure(), ensure()])).sort()).toEqual([false, true]);
    expect(builds).toHaveLength(1);
  });
});

describe('hashSources', () => {
  it('tells a moved border between two files from the same text', async () => {
    const { projectRoot, write } = await makeProject();
    await write('src/a.ts', 'xy');
    await write('src/b.ts', 'z');
    const before = await hashSources(projectRoot);
    await write('src/a.ts', 'x');
    await write('src/b.ts', 'yz');
    expect(await hashSources(projectRoot)).not.toBe(before);
  });
});
