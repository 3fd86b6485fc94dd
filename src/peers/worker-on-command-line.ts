/** The worker by hand: runs one command and prints each event as a line of JSON. It has no identity, and nobody to prove one to. */
import { parseArgs } from 'node:util';
import { requireSelfTest } from '../engine/crypto/require-self-test.ts';
import { createSessionId, createUuid } from '../engine/ports/randomness.ts';
import { sessionMarker } from '../engine/work/command-environment.ts';
import type { CommandOutcome } from '../engine/work/command-outcome.ts';
import { createGuardian } from '../engine/work/guardian.ts';
import type { SessionOutlet } from '../engine/work/session-publisher.ts';
import { checkRunnable } from '../engine/work/worker-requests.ts';
import { createWorkerSession, type StopOptions, type WorkerSession } from '../engine/work/worker-session.ts';
import { toText } from '../shared/base/bytes.ts';
import { isVakError, VakError } from '../shared/base/vak-error.ts';
import type { TaskPayload } from '../shared/protocol/payloads.ts';
import { checkToken } from '../shared/protocol/subject.ts';
import { startTrace } from '../shared/protocol/trace-context.ts';
import type { WorkerHost } from './worker-host.ts';

/** Exit codes of every `vak` command. */
const exitCodes = { done: 0, failed: 1, badUsage: 2, interrupted: 4 } as const;

const help = `Usage: worker [--workspace WS] [--peer NAME] [--cwd DIR] -- COMMAND [ARGUMENT…]

Runs COMMAND as a worker peer without a bus. Prints each message as one line of JSON on stdout, as it would be before sealing:
{"at": ms since the epoch, "subject": "vak.events.…", "payload": {…}}. Output of the command is base64 in "bytes".

  --workspace WS  workspace in the subjects (default: default)
  --peer NAME     name of the worker (default: worker)
  --cwd DIR       folder to run in (default: the present one)
  --help          this text

Exit codes: 0 done · 1 the command failed · 2 bad usage · 4 interrupted.

Example: node out/peers/worker.js --peer builder -- sh -c 'echo hello; exit 3'
`;

interface Usage {
  readonly workspace: string;
  readonly peer: string;
  readonly task: TaskPayload;
}

/** Reads the arguments; undefined when help is asked for. Throws `invalid-input` that says what is wrong and what to do. */
function readUsage(args: readonly string[], cwd: string): Usage | undefined {
  const option = { type: 'string' } as const;
  const split = args.indexOf('--');
  const own = split < 0 ? args : args.slice(0, split);
  let values: { workspace?: string; peer?: string; cwd?: string; help?: boolean };
  try {
    ({ values } = parseArgs({
      args: [...own],
      options: { workspace: option, peer: option, cwd: option, help: { type: 'boolean', short: 'h' } },
    }));
  } catch (error) {
    const [text] = (error as Error).message.split('\n');
    throw new VakError('invalid-input', `${text}; put the command after "--", see --help`, { cause: error });
  }
  if (values.help) return undefined;
  const command = split < 0 ? [] : args.slice(split + 1);
  if (command.length === 0) {
    throw new VakError('invalid-input', 'command: missing; give it after "--", for example: worker -- ls -la');
  }
  const workspace = checkToken(values.workspace ?? 'default', '--workspace');
  return {
    workspace,
    peer: checkToken(values.peer ?? 'worker', '--peer'),
    task: checkRunnable({ command, cwd: values.cwd ?? cwd }),
  };
}

/** Prints what the session says; whoever says much waits for stdout. */
function createPrintingOutlet({ clock }: WorkerHost): SessionOutlet {
  const { stdout } = process;
  return {
    publish(subject, data) {
      if (!stdout.writable) return;
      const payload: unknown = JSON.parse(toText(data));
      stdout.write(`${JSON.stringify({ at: clock.now(), subject, payload })}\n`);
    },
    async isWritable() {
      if (!stdout.writableNeedDrain) return true;
      await new Promise((resolve) => {
        stdout.once('drain', resolve);
        stdout.once('close', resolve);
      });
      return true;
    },
  };
}

/** Ends the command when its reader goes (no error) or a signal comes; says which. */
function watchForEnd(session: WorkerSession): { cause(): 'reader' | 'signal' | undefined } {
  let cause: 'reader' | 'signal' | undefined;
  const end = (why: 'reader' | 'signal', reason: string): void => {
    const isAgain = cause !== undefined;
    cause ??= why;
    const limits = isAgain ? { finishWithinMs: 0, graceMs: 0 } : { finishWithinMs: 0, graceMs: 2_000 };
    const options: StopOptions = { reason, cause: why === 'signal' ? 'cancelled' : 'bus-closed', ...limits };
    void session.stop(options);
  };
  // EPIPE and the like: `| head` has read enough.
  process.stdout.on('error', () => end('reader', 'the reader of the output has gone'));
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => end('signal', signal));
  return { cause: () => cause };
}

async function runTask({ workspace, peer, task }: Usage, host: WorkerHost): Promise<number> {
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

/** Resolves when stdout has taken everything, or nobody reads it any more. */
function flushStdout(): Promise<void> {
  return new Promise((resolve) => {
    if (!process.stdout.writable) return resolve();
    process.stdout.once('close', resolve);
    process.stdout.write('', () => resolve());
  });
}

/** Runs the command line and ends the process with its exit code. */
export async function runOnCommandLine(args: readonly string[], host: WorkerHost): Promise<void> {
  let code: number;
  try {
    const usage = readUsage(args, host.cwd);
    if (usage === undefined) process.stdout.write(help);
    else requireSelfTest(host.selfTest());
    code = usage === undefined ? exitCodes.done : await runTask(usage, host);
  } catch (error) {
    if (!isVakError(error)) throw error;
    process.stderr.write(`worker: ${error.message}\n`);
    code = error.code === 'self-test-failed' ? exitCodes.failed : exitCodes.badUsage;
  }
  await flushStdout();
  host.exit(code);
}
