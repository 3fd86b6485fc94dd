// The packages that a product takes along: those that its dependencies need in turn, and what their licences say.
import { readdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { readJson } from './files.mjs';
import { SetUpError } from './report.mjs';

const licenceFile = /^(licen[cs]e|notice|copying)/i;

/** The folder from which a package in `from` loads `name`, as Node looks for it; undefined if there is none. */
async function folderOf(projectRoot, from, name) {
  for (let at = from; at.startsWith(projectRoot); at = dirname(at)) {
    const folder = join(at, 'node_modules', name);
    if ((await readJson(join(folder, 'package.json'))) !== undefined) return folder;
  }
  return undefined;
}

/**
 * The packages called `names` and all that they depend on, as `{ name, version, licence, folder, needs }` in the order of their
 * names; `needs` are the names that one depends on. Optional ones that are not installed are left out. Throws SetUpError for another.
 */
export async function shippedPackages(projectRoot, names) {
  const found = new Map();
  const visit = async (name, from) => {
    const folder = await folderOf(projectRoot, from, name);
    if (folder === undefined) throw new SetUpError(`the package ${name} is not installed.\nNext: npm ci.`);
    if (found.has(folder)) return;
    const { version, license, dependencies = {} } = await readJson(join(folder, 'package.json'));
    const needs = Object.keys(dependencies);
    found.set(folder, { name, version, licence: license ?? 'not named', folder, needs });
    for (const one of needs) await visit(one, folder);
  };
  for (const name of names) await visit(name, projectRoot);
  return [...found.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** What a package says of its licence: the texts that lie in its folder. */
async function licenceTexts({ folder }) {
  const files = (await readdir(folder)).filter((name) => licenceFile.test(name)).sort();
  return await Promise.all(files.map(async (name) => (await readFile(join(folder, name), 'utf8')).trim()));
}

/** The third-party notices of a product: each package with its version, licence and the texts it brings. Texts that are alike stand once. */
export async function thirdPartyNotices(packages) {
  const texts = new Map();
  const lines = packages.map(({ name, version, licence }) => `${name} ${version}: ${licence}`);
  for (const one of packages) {
    const text =
      (await licenceTexts(one)).join('\n\n') || `(${one.name} brings no text; its package.json says: ${one.licence})`;
    texts.set(text, [...(texts.get(text) ?? []), `${one.name} ${one.version}`]);
  }
  const rule = '-'.repeat(78);
  const parts = [...texts].map(([text, of]) => `${rule}\n${of.join(', ')}\n${rule}\n\n${text}\n`);
  return `Third-party software in this product\n\n${lines.join('\n')}\n\n${parts.join('\n')}`;
}
