/** The worker by hand: runs one command and prints each event as a line of JSON; without a bus it has no identity, and nobody to prove one to. */
import { requireSelfTest } from '../engine/crypto/require-self-test.ts';
import { createSessionId, createUuid } from '../engine/ports/randomness.ts';
import { sessionMarker } from '../engine/work/command-environment.ts';
import type { CommandOutcome } from '../engine/work/command-outcome.ts';
import { createGuardian } from '../engine/work/guardian.ts';
import { createWorkerSession } from '../engine/work/worker-session.ts';
import { isVakError } from '../shared/base/vak-error.ts';
import { startTrace } from '../shared/protocol/trace-context.ts';
import { createPrintingOutlet, exitCodes, flushStdout, watchForEnd } from './worker-console.ts';
import type { WorkerHost } from './worker-host.ts';
import { readWorkerUsage, type WorkerUsage, workerHelp } from './worker-usage.ts';

async function runTask({ workspace, peer, task }: WorkerUsage, host: WorkerHost): Promise<number> {
  const { clock, logger, randomness } = host;
  const session = createSessionId(peer, randomness);
  const guardian = createGuardian({ logger, marker: sessionMarker(session) });
  const groups = { started: guardian.add, ended: guardian.remove };
  const worker = createWorkerSession({ ...host, outlet: createPrintingOutlet(host), groups, workspace, peer, session });
  const watch = watchForEnd(worker);
  const order = { taskId: createUuid(clock, randomness), task, trace: startTrace(randomness.bytes) };
  const outcome: CommandOutcome = await worker.start(order).outcome;
  await worker.stop({ reason: 'the command is over', cause: 'worker-stopping', finishWithinMs: 0, graceMs: 0 });
  guardian.dispose();
  const cause = watch.cause();
  if (cause === 'reader') return exitCodes.done;
  if (cause === 'signal') return exitCodes.interrupted;
  if (outcome.state === 'failed') process.stderr.write(`worker: ${outcome.detail.reason}\n`);
  return outcome.state === 'done' ? exitCodes.done : exitCodes.failed;
}

async function run(usage: WorkerUsage, host: WorkerHost): Promise<number> {
  requireSelfTest(host.selfTest());
  const { bus } = usage;
  if (bus === undefined) return await runTask(usage, host);
  // Read only here: without a bus nothing of it is needed.
  const { runOnBus } = await import('./worker-on-bus.ts');
  return await runOnBus({ ...usage, bus }, host);
}

/** Runs the command line and ends the process with its exit code. */
export async function runOnCommandLine(args: readonly string[], host: WorkerHost): Promise<void> {
  let code: number;
  try {
    const usage = readWorkerUsage(args, host.cwd);
    if (usage === undefined) process.stdout.write(workerHelp);
    code = usage === undefined ? exitCodes.done : await run(usage, host);
  } catch (error) {
    if (!isVakError(error)) throw error;
    process.stderr.write(`worker: ${error.message}\n`);
    code = error.code === 'self-test-failed' ? exitCodes.failed : exitCodes.badUsage;
  }
  await flushStdout();
  host.exit(code);
}
