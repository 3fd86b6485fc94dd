// `npm test`: set-up, then check, unit, runtime, build, end-to-end; stops at the first step that fails and ends with the counts.
// `npm test -- unit …`, `runtime …`, `e2e …` run that step alone (e2e builds before, if needed); more arguments go to its tool.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensureBuilt } from './build.mjs';
import { runChecks } from './check.mjs';
import { packageCommand } from './child-process.mjs';
import { ownProjectRoot, readJson } from './files.mjs';
import { needsVirtualDisplay, noteInterruption, runInForeground, runUntilSignal } from './foreground.mjs';
import { printFailure, runMain, SetUpError, say, secondsSince } from './report.mjs';
import { runInRuntime, runtimeFolders } from './runtime-tests.mjs';
import { setUp } from './set-up.mjs';
import {
  addCounts,
  countPlaywright,
  countVitest,
  finalCode,
  interruptedLine,
  noTests,
  summaryLine,
} from './test-summary.mjs';

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

/** Tests put their folders into the run's own, which goes whatever ends them: an interrupted vitest cleans nothing up. */
function temporaryIn(folder) {
  return { TMPDIR: folder, TMP: folder, TEMP: folder };
}

async function runUnit({ reports, args }) {
  const file = join(reports, 'unit.json');
  const env = { ...process.env, ...temporaryIn(reports) };
  const code = await runInForeground({
    ...(await vitestRun(file, args)),
    cwd: ownProjectRoot,
    env,
    waitsForRest: true,
  });
  return { code, counts: countVitest(await readJson(file)) };
}

async function runRuntime({ reports, args, electron }) {
  const file = join(reports, 'runtime.json');
  const { args: tool } = await vitestRun(file, args.length > 0 ? args : runtimeFolders);
  const env = { ...process.env, ...temporaryIn(reports) };
  const code = await runInRuntime({ executable: electron.executable, tool, cwd: ownProjectRoot, env });
  return { code, counts: countVitest(await readJson(file)) };
}

async function runEndToEnd({ reports, args }) {
  const file = join(reports, 'e2e.json');
  const isVirtual = needsVirtualDisplay();
  if (isVirtual) say('e2e', 'no display here: windows open on virtual ones (xvfb-run)');
  // On a display that somebody looks at, windows of two apps would take the focus from each other.
  const workers = isVirtual ? ['--workers=2'] : [];
  const { command, args: tool } = await packageCommand(ownProjectRoot, '@playwright/test', 'playwright');
  const code = await runInForeground({
    command,
    args: [...tool, 'test', '--reporter=list,json', ...workers, ...args],
    cwd: ownProjectRoot,
    env: { ...process.env, PLAYWRIGHT_JSON_OUTPUT_FILE: file },
    isVirtual,
  });
  return { code, counts: countPlaywright(await readJson(file)) };
}

/** Runs the steps in order until one fails or a signal comes; gives the code of that step, the counts of all, and the signal. */
async function runSteps(names, given) {
  const interruption = noteInterruption();
  let counts = noTests;
  for (const name of names) {
    const startedAt = Date.now();
    process.stdout.write(`\n== ${name}\n`);
    const result = await steps[name](given).catch(printFailure);
    counts = addCounts(counts, result.counts ?? noTests);
    if (interruption.signal() !== undefined) {
      process.stdout.write(`== ${name}: interrupted after ${secondsSince(startedAt)}\n`);
      return { code: interruption.code(), counts, signal: interruption.signal() };
    }
    const outcome = result.code === 0 ? 'passed' : `FAILED with code ${result.code}`;
    process.stdout.write(`== ${name}: ${outcome} in ${secondsSince(startedAt)}\n`);
    if (result.code !== 0) return { code: result.code, counts };
  }
  return { code: 0, counts };
}

async function runPlan(plan, args) {
  const { electron } = await setUp({ need: plan.need });
  // Short: sockets lie below it.
  const reports = await mkdtemp(join(tmpdir(), 'vak-test-'));
  try {
    return await runSteps(plan.names, { reports, args, electron });
  } finally {
    await rm(reports, { recursive: true, force: true, maxRetries: 3 });
  }
}

/** Runs what the arguments ask for; whatever happens, the counts are the last line. */
async function runTests([step, ...args]) {
  const plan = plans[step ?? 'all'];
  if (!plan || step === 'all') {
    throw new SetUpError(`${step} is no step of the tests.\nNext: npm test, or npm test -- with unit, runtime or e2e`);
  }
  const { code, counts = noTests, signal } = await runPlan(plan, args).catch(printFailure);
  if (signal !== undefined) {
    process.stdout.write(`${interruptedLine(signal, counts)}\n`);
    return code;
  }
  const final = finalCode(code, counts);
  if (code === 0 && final !== 0)
    process.stdout.write('no test ran, or some failed: this run does not count as passed\n');
  process.stdout.write(`${summaryLine(counts)}\n`);
  return final;
}

await runMain(() => runTests(process.argv.slice(2)));
