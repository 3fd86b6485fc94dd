/**
 * One session of a worker: runs one command at a time and tells what becomes of it.
 * Law: one command runs at a time, all that is told of it is in its task's trace (E4), and `ended` is the session's last word.
 */
import { createDisposer } from '../../shared/base/disposer.ts';
import { VakError } from '../../shared/base/vak-error.ts';
import type { TaskPayload } from '../../shared/protocol/payloads.ts';
import { childOf, startTrace, type TraceContext } from '../../shared/protocol/trace-context.ts';
import type { Clock } from '../ports/clock.ts';
import type { Logger } from '../ports/logger.ts';
import type { Randomness } from '../ports/randomness.ts';
import { settlesWithin } from '../wait.ts';
import { sessionMarker } from './command-environment.ts';
import { type CommandOutcome, type StopCause, type TaskOutcome, taskOutcomeOf } from './command-outcome.ts';
import { type CommandOrder, type CommandRun, type GroupWatch, runCommand } from './command-runner.ts';
import { endProcesses } from './end-processes.ts';
import type { ProcessTable } from './process-rows.ts';
import { createSessionOutput } from './session-output.ts';
import { createSessionPublisher, type SessionOutlet } from './session-publisher.ts';

/** Time between two heartbeats, ms. */
export const heartbeatEveryMs = 5_000;

/** What a worker is made of. */
export interface WorkerSessionDeps {
  readonly outlet: SessionOutlet;
  readonly clock: Clock;
  readonly randomness: Randomness;
  readonly logger: Logger;
  readonly table: ProcessTable;
  /** Learns of every process group that lives. */
  readonly groups: GroupWatch;
  readonly workspace: string;
  readonly peer: string;
  readonly session: string;
  /** What commands inherit; the app's own variables are taken out. */
  readonly environment: NodeJS.ProcessEnv;
  /** Folder of commands that name none. */
  readonly cwd: string;
  /** Told when a task is over and its final status was handed over; then the next one is taken. */
  readonly onTaskEnded?: (taskId: string, outcome: TaskOutcome) => void;
}

/** A task to run; `trace` is that of whoever asks for it. */
export interface TaskOrder extends Pick<CommandOrder, 'attempt' | 'stdin'> {
  readonly taskId: string;
  readonly task: TaskPayload;
  readonly trace: TraceContext;
}

/** How a worker stops. */
export interface StopOptions {
  /** Why, for people; it stands in `ended`. */
  readonly reason: string;
  /** Recorded for a command that had to be ended. */
  readonly cause: StopCause;
  /** How long a running command may still finish by itself, ms. */
  readonly finishWithinMs: number;
  /** Time between asking the command to end and killing it, ms. */
  readonly graceMs: number;
}

export interface WorkerSession {
  /** Its id. */
  readonly session: string;
  /** Takes a command and begins it. Throws `already-running`, `closed`; `outcome` never rejects. */
  start(order: TaskOrder): { readonly outcome: Promise<CommandOutcome> };
  /** Ends the running command of that id, as cancelled unless told; rejects with `not-found`. Resolves when all of it is over. */
  cancel(taskId: string, cause?: StopCause): Promise<void>;
  readonly isBusy: boolean;
  /** Resolves when no command runs. */
  idle(): Promise<void>;
  /** Takes no more, finishes or ends the command, says `ended`. Later calls wait for the first; they may only hurry it. */
  stop(options: StopOptions): Promise<void>;
}

/** Begins a session: says `started`, and a heartbeat every 5 s. What is no task's is told in a trace of the session's own. */
export function createWorkerSession(deps: WorkerSessionDeps): WorkerSession {
  const { clock, randomness, table, peer, session } = deps;
  const held = createDisposer();
  const publisher = createSessionPublisher(deps);
  const span = startTrace(randomness.bytes);
  const output = held.add(createSessionOutput({ clock, publisher, span }));
  const commandDeps = { ...deps, publisher, output };
  let running: CommandRun | undefined;
  let stopping: Promise<void> | undefined;

  function start({ trace, ...order }: TaskOrder): { readonly outcome: Promise<CommandOutcome> } {
    if (stopping !== undefined)
      throw new VakError('closed', `run: worker ${peer} is stopping; use another worker`, { retryable: true });
    if (running !== undefined) {
      throw new VakError(
        'already-running',
        `run: worker ${peer} runs task ${running.taskId}; wait for it or cancel it`,
        {
          retryable: true,
        },
      );
    }
    const { taskId } = order;
    const current = runCommand(commandDeps, { ...order, span: childOf(trace, randomness.bytes) });
    running = current;
    const outcome = current.done.then((how) => {
      running = undefined;
      deps.onTaskEnded?.(taskId, taskOutcomeOf(how));
      return how;
    });
    return { outcome };
  }

  async function cancel(taskId: string, cause: StopCause = 'cancelled'): Promise<void> {
    const current = running;
    if (current?.taskId !== taskId) {
      throw new VakError(
        'not-found',
        `cancel: worker ${peer} does not run task ${taskId}; it is over, or another worker has it`,
      );
    }
    current.stop(cause);
    await current.done;
  }

  async function stopNow({ reason, cause, finishWithinMs, graceMs }: StopOptions): Promise<void> {
    const current = running;
    if (current !== undefined && !(await settlesWithin(clock, finishWithinMs, current.done))) {
      current.stop(cause, graceMs);
      await current.done;
    }
    await endProcesses({ table, clock }, { groups: [], marker: sessionMarker(session), graceMs });
    publisher.status({ state: 'ended', detail: { reason } }, span);
    held.dispose();
  }

  publisher.status({ state: 'started', detail: { reason: `${peer} is ready` } }, span);
  held.add(clock.setTicker(heartbeatEveryMs, () => publisher.status({ state: 'heartbeat' }, span)));

  return {
    session,
    start,
    cancel,
    get isBusy() {
      return running !== undefined;
    },
    async idle() {
      await running?.done;
    },
    stop(options) {
      if (stopping !== undefined && options.finishWithinMs === 0) running?.stop(options.cause, options.graceMs);
      stopping ??= stopNow(options);
      return stopping;
    },
  };
}
