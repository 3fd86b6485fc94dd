/**
 * The files of the real tree, as the house's own checks read them.
 * Law: only reads.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { SourceFile } from './house-rules.ts';
import { projectRoot } from './scratch-tree.ts';

const folders = ['.ci', 'bench', 'build', 'docs', 'e2e', 'scripts', 'src', 'tests'];
const textForm = /(?:^|\/)run$|\.(?:ts|tsx|mts|mjs|cjs|css|html|grit|jsonc?|ya?ml|md|plist|sh)$/;
/** What tools write into the folders of the tree. */
const madeForm = /(?:^|\/)(?:node_modules|results|test-results)\//;

/** Every text file that people write: those of the folders above, and those at the root but the lock file. */
export function readRealTree(): SourceFile[] {
  const atRoot = readdirSync(projectRoot, { withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name !== 'package-lock.json')
    .map((entry) => entry.name);
  const below = folders
    .filter((folder) => existsSync(join(projectRoot, folder)))
    .flatMap((folder) =>
      readdirSync(join(projectRoot, folder), { recursive: true, encoding: 'utf8' }).map((path) => `${folder}/${path}`),
    );
  return [...atRoot, ...below]
    .map((path) => path.replaceAll('\\', '/'))
    .filter((path) => textForm.test(path) && !madeForm.test(path))
    .toSorted()
    .map((path) => ({ path, text: readFileSync(join(projectRoot, path), 'utf8') }));
}
