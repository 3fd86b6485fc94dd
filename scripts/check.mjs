// `npm run check`: types of every layer, Biome, knip. All are run, all failures are shown; code 1 if any failed.
import { readdir } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { packageCommand, run } from './child-process.mjs';
import { isStartedScript, ownProjectRoot } from './files.mjs';
import { runMain, secondsSince } from './report.mjs';
import { setUp } from './set-up.mjs';

/** Runs every check, as many at once as there are processors; gives 1 if any failed, else 0. When `signal` aborts, no other is begun. */
export async function runChecks({ projectRoot = ownProjectRoot, signal } = {}) {
  const waiting = await listChecks(projectRoot);
  let hasFailed = false;
  const work = async () => {
    for (let check = waiting.shift(); check && !signal?.aborted; check = waiting.shift()) {
      if (!(await runCheck(check, { projectRoot, signal }))) hasFailed = true;
    }
  };
  await Promise.all(Array.from({ length: availableParallelism() }, work));
  return hasFailed ? 1 : 0;
}

async function listChecks(projectRoot) {
  const layers = (await readdir(projectRoot))
    .map((name) => /^tsconfig\.(.+)\.json$/.exec(name)?.[1])
    .filter((layer) => layer !== undefined && layer !== 'base')
    .sort();
  const pretty = process.stdout.isTTY ? ['--pretty'] : [];
  return [
    ...layers.map((layer) => ({
      title: `types ${layer}`,
      tool: ['typescript', 'tsc'],
      args: ['--noEmit', ...pretty, '-p', `tsconfig.${layer}.json`],
    })),
    {
      title: 'biome',
      tool: ['@biomejs/biome', 'biome'],
      args: ['check', '--error-on-warnings', ...(process.stdout.isTTY ? ['--colors=force'] : []), '.'],
    },
    { title: 'knip', tool: ['knip'], args: [] },
  ];
}

/** Runs one check and prints its heading, and its output when it failed; true if it passed. */
async function runCheck({ title, tool, args }, { projectRoot, signal }) {
  const startedAt = Date.now();
  const { command, args: leading } = await packageCommand(projectRoot, ...tool);
  const { code, lines } = await run(command, [...leading, ...args], { cwd: projectRoot, signal });
  const outcome = code === 0 ? 'passed' : `FAILED with code ${code}`;
  const output = code === 0 ? [] : lines;
  process.stdout.write(
    [`check  ${title.padEnd(16)} ${outcome} in ${secondsSince(startedAt)}`, ...output, ''].join('\n'),
  );
  return code === 0;
}

if (isStartedScript(import.meta.url)) {
  await runMain(async () => {
    await setUp({ need: 'check' });
    return await runChecks();
  });
}
