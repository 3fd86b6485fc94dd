/**
 * One worker process of the local swarm, from launch to the end of everything that it started.
 * Law: its summary is exact: each state comes from the process or from its own words, each end has its cause.
 */
import { createDisposer } from '../../shared/base/disposer.ts';
import { isVakError, VakError } from '../../shared/base/vak-error.ts';
import type { RunningTask, WorkerDeath, WorkerSummary } from '../../shared/contract/swarm-contract.ts';
import { decodePayload, type StatusPayload, type TaskPayload } from '../../shared/protocol/payloads.ts';
import { buildSubject } from '../../shared/protocol/subject.ts';
import type { Bus, Message } from '../bus/bus.ts';
import { serveChannelBus } from '../bus/channel/channel-host.ts';
import { eraseCredentials, type PeerCredentials } from '../identity/peer-credentials.ts';
import type { Clock } from '../ports/clock.ts';
import type { Logger } from '../ports/logger.ts';
import { sessionMarker } from '../work/command-environment.ts';
import { removeStalePipes } from '../work/command-pipes.ts';
import { endProcesses } from '../work/end-processes.ts';
import type { ProcessTable } from '../work/process-rows.ts';
import { createDeferred } from '../work/wait.ts';
import { checkAnswer, encodeRequest } from '../work/worker-requests.ts';
import { deathReason } from './death-reason.ts';
import type { LaunchedPeer, PeerExit } from './launched-peer.ts';
import { type MainFrame, readWorkerFrame, type WorkerFrame } from './worker-frames.ts';

/** How long a worker may take until it is ready, ms. */
const readyLimitMs = 10_000;
/** How long a worker may take to drain before it is killed, ms. */
const drainLimitMs = 3_000;
const requestLimitMs = 5_000;
/** Cancelling takes the command's grace and kill. */
const cancelLimitMs = 15_000;
const leftoverGraceMs = 1_000;

/** What a worker of the swarm is made of. */
export interface SwarmWorkerDeps {
  readonly bus: Bus;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly table: ProcessTable;
  readonly workspace: string;
  readonly peer: string;
  readonly session: string;
  readonly process: LaunchedPeer;
  /** Its keys and standing; it is ended if there are none for it. */
  readonly credentials: Promise<PeerCredentials>;
  readonly onChange: () => void;
  /** Called each time when it can take a command. */
  readonly onIdle: () => void;
}

export interface SwarmWorker {
  readonly peer: string;
  readonly session: string;
  /** Resolves when it can take commands; rejects with `spawn-failed` if it ends before. */
  readonly ready: Promise<void>;
  /** Resolves when the process and everything that it started are gone. */
  readonly gone: Promise<void>;
  /** Its process has not ended. */
  readonly isLive: boolean;
  summary(): WorkerSummary;
  /** Hands over a task; resolves once the worker has taken it. Throws what the worker answers, `timeout`, `closed`. */
  run(taskId: string, task: TaskPayload): Promise<void>;
  /** Ends its running task; throws `not-found`. */
  cancel(taskId: string): Promise<void>;
  /** Ends the process at once, as a crash would. */
  kill(): Promise<void>;
  /** Asks it to stop, kills it after 3 s; resolves as `gone`. */
  drain(): Promise<void>;
}

const lateCause = `not ready within ${readyLimitMs / 1000} s and was ended`;

type WorkerState = WorkerSummary['state'];

/** One request to a worker, and how long it may take. */
interface WorkerRequest {
  readonly verb: 'run' | 'cancel';
  readonly body: Uint8Array;
  readonly timeoutMs: number;
}

/** Asks a worker over the bus. Throws what it answers; `closed` if it ends first, which `gone` tells. */
async function askWorker(
  { bus, workspace, peer }: Pick<SwarmWorkerDeps, 'bus' | 'workspace' | 'peer'>,
  { verb, body, timeoutMs }: WorkerRequest,
  gone: AbortSignal,
): Promise<void> {
  const subject = buildSubject({ plane: 'control', workspace, entity: peer, verb });
  try {
    checkAnswer(await bus.request(subject, body, { timeoutMs, signal: gone }));
  } catch (error) {
    if (!gone.aborted) throw error;
    throw new VakError('closed', `${verb}: worker ${peer} ended before it answered; try again`, {
      cause: error,
      retryable: true,
    });
  }
}

/** How a status message ends a task; undefined if it does not. */
function readTaskEnd({ data }: Message, taskId: string | undefined): 'done' | 'failed' | undefined {
  let status: StatusPayload;
  try {
    status = decodePayload('vak.events.status', data);
  } catch {
    // Not a status: the stream shows it as it came.
    return undefined;
  }
  const isEnd = status.state === 'done' || status.state === 'failed';
  return isEnd && status.taskId === taskId ? (status.state as 'done' | 'failed') : undefined;
}

/** Takes over a process that was just launched, and tells it who it is. */
export function createSwarmWorker(deps: SwarmWorkerDeps): SwarmWorker {
  const { bus, clock, logger, table, workspace, peer, session, process: launched } = deps;
  const held = createDisposer();
  const groups = new Set<number>();
  const exitAbort = new AbortController();
  const ready = createDeferred<void>();
  const gone = createDeferred<void>();
  // Whoever does not wait for readiness learns of the failure from the summary.
  ready.promise.catch(() => {});
  let state: WorkerState = 'starting';
  let task: RunningTask | null = null;
  let death: WorkerDeath | null = null;
  let endCause: string | undefined;
  let refusal: string | undefined;
  const counts = { doneCount: 0, failedCount: 0 };
  let exit: PeerExit | undefined;

  function become(next: WorkerState): void {
    state = next;
    deps.onChange();
    if (next === 'idle') deps.onIdle();
  }

  function onFrame(frame: WorkerFrame): void {
    switch (frame.kind) {
      case 'ready':
        if (state !== 'starting') return;
        readyTimer.dispose();
        ready.resolve();
        become('idle');
        return;
      case 'refused':
        refusal = frame.reason;
        return;
      case 'group-started':
        groups.add(frame.pgid);
        return;
      case 'group-ended':
        groups.delete(frame.pgid);
        return;
      case 'drained':
        if (state !== 'stopping') endCause = `ended by itself: ${frame.reason}`;
        launched.post({ kind: 'exit' } satisfies MainFrame);
        return;
    }
  }

  function backToIdle(): void {
    if (state === 'busy') become('idle');
    else deps.onChange();
  }

  function onStatus(message: Message): void {
    const outcome = task === null ? undefined : readTaskEnd(message, task.taskId);
    if (outcome === undefined) return;
    task = null;
    if (outcome === 'done') counts.doneCount++;
    else counts.failedCount++;
    backToIdle();
  }

  async function onExit(how: PeerExit): Promise<void> {
    exit = how;
    const wasReady = state !== 'starting';
    const isAsked = state === 'stopping';
    const facts = { exit: how, wasReady, endCause, refusal, command: task?.command, hadGroups: groups.size > 0 };
    readyTimer.dispose();
    exitAbort.abort();
    if (task !== null) counts.failedCount++;
    task = null;
    const atMs = clock.now();
    if (!isAsked) death = { atMs, exitCode: how.exitCode, signal: how.signal, reason: deathReason(facts) };
    become(isAsked ? 'ended' : 'dead');
    ready.reject(new VakError('spawn-failed', `worker ${peer}: ${deathReason(facts)}; see the log, then start again`));
    try {
      const left = await endProcesses(
        { table, clock },
        { groups: [...groups], marker: sessionMarker(session), graceMs: leftoverGraceMs },
      );
      if (death !== null) death = { ...death, reason: deathReason(facts, left) };
    } catch (thrown) {
      logger.bug('swarm.end-leftovers', thrown);
    }
    removeStalePipes();
    held.dispose();
    deps.onChange();
    gone.resolve();
  }

  function endBecause(cause: string): void {
    endCause ??= cause;
    launched.kill('SIGKILL');
  }

  async function configure(): Promise<void> {
    try {
      const credentials = await deps.credentials;
      try {
        launched.post({ kind: 'configure', workspace, peer, session, credentials } satisfies MainFrame);
      } finally {
        eraseCredentials(credentials);
      }
    } catch (error) {
      const why = isVakError(error) ? error.message : `see the log: ${logger.bug('swarm.identity', error)}`;
      endBecause(`it got no identity: ${why}`);
    }
  }

  function listen(): void {
    held.add(serveChannelBus({ port: launched, bus, clock, logger }));
    held.add(
      launched.onMessage((value) => {
        const frame = readWorkerFrame(value);
        if (typeof frame === 'object') onFrame(frame);
        else if (frame === 'malformed') logger.warn('swarm.malformed-frame', { peer });
      }),
    );
    const statusSubject = buildSubject({ plane: 'events', workspace, entity: session, verb: 'status' });
    held.add(bus.subscribe(statusSubject, { kind: 'inline', onMessage: onStatus }));
    held.add(launched.onExit((how) => void onExit(how)));
  }

  listen();
  const readyTimer = held.add(clock.setTimer(readyLimitMs, () => endBecause(lateCause)));
  void configure();

  return {
    peer,
    session,
    ready: ready.promise,
    gone: gone.promise,
    get isLive() {
      return exit === undefined;
    },
    summary: () => ({ peer, session, pid: exit ? null : launched.pid, state, task, death, ...counts }),
    async run(taskId, toRun) {
      if (state !== 'idle') {
        throw new VakError('already-running', `run: worker ${peer} is ${state}; use another worker`, {
          retryable: true,
        });
      }
      const body = encodeRequest({ taskId, task: toRun });
      task = { taskId, command: toRun.command, startedMs: clock.now() };
      become('busy');
      try {
        await askWorker(deps, { verb: 'run', body, timeoutMs: requestLimitMs }, exitAbort.signal);
      } catch (error) {
        // After a timeout the worker may still take it: then its status tells.
        if (task?.taskId === taskId && !isVakError(error, 'timeout')) {
          task = null;
          backToIdle();
        }
        throw error;
      }
    },
    cancel: (taskId) =>
      askWorker(deps, { verb: 'cancel', body: encodeRequest({ taskId }), timeoutMs: cancelLimitMs }, exitAbort.signal),
    async kill() {
      endBecause('killed by the operator');
      await gone.promise;
    },
    async drain() {
      if (exit === undefined && state !== 'stopping') {
        become('stopping');
        launched.post({ kind: 'drain' } satisfies MainFrame);
        held.add(clock.setTimer(drainLimitMs, () => launched.kill('SIGKILL')));
      }
      await gone.promise;
    },
  };
}
