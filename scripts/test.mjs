// `npm test`: set-up, then check, unit, runtime, build, end-to-end; stops at the first step that fails and ends with the counts.
// `npm test -- unit …`, `runtime …`, `e2e …` run that step alone (e2e builds before, if needed); more arguments go to its tool.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensureBuilt } from './build.mjs';
import { runChecks } from './check.mjs';
import { packageCommand } from './child-process.mjs';
import { ownProjectRoot, readJson } from './files.mjs';
import { needsVirtualDisplay, runInForeground, runUntilSignal } from './foreground.mjs';
import { printFailure, runMain, SetUpError, say, secondsSince } from './report.mjs';
import { runInRuntime, runtimeFolders } from './runtime-tests.mjs';
import { setUp } from './set-up.mjs';
import { addCounts, countPlaywright, countVitest, finalCode, noTests, summaryLine } from './test-summary.mjs';

const steps = {
  check: async () => ({ code: await runUntilSignal((signal) => runChecks({ signal })) }),
  unit: runUnit,
  runtime: runRuntime,
  build: async () => {
    if (!(await ensureBuilt())) say('build', 'is current');
    return { code: 0 };
  },
  e2e: runEndToEnd,
};
const plans = {
  all: { need: 'test', names: ['check', 'unit', 'runtime', 'build', 'e2e'] },
  unit: { need: 'unit', names: ['unit'] },
  runtime: { need: 'runtime', names: ['runtime'] },
  e2e: { need: 'test', names: ['build', 'e2e'] },
};

/** The command line of a vitest run that leaves its report in `file`. */
async function vitestRun(file, args) {
  const { command, args: tool } = await packageCommand(ownProjectRoot, 'vitest');
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${file}`];
  return { command, args: [...tool, 'run', ...reporters, ...args] };
}

async function runUnit({ reports, args }) {
  const file = join(reports, 'unit.json');
  const code = await runInForeground({ ...(await vitestRun(file, args)), cwd: ownProjectRoot });
  return { code, counts: countVitest(await readJson(file)) };
}

async function runRuntime({ reports, args, electron }) {
  const file = join(reports, 'runtime.json');
  const { args: tool } = await vitestRun(file, args.length > 0 ? args : runtimeFolders);
  const code = await runInRuntime({ executable: electron.executable, tool, cwd: ownProjectRoot });
  return { code, counts: countVitest(await readJson(file)) };
}

async function runEndToEnd({ reports, args }) {
  const file = join(reports, 'e2e.json');
  const isVirtual = needsVirtualDisplay();
  if (isVirtual) say('e2e', 'no display here: windows open on a virtual one (xvfb-run)');
  const { command, args: tool } = await packageCommand(ownProjectRoot, '@playwright/test', 'playwright');
  const code = await runInForeground({
    command,
    args: [...tool, 'test', '--reporter=list,json', ...args],
    cwd: ownProjectRoot,
    env: { ...process.env, PLAYWRIGHT_JSON_OUTPUT_FILE: file },
    isVirtual,
  });
  return { code, counts: countPlaywright(await readJson(file)) };
}

/** Runs the steps in order until one fails; gives the code of that step and the counts of all. */
async function runSteps(names, given) {
  let counts = noTests;
  for (const name of names) {
    const startedAt = Date.now();
    process.stdout.write(`\n== ${name}\n`);
    const result = await steps[name](given).catch(printFailure);
    counts = addCounts(counts, result.counts ?? noTests);
    const outcome = result.code === 0 ? 'passed' : `FAILED with code ${result.code}`;
    process.stdout.write(`== ${name}: ${outcome} in ${secondsSince(startedAt)}\n`);
    if (result.code !== 0) return { code: result.code, counts };
  }
  return { code: 0, counts };
}

async function runPlan(plan, args) {
  const reports = await mkdtemp(join(tmpdir(), 'vak-test-reports-'));
  try {
    const { electron } = await setUp({ need: plan.need });
    return await runSteps(plan.names, { reports, args, electron });
  } finally {
    await rm(reports, { recursive: true, force: true });
  }
}

/** Runs what the arguments ask for; whatever happens, the counts are the last line. */
async function runTests([step, ...args]) {
  const plan = plans[step ?? 'all'];
  if (!plan || step === 'all') {
    throw new SetUpError(`${step} is no step of the tests.\nNext: npm test, or npm test -- with unit, runtime or e2e`);
  }
  const { code, counts = noTests } = await runPlan(plan, args).catch(printFailure);
  const final = finalCode(code, counts);
  if (code === 0 && final !== 0)
    process.stdout.write('no test ran, or some failed: this run does not count as passed\n');
  process.stdout.write(`${summaryLine(counts)}\n`);
  return final;
}

await runMain(() => runTests(process.argv.slice(2)));
