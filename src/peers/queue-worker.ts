/** A worker on a queue: claims tasks, runs their commands, signs what came of them (protocol.md W1–W3, W6, W8, W9). */
import { createEnvelopeAuthor } from '../engine/envelope/envelope-author.ts';
import { openFileHeadStore } from '../engine/envelope/file-head-store.ts';
import { createRecordChecks } from '../engine/identity/signed-record.ts';
import { createStateReader } from '../engine/identity/state-values.ts';
import type { Clock } from '../engine/ports/clock.ts';
import { createSessionId } from '../engine/ports/randomness.ts';
import { type ApprovalGate, createApprovalGate } from '../engine/work/approval-gate.ts';
import { sessionMarker } from '../engine/work/command-environment.ts';
import { createCommandHandler } from '../engine/work/command-handler.ts';
import { removeStalePipes } from '../engine/work/command-pipes.ts';
import { createDeadLetterOffice } from '../engine/work/dead-letter-office.ts';
import { createEnvelopeOutlet } from '../engine/work/envelope-outlet.ts';
import { createGuardian } from '../engine/work/guardian.ts';
import { createProcessTable } from '../engine/work/process-table.ts';
import { watchQueueFlags } from '../engine/work/queue-flags.ts';
import { createTaskRunner, type TaskHandler, type WorkEvent } from '../engine/work/task-attempt.ts';
import { createTaskIntake } from '../engine/work/task-intake.ts';
import { openQueue, workStreamOf } from '../engine/work/work-queue.ts';
import { startWorkerLoop, type WorkerLoop } from '../engine/work/worker-loop.ts';
import { createWorkerSession, type WorkerSession } from '../engine/work/worker-session.ts';
import { createDisposer, type Disposer } from '../shared/base/disposer.ts';
import { isVakError, VakError } from '../shared/base/vak-error.ts';
import { streamsOf } from '../shared/protocol/stream-table.ts';
import type { CliHost } from './cli/command.ts';
import type { EventLog } from './event-log.ts';
import type { WorkPeer } from './work-peer.ts';

export interface QueueWorkerOptions {
  readonly queue: string;
  /** Tasks at the same time. */
  readonly concurrency: number;
  /** A shell command that takes tasks which have an input. */
  readonly exec: string | undefined;
  /** Programs that are run only with an operator's approval. */
  readonly approve: readonly string[];
  /** How long an approval waits for its answer, ms. */
  readonly approvalMs: number;
  /** After a signal what runs may finish within this time, ms. */
  readonly drainMs: number;
  /** Folder of commands that name none. */
  readonly cwd: string;
  readonly log: EventLog;
}

/** The command of a worker that stops is asked to end, and killed after the grace. */
const farewell = { reason: 'the worker stops', cause: 'worker-stopping', finishWithinMs: 0, graceMs: 5_000 } as const;

/** So long a worker that stops waits for what its server has not answered, ms. */
export const leaveWithinMs = 10_000;

/** Tells an event of the loop. */
function tell(log: EventLog, event: WorkEvent): void {
  if (event.kind === 'refused') {
    log('refused', { seq: event.seq, ...event.refusal });
  } else if (event.kind === 'unsettled') {
    log('unsettled', { seq: event.seq, code: event.code, message: event.message });
  } else {
    const { kind, taskId, maxAttempts: _, ...rest } = event;
    log(kind, { task: taskId, ...rest });
  }
}

/** Sessions of one command at a time each, which tell on the live bus what happens in them. */
async function openSessions(
  { workspace, peer, bus, signer, sealer, open }: WorkPeer,
  { concurrency, cwd, log }: QueueWorkerOptions,
  { host, held }: { readonly host: CliHost; readonly held: Disposer },
): Promise<{ readonly sessions: readonly WorkerSession[]; close(): Promise<void> }> {
  const { clock, randomness, logger, environment, output } = host;
  const heads = await openFileHeadStore({
    ...{ path: open.profile.files.heads, clock, randomness },
    report: (error) => output.talk(`vak: ${error.message}`),
  });
  const table = createProcessTable();
  const sessions = Array.from({ length: concurrency }, () => {
    const session = createSessionId(peer, randomness);
    const author = createEnvelopeAuthor({
      ...{ workspace, peer, session, kind: 'e', signer, sealer, clock, randomness, heads },
    });
    const outlet = createEnvelopeOutlet({ bus, author, logger, onFailure: (reason) => log('silenced', { reason }) });
    const guardian = held.add(createGuardian({ logger, marker: sessionMarker(session) }));
    const groups = { started: guardian.add, ended: guardian.remove };
    return createWorkerSession({
      ...{ outlet, clock, randomness, logger, table, groups, workspace, peer, session, environment, cwd },
    });
  });
  return {
    sessions,
    async close() {
      await Promise.all(sessions.map((session) => session.stop(farewell)));
      await heads.close();
    },
  };
}

/** What any worker on a queue has, whatever runs its tasks. */
export interface QueueLoopOptions extends Pick<QueueWorkerOptions, 'queue' | 'concurrency' | 'log'> {
  /** Makes what runs the tasks. */
  readonly handler: (approvals: ApprovalGate) => TaskHandler;
}

/** Obeys the pause flag of the queue; where there is no state nothing is paused. */
function followPause(
  { workspace, durable, resolve }: WorkPeer,
  { queue, log }: Pick<QueueLoopOptions, 'queue' | 'log'>,
  { clock, setPaused }: { readonly clock: Clock; readonly setPaused: (isPaused: boolean) => void },
) {
  const reader = createStateReader({ workspace, verifier: createRecordChecks().verifier, resolve });
  return watchQueueFlags({
    ...{ workspace, durable, reader, clock },
    onChange(name, { isPaused, by }) {
      if (name !== queue) return;
      setPaused(isPaused);
      log(isPaused ? 'paused' : 'resumed', { by });
    },
    onRefused: (key, why) => log('refused', { key, why }),
  });
}

interface RunnerParts extends LoopPorts {
  readonly handled: Awaited<ReturnType<WorkPeer['publisher']['handled']>>;
  readonly maxDeliver: number;
}

function createRunner(peer: WorkPeer, options: QueueLoopOptions, parts: RunnerParts) {
  const { workspace, peer: name, bus, durable, publisher, judge, reader } = peer;
  const { queue, handler, log } = options;
  const { clock, randomness, logger, handled, maxDeliver } = parts;
  const own = { workspace, peer: name, publisher, judge, clock, randomness, logger };
  const office = createDeadLetterOffice({ ...own, durable: () => durable });
  const approvals = createApprovalGate({ ...own, durable, bus, onRefused: (why) => log('refused', { why }) });
  return createTaskRunner({
    ...{ ...own, queue, reader, handled, office, maxDeliver },
    intake: createTaskIntake({ ...own, reader, handled, office, maxDeliver }),
    handler: handler(approvals),
    onEvent: (event) => tell(log, event),
  });
}

export type LoopPorts = Pick<CliHost, 'clock' | 'randomness' | 'logger'>;

/** Begins to work on a queue. Throws what opening the queue throws. */
export async function startQueueLoop(
  peer: WorkPeer,
  options: QueueLoopOptions,
  ports: LoopPorts,
): Promise<Pick<WorkerLoop, 'runningCount' | 'close'>> {
  const { workspace, durable, publisher } = peer;
  const { queue, concurrency, log } = options;
  const { clock, logger } = ports;
  const place = { workspace, queue };
  const stream = streamsOf(workspace).find(({ name }) => name === workStreamOf(workspace));
  if (stream === undefined) throw new TypeError('there are no tasks in the table of streams');
  const { consumer, spec } = await openQueue(durable, place).catch((error: unknown) => {
    if (!isVakError(error, 'not-found')) throw error;
    throw new VakError(
      'not-found',
      `queue ${queue}: the server has no streams of workspace ${workspace}; make them with vak provision`,
    );
  });
  const handled = await publisher.handled(stream);
  const runner = createRunner(peer, options, { ...ports, handled, maxDeliver: spec.maxDeliver });
  const loop = startWorkerLoop({
    ...{ consumer, runner, concurrency, clock, logger },
    ensure: async () => (await openQueue(durable, place)).consumer,
    onTrouble: (code, message) => log('trouble', { code, message }),
    onBack: () => log('back'),
  });
  const pausing = followPause(peer, options, { clock, setPaused: loop.setPaused });
  log('started', { peer: peer.peer, queue, concurrency });
  return {
    get runningCount() {
      return loop.runningCount;
    },
    async close(limits) {
      await loop.close(limits);
      pausing.dispose();
    },
  };
}

/** Works until a signal; then finishes what it claimed within the time, and gives back the rest. Throws what opening the queue throws. */
export async function runQueueWorker(peer: WorkPeer, options: QueueWorkerOptions, host: CliHost): Promise<void> {
  const { drainMs, log, exec, approve, approvalMs } = options;
  removeStalePipes();
  const held = createDisposer();
  const { sessions, close } = await openSessions(peer, options, { host, held });
  const mustAsk = ([program = '']: readonly string[]): boolean => approve.includes(program);
  const handler = (approvals: ApprovalGate): TaskHandler =>
    createCommandHandler({ sessions, approvals, approvalMs, mustAsk, exec });
  const shut = async (): Promise<void> => {
    await close();
    held.dispose();
  };
  const loop = await startQueueLoop(peer, { ...options, handler }, host).catch(async (error: unknown) => {
    await shut();
    throw error;
  });
  try {
    await peer.ended;
    log('draining', { running: loop.runningCount });
  } finally {
    await loop.close({ finishWithinMs: drainMs, leaveWithinMs });
    await shut();
    log('stopped');
  }
}
