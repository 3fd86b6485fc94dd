// Small file questions that several scripts ask.
import { createHash } from 'node:crypto';
import { createReadStream, realpathSync } from 'node:fs';
import { access, mkdir, readdir, readFile, rename, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';

/** The root of this project, whatever the working directory is. */
export const ownProjectRoot = join(dirname(fileURLToPath(import.meta.url)), '..');

/** Whether something is at `path`; with `mode` (of fs.constants) whether it may be used so. */
export function exists(path, mode) {
  return access(path, mode).then(
    () => true,
    () => false,
  );
}

/** The JSON in a file; undefined when there is none or it cannot be read as JSON. */
export async function readJson(path) {
  try {
    return JSON.parse(await readFile(path, 'utf8'));
  } catch {
    return undefined;
  }
}

/** Writes a file in one rename, so that a reader sees the old content or the new, never half of it. */
export async function placeFile(path, content) {
  await mkdir(dirname(path), { recursive: true });
  const aside = `${path}.${process.pid}.new`;
  await writeFile(aside, content);
  await rename(aside, path);
}

/** The files below a folder, as full paths in a stable order; none when the folder is missing. */
export async function filesBelow(folder) {
  const found = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  return found
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
}

/** The bytes that a folder holds now; files that vanish meanwhile count nothing. */
export async function folderBytes(folder) {
  const stats = await Promise.all((await filesBelow(folder)).map((file) => stat(file).catch(() => undefined)));
  return stats.reduce((sum, found) => sum + (found?.size ?? 0), 0);
}

/** The hash of a file's bytes. */
export async function hashFile(path, algorithm, encoding) {
  const hash = createHash(algorithm);
  await pipeline(createReadStream(path), hash);
  return hash.digest(encoding);
}

/** Whether the module with this `import.meta.url` is the script that node was started with. */
export function isStartedScript(moduleUrl) {
  const script = process.argv[1];
  if (!script) return false;
  try {
    return realpathSync(script) === realpathSync(fileURLToPath(moduleUrl));
  } catch {
    return false;
  }
}
