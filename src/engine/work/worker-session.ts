/**
 * One worker on the bus: takes one command at a time by request and tells what becomes of it.
 * Law: every request is answered, one command runs at a time, and `ended` is the session's last word.
 */
import { utf8 } from '../../shared/base/bytes.ts';
import { createDisposer } from '../../shared/base/disposer.ts';
import { isVakError, VakError } from '../../shared/base/vak-error.ts';
import { buildSubject } from '../../shared/protocol/subject.ts';
import type { Bus, Message } from '../bus/bus.ts';
import type { Clock } from '../ports/clock.ts';
import type { Logger } from '../ports/logger.ts';
import { sessionMarker } from './command-environment.ts';
import type { CommandOutcome, StopCause } from './command-outcome.ts';
import { type CommandRun, type GroupWatch, runCommand } from './command-runner.ts';
import { endProcesses } from './end-processes.ts';
import type { ProcessTable } from './process-rows.ts';
import { createSessionOutput } from './session-output.ts';
import { createSessionPublisher } from './session-publisher.ts';
import { settlesWithin } from './wait.ts';
import { decodeCancelRequest, decodeRunRequest, type RunRequest } from './worker-requests.ts';

/** Time between two heartbeats, ms. */
export const heartbeatEveryMs = 5_000;

/** What a worker is made of. */
export interface WorkerSessionDeps {
  readonly bus: Bus;
  readonly clock: Clock;
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
  /** Runs a command; throws `already-running`, `closed`. */
  run(request: RunRequest): Promise<CommandOutcome>;
  /** Ends the running command of that id; rejects with `not-found`. Resolves when all of it is over. */
  cancel(taskId: string): Promise<void>;
  readonly isBusy: boolean;
  /** Takes no more, finishes or ends the command, says `ended`. Later calls wait for the first; they may only hurry it. */
  stop(options: StopOptions): Promise<void>;
}

/** Puts a worker on the bus: publishes `started` and listens for `run` and `cancel` on its control subjects. */
export function createWorkerSession(deps: WorkerSessionDeps): WorkerSession {
  const { bus, clock, logger, table, workspace, peer, session } = deps;
  const held = createDisposer();
  const publisher = createSessionPublisher({ bus, workspace, session });
  const output = held.add(createSessionOutput({ clock, publisher }));
  const commandDeps = { ...deps, publisher, output };
  let running: CommandRun | undefined;
  let stopping: Promise<void> | undefined;

  function run({ taskId, task }: RunRequest): Promise<CommandOutcome> {
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
    const current = runCommand(commandDeps, taskId, task);
    running = current;
    return current.done.finally(() => {
      running = undefined;
    });
  }

  async function cancel(taskId: string): Promise<void> {
    const current = running;
    if (current?.taskId !== taskId) {
      throw new VakError(
        'not-found',
        `cancel: worker ${peer} does not run task ${taskId}; it is over, or another worker has it`,
      );
    }
    current.stop('cancelled');
    await current.done;
  }

  async function stopNow({ reason, cause, finishWithinMs, graceMs }: StopOptions): Promise<void> {
    const current = running;
    if (current !== undefined && !(await settlesWithin(clock, finishWithinMs, current.done))) {
      current.stop(cause, graceMs);
      await current.done;
    }
    await endProcesses({ table, clock }, { groups: [], marker: sessionMarker(session), graceMs });
    publisher.status({ state: 'ended', detail: { reason } });
    held.dispose();
  }

  function serve(verb: string, handle: (data: Uint8Array) => Promise<void> | void): void {
    const subject = buildSubject({ plane: 'control', workspace, entity: peer, verb });
    held.add(bus.subscribe(subject, { kind: 'inline', onMessage: (message) => void answer(logger, message, handle) }));
  }

  serve('run', (data) => void run(decodeRunRequest(data)));
  serve('cancel', (data) => cancel(decodeCancelRequest(data).taskId));
  publisher.status({ state: 'started', detail: { reason: `${peer} is ready` } });
  held.add(clock.setTicker(heartbeatEveryMs, () => publisher.status({ state: 'heartbeat' })));

  return {
    run: async (request) => run(request),
    cancel,
    get isBusy() {
      return running !== undefined;
    },
    stop(options) {
      if (stopping !== undefined && options.finishWithinMs === 0) running?.stop(options.cause, options.graceMs);
      stopping ??= stopNow(options);
      return stopping;
    },
  };
}

/** Answers one request with `{ok: true}` or the shape of its error. */
async function answer(
  logger: Logger,
  message: Message,
  handle: (data: Uint8Array) => Promise<void> | void,
): Promise<void> {
  const { respond, data, subject } = message;
  if (respond === undefined) return logger.warn('worker.request-without-answer', { subject });
  let result: object = { ok: true };
  try {
    await handle(data);
  } catch (thrown) {
    result = isVakError(thrown)
      ? thrown.toShape()
      : new VakError(
          'internal',
          `internal error, see the worker's log: ${logger.bug('worker.request', thrown)}`,
        ).toShape();
  }
  respond(utf8(JSON.stringify(result)));
}
