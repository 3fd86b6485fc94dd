/**
 * A scratch folder with the configuration of the real tree, small sources, and its packages linked in.
 * Law: outside the real tree, and gone when disposed.
 */
import { cpSync, mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type Disposable, toDisposable } from '../../src/shared/base/disposer.ts';

/** Path relative to the root → text. */
export type Tree = Readonly<Record<string, string>>;

/** The tree on disk, under `root`. */
export interface ScratchTree extends Disposable {
  readonly root: string;
}

export const projectRoot = join(import.meta.dirname, '..', '..');

const isConfiguration = (name: string): boolean =>
  /^(?:tsconfig.*|biome|knip)\.jsonc?$|^(?:electron\.vite|vitest)\.config\.ts$|^\.gitignore$/.test(name);

function linkPackages(root: string, stubs: Tree): void {
  const stubbed = new Set(Object.keys(stubs).map((path) => path.split('/')[1]));
  const from = join(projectRoot, 'node_modules');
  const to = join(root, 'node_modules');
  mkdirSync(to);
  for (const name of readdirSync(from)) {
    if (!stubbed.has(name) && name !== '.cache') symlinkSync(join(from, name), join(to, name), 'junction');
  }
}

/** Creates the folder. Files below `node_modules/` stand for packages in place of the real ones. */
export function createScratchTree(files: Tree): ScratchTree {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'vak-laws-')));
  for (const name of readdirSync(projectRoot).filter(isConfiguration))
    cpSync(join(projectRoot, name), join(root, name));
  cpSync(join(projectRoot, 'build', 'lint'), join(root, 'build', 'lint'), { recursive: true });
  linkPackages(root, Object.fromEntries(Object.entries(files).filter(([path]) => path.startsWith('node_modules/'))));
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  return { root, ...toDisposable(() => rmSync(root, { recursive: true, force: true })) };
}
