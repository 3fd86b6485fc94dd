/**
 * Runs the checkers of the house in a folder and reads what they found.
 * Law: a checker that could not run is an error, never "nothing found".
 */
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { projectRoot } from './scratch-tree.ts';

/** One finding; `path` is relative to the checked folder. */
export interface Finding {
  readonly path: string;
  readonly line: number;
  /** Biome's category, TypeScript's code, or knip's kind of issue. */
  readonly rule: string;
  readonly message: string;
}

interface Output {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

function runPackage(cwd: string, name: string, args: readonly string[]): Promise<Output> {
  const folder = join(projectRoot, 'node_modules', name);
  const { bin } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { bin: Record<string, string> };
  const command = name === 'typescript' ? 'tsc' : (name.split('/').at(-1) ?? name);
  const script = join(folder, bin[command] ?? command);
  return new Promise((resolve, reject) => {
    const options = { cwd, maxBuffer: 64 * 1024 * 1024, env: { ...process.env, NO_COLOR: '1' } };
    execFile(process.execPath, [script, ...args], options, (error, stdout, stderr) => {
      if (error !== null && typeof error.code !== 'number') reject(error);
      else resolve({ exitCode: error === null ? 0 : Number(error.code), stdout, stderr });
    });
  });
}

function jsonLine<T>(name: string, { stdout, stderr }: Output): T {
  const line = stdout.split('\n').find((text) => text.startsWith('{'));
  if (line === undefined) throw new Error(`${name} gave no report:\n${stdout}\n${stderr}`);
  return JSON.parse(line) as T;
}

interface BiomeReport {
  readonly diagnostics: readonly {
    readonly category: string;
    readonly message: string;
    readonly location: { readonly path: string; readonly start?: { readonly line: number } };
  }[];
}

/** `biome check` with the configuration that lies in the folder. */
export async function runBiome(root: string): Promise<Finding[]> {
  const output = await runPackage(root, '@biomejs/biome', ['check', '--reporter=json', '--max-diagnostics=none', '.']);
  return jsonLine<BiomeReport>('biome', output).diagnostics.map(({ category, message, location }) => ({
    path: location.path.replaceAll('\\', '/'),
    line: location.start?.line ?? 0,
    rule: category,
    message,
  }));
}

/** `tsc -p tsconfig.<layer>.json`. */
export async function runTsc(root: string, layer: string): Promise<Finding[]> {
  const { exitCode, stdout } = await runPackage(root, 'typescript', [
    '-p',
    `tsconfig.${layer}.json`,
    '--pretty',
    'false',
  ]);
  const findings = [...stdout.matchAll(/^(\S.*?)\((\d+),\d+\): error (TS\d+): (.*)$/gm)].map(
    ([, path = '', line = '0', rule = '', message = '']) => ({
      path: path.replaceAll('\\', '/'),
      line: Number(line),
      rule,
      message,
    }),
  );
  if ((exitCode === 0) !== (findings.length === 0))
    throw new Error(`tsc of ${layer} ended with ${exitCode}:\n${stdout}`);
  return findings;
}

/** Paths of the files that a layer's compilation reads, libraries too. */
export async function listTscFiles(root: string, layer: string): Promise<string[]> {
  const { stdout } = await runPackage(root, 'typescript', ['-p', `tsconfig.${layer}.json`, '--listFilesOnly']);
  return stdout.split('\n').map((path) => relative(root, path).replaceAll('\\', '/'));
}

interface KnipReport {
  readonly issues: readonly ({ readonly file: string } & Readonly<Record<string, unknown>>)[];
}

interface KnipEntry {
  readonly name: string;
  readonly line?: number;
}

/** `knip` with the configuration that lies in the folder; the rule is the kind of issue, the message its subject. */
export async function runKnip(root: string): Promise<Finding[]> {
  const output = await runPackage(root, 'knip', ['--reporter', 'json', '--no-config-hints']);
  return jsonLine<KnipReport>('knip', output).issues.flatMap(({ file, ...kinds }) =>
    Object.entries(kinds)
      .filter((entry): entry is [string, KnipEntry[]] => Array.isArray(entry[1]))
      .flatMap(([rule, found]) => found.map(({ name, line = 0 }) => ({ path: file, line, rule, message: name }))),
  );
}
