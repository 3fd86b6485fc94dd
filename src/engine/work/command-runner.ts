/**
 * Runs one command of a task in a process group of its own and tells the bus about it.
 * Law: all output is published before the final status, and after the final status nothing that the command started is left.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import type { Readable } from 'node:stream';
import { type Disposable, toDisposable } from '../../shared/base/disposer.ts';
import type { StatusPayload, TaskPayload } from '../../shared/protocol/payloads.ts';
import type { TraceContext } from '../../shared/protocol/trace-context.ts';
import type { Clock } from '../ports/clock.ts';
import type { Logger } from '../ports/logger.ts';
import { settlesWithin } from '../wait.ts';
import { commandEnvironment, sessionMarker } from './command-environment.ts';
import { type CommandEnd, type CommandOutcome, failedOutcome, outcomeOf, type StopCause } from './command-outcome.ts';
import { type OutputStream, readCommandOutput } from './command-output.ts';
import { createCommandPipes } from './command-pipes.ts';
import { folderProblem, shortCommand, spawnProblem } from './command-words.ts';
import { type EndResult, endProcesses } from './end-processes.ts';
import { createOutputHash } from './output-hash.ts';
import { createOutputTail } from './output-tail.ts';
import type { ProcessTable } from './process-rows.ts';
import { createProcessTree } from './process-tree.ts';
import type { SessionOutput } from './session-output.ts';
import type { SessionPublisher } from './session-publisher.ts';

/** Who must know which process groups live, so that none outlives us. */
export interface GroupWatch {
  started(group: number): void;
  ended(group: number): void;
}

/** What running takes. */
export interface CommandDeps {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly table: ProcessTable;
  readonly publisher: SessionPublisher;
  readonly output: SessionOutput;
  readonly groups: GroupWatch;
  readonly session: string;
  /** What a command inherits, before the clean-up of {@link commandEnvironment}. */
  readonly environment: NodeJS.ProcessEnv;
  /** Folder of commands that name none. */
  readonly cwd: string;
}

/** A task, and the span under which all of it is told (E4). */
export interface CommandOrder {
  readonly taskId: string;
  /** From 1; 1 unless told. */
  readonly attempt?: number;
  /** What it reads; nothing unless told. */
  readonly stdin?: Uint8Array;
  readonly task: TaskPayload;
  readonly span: TraceContext;
}

/** A command under way. */
export interface CommandRun {
  readonly taskId: string;
  /** Settled after the final status; never rejects. */
  readonly done: Promise<CommandOutcome>;
  /** Ends the command and all that it started: asks, waits `graceMs`, kills. Only the first call counts. */
  stop(cause: StopCause, graceMs?: number): void;
}

interface StopRequest {
  readonly cause: StopCause;
  readonly graceMs: number;
}

/** Time between asking a command to end and killing it, ms. */
const stopGraceMs = 2_000;
/** Time between two telemetry samples, ms. */
const telemetryEveryMs = 500;

/** How long the pipes may stay open after the command has exited, before what holds them is ended. */
const pipesAfterExitMs = 1_000;
/** How long a killed command may take to be collected. */
const collectLimitMs = 5_000;
/** For pipes that somebody unknown holds open after all known processes have gone. */
const drainLimits = { quietMs: 1_000, readingMs: 10_000 };

interface StartedChild {
  readonly child: ChildProcess;
  readonly group: number;
  readonly pipes: Readonly<Record<OutputStream, Readable>>;
}

/** Starts a command; `claimed` is published before this returns. */
export function runCommand(deps: CommandDeps, order: CommandOrder): CommandRun {
  const { publisher, output, logger } = deps;
  const { taskId, attempt = 1, task, span } = order;
  const status = (state: StatusPayload['state'], detail: NonNullable<StatusPayload['detail']>): void =>
    publisher.status({ state, taskId, attempt, detail }, span);
  let isStopping = false;
  let requestStop: (request: StopRequest) => void = () => {};
  const stopped = new Promise<StopRequest>((resolve) => {
    requestStop = resolve;
  });

  function stop(cause: StopCause, graceMs = stopGraceMs): void {
    if (isStopping) return;
    isStopping = true;
    requestStop({ cause, graceMs });
  }

  async function finish(): Promise<CommandOutcome> {
    let outcome: CommandOutcome;
    try {
      outcome = await execute(deps, order, { stop, stopped });
    } catch (thrown) {
      outcome = failedOutcome(`internal error, see the worker's log: ${logger.bug('command.run', thrown)}`);
    }
    output.flush();
    status(outcome.state, outcome.detail);
    return outcome;
  }

  output.begin(span);
  status('claimed', { reason: shortCommand(task.command) });
  return { taskId, stop, done: finish() };
}

interface StopControl {
  readonly stop: (cause: StopCause) => void;
  readonly stopped: Promise<StopRequest>;
}

async function execute(deps: CommandDeps, order: CommandOrder, control: StopControl): Promise<CommandOutcome> {
  const { task, span } = order;
  const cwd = task.cwd ?? deps.cwd;
  const problem = folderProblem(cwd);
  if (problem !== undefined) return failedOutcome(problem);
  const started = await startChild(deps, order, cwd);
  if (typeof started === 'string') return failedOutcome(started);
  const timer =
    task.timeoutMs === undefined ? undefined : deps.clock.setTimer(task.timeoutMs, () => control.stop('timeout'));
  const telemetry = startTelemetry(deps, started.group, span);
  try {
    return outcomeOf(await supervise(deps, task, { ...started, control }), task);
  } finally {
    timer?.dispose();
    telemetry.dispose();
    deps.groups.ended(started.group);
  }
}

/** Spawns the command; answers the words for people if it could not begin. */
async function startChild(
  { session, environment, groups }: CommandDeps,
  { task, stdin }: CommandOrder,
  cwd: string,
): Promise<StartedChild | string> {
  const [file = '', ...args] = task.command;
  const own = await createCommandPipes();
  try {
    const child = spawn(file, args, {
      cwd,
      detached: true,
      stdio: [stdin === undefined ? 'ignore' : 'pipe', ...(own?.writeFds ?? (['pipe', 'pipe'] as const))],
      env: commandEnvironment(environment, task.env, session),
    });
    const failure = new Promise<Error>((resolve) => child.on('error', resolve));
    const { pid, stdout, stderr } = child;
    const pipes = own?.readable ?? (stdout && stderr ? { stdout, stderr } : undefined);
    if (pid !== undefined && pipes !== undefined) {
      giveInput(child, stdin);
      groups.started(pid);
      own?.closeWriteEnds();
      return { child, group: pid, pipes };
    }
    own?.destroy();
    return spawnProblem(task.command, ((await failure) as NodeJS.ErrnoException).code);
  } catch (error) {
    own?.destroy();
    return spawnProblem(task.command, (error as NodeJS.ErrnoException).code);
  }
}

/** Writes what the command is to read, and ends it there. */
function giveInput({ stdin }: ChildProcess, input: Uint8Array | undefined): void {
  if (stdin === null || input === undefined) return;
  // A command need not read what it is given.
  stdin.on('error', () => {});
  stdin.end(input);
}

/** Follows a started command to its very end. */
async function supervise(
  deps: CommandDeps,
  task: TaskPayload,
  { child, group, pipes, control }: StartedChild & { readonly control: StopControl },
): Promise<CommandEnd> {
  const { clock, publisher, output } = deps;
  let exit: Pick<CommandEnd, 'exitCode' | 'signal'> | undefined;
  const exited = new Promise<undefined>((resolve) => {
    child.once('exit', (exitCode, signal) => {
      exit = { exitCode, signal };
      resolve(undefined);
    });
  });
  let isOverLimit = false;
  const outputHash = createOutputHash();
  const tail = createOutputTail(task.env);
  const reading = readCommandOutput({
    clock,
    pipes,
    take(stream, bytes) {
      outputHash.push(stream, bytes);
      tail.push(stream, bytes);
      output.push(stream, bytes);
    },
    isWritable: () => publisher.isWritable(),
    limitBytes: task.outputLimitBytes,
    onLimit() {
      isOverLimit = true;
      control.stop('output-limit');
    },
  });
  const request = await Promise.race([exited, control.stopped]);
  if (request === undefined) await reading.endsWithin(pipesAfterExitMs);
  const ended = await endGroup(deps, group, request?.graceMs ?? stopGraceMs);
  await settlesWithin(clock, collectLimitMs, exited);
  const isWhole = await reading.drain(drainLimits);
  const isFine = request === undefined && exit?.exitCode === 0;
  return {
    cause: request?.cause ?? (isOverLimit ? 'output-limit' : undefined),
    exitCode: exit?.exitCode ?? null,
    signal: exit?.signal ?? null,
    leftBehindCount: request === undefined ? ended.endedCount : 0,
    remainingPids: ended.remainingPids,
    isOutputWhole: isWhole,
    outputHash: outputHash.digest(),
    lastWords: isFine ? undefined : tail.read(),
  };
}

function endGroup({ table, clock, session }: CommandDeps, group: number, graceMs: number): Promise<EndResult> {
  return endProcesses({ table, clock }, { groups: [group], marker: sessionMarker(session), graceMs });
}

/** Publishes what the command's process tree costs, until disposed. */
function startTelemetry(deps: CommandDeps, group: number, span: TraceContext): Disposable {
  const { table, clock, publisher, logger } = deps;
  const tree = createProcessTree({ table, clock, leader: group });
  let isOver = false;
  let isSampling = false;

  async function sample(isBaseline: boolean): Promise<void> {
    // A sample that takes longer than the interval is not overtaken by the next.
    if (isSampling) return;
    isSampling = true;
    try {
      const usage = await tree.sample();
      if (isOver || isBaseline || usage === undefined) return;
      const { processes, rssBytes, cpuPercent } = usage;
      publisher.telemetry({ pid: group, processes, rssBytes, cpuPercent }, span);
    } catch (thrown) {
      logger.bug('command.telemetry', thrown);
    } finally {
      isSampling = false;
    }
  }

  void sample(true);
  const ticker = clock.setTicker(telemetryEveryMs, () => void sample(false));
  return toDisposable(() => {
    isOver = true;
    ticker.dispose();
  });
}
