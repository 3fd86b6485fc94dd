// `npm run endurance`: set-up, then the unit tests that are too long for `npm test`, at their full size (docs/style.md, tests), then the
// packages for Linux. A test takes part by reading VAK_ENDURANCE. More arguments go to vitest, alone: `npm run endurance -- key-store`.
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { packageCommand } from './child-process.mjs';
import { isStartedScript, ownProjectRoot } from './files.mjs';
import { runInForeground } from './foreground.mjs';
import { testPackages } from './package-test.mjs';
import { runMain, SetUpError, secondsSince } from './report.mjs';
import { setUp } from './set-up.mjs';

/** The test files under src and tests that have a size for endurance, relative to the project, sorted. */
export async function findEnduranceTests(projectRoot = ownProjectRoot) {
  const found = [];
  for (const folder of ['src', 'tests']) {
    for (const name of await readdir(join(projectRoot, folder), { recursive: true })) {
      if (!/\.test\.tsx?$/.test(name)) continue;
      const text = await readFile(join(projectRoot, folder, name), 'utf8');
      if (text.includes("process.env['VAK_ENDURANCE']")) found.push(join(folder, name));
    }
  }
  return found.sort();
}

async function runEndurance(args) {
  await setUp({ need: 'unit' });
  const files = args.length > 0 ? args : await findEnduranceTests();
  if (files.length === 0) throw new SetUpError('no test reads VAK_ENDURANCE.\nNext: give one a size for it');
  process.stdout.write(`\n== endurance: at full size\n${files.map((file) => `   ${file}\n`).join('')}`);
  const startedAt = Date.now();
  const { command, args: tool } = await packageCommand(ownProjectRoot, 'vitest');
  const code = await runInForeground({
    command,
    args: [...tool, 'run', '--reporter=verbose', ...files],
    cwd: ownProjectRoot,
    env: { ...process.env, VAK_ENDURANCE: '1' },
  });
  const outcome = code === 0 ? 'passed' : `FAILED with code ${code}`;
  process.stdout.write(`== endurance: ${outcome} in ${secondsSince(startedAt)}\n`);
  return code === 0 && args.length === 0 && process.platform === 'linux' ? await testPackages() : code;
}

if (isStartedScript(import.meta.url)) await runMain(() => runEndurance(process.argv.slice(2)));
