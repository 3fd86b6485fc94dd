/** A worker on a queue: claims tasks, runs their commands, signs what came of them (protocol.md W1–W3, W6, W8, W9). */
import { createEnvelopeAuthor } from '../engine/envelope/envelope-author.ts';
import { openFileHeadStore } from '../engine/envelope/file-head-store.ts';
import { summaryOf } from '../engine/metrics/histogram.ts';
import { createSessionId } from '../engine/ports/randomness.ts';
import type { ApprovalGate } from '../engine/work/approval-gate.ts';
import { sessionMarker } from '../engine/work/command-environment.ts';
import { type CommandHandler, createCommandHandler } from '../engine/work/command-handler.ts';
import { removeStalePipes } from '../engine/work/command-pipes.ts';
import { createEnvelopeOutlet } from '../engine/work/envelope-outlet.ts';
import { createGuardian } from '../engine/work/guardian.ts';
import { createProcessTable } from '../engine/work/process-table.ts';
import { type QueueHandler, type QueueWork, type QueueWorkDeps, startQueueWork } from '../engine/work/queue-work.ts';
import type { WorkEvent } from '../engine/work/task-attempt.ts';
import type { WorkPorts } from '../engine/work/work-peer.ts';
import { createWorkTally, type WorkTally } from '../engine/work/work-tally.ts';
import { createWorkerSession, type WorkerSession } from '../engine/work/worker-session.ts';
import { createDisposer, type Disposer } from '../shared/base/disposer.ts';
import { isVakError, VakError } from '../shared/base/vak-error.ts';
import type { CliHost } from './cli/command.ts';
import type { EventLog } from './event-log.ts';
import type { RunningPeer } from './work-peer.ts';

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
  { workspace, peer, bus, signer, sealer, open }: RunningPeer,
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

/** What it did, and what it said and heard on the bus, in figures (W10). */
function figuresOf({ counts, claimToDone }: WorkTally, { bus }: RunningPeer) {
  const { publishedCount, publishedBytes, receivedCount, receivedBytes, droppedCount } = bus.metrics();
  return {
    ...counts,
    claimToDone: summaryOf(claimToDone()),
    bus: { publishedCount, publishedBytes, receivedCount, receivedBytes, droppedCount },
  };
}

/** What any worker tells of, whatever does its tasks. */
export interface LoggedWorkOptions<Handler extends QueueHandler>
  extends Pick<QueueWorkerOptions, 'queue' | 'concurrency' | 'log'> {
  readonly createHandler: QueueWorkDeps<Handler>['createHandler'];
  /** Told of each event that is logged. */
  readonly onEvent?: (event: WorkEvent) => void;
}

/** Begins to work on a queue, and logs what happens there. Throws what opening the queue throws. */
export async function startLoggedWork<Handler extends QueueHandler>(
  peer: RunningPeer,
  { queue, concurrency, log, createHandler, onEvent = () => {} }: LoggedWorkOptions<Handler>,
  { clock, randomness, logger }: WorkPorts,
): Promise<QueueWork<Handler>> {
  const starting = startQueueWork({
    ...{ peer, queue, concurrency, createHandler, clock, randomness, logger },
    onEvent(event) {
      onEvent(event);
      tell(log, event);
    },
    onPaused: ({ isPaused, by }) => log(isPaused ? 'paused' : 'resumed', { by }),
    onRefused: (refused) => log('refused', { ...refused }),
    onTrouble: (code, message) => log('trouble', { code, message }),
    onBack: () => log('back'),
  });
  const work = await starting.catch((error: unknown) => {
    if (!isVakError(error, 'not-found')) throw error;
    const where = `the server has no streams of workspace ${peer.workspace}`;
    throw new VakError('not-found', `queue ${queue}: ${where}; make them with vak provision`);
  });
  log('started', { peer: peer.peer, queue, concurrency });
  return work;
}

/** Works until a signal; then finishes what it claimed within the time, and gives back the rest. Throws what opening the queue throws. */
export async function runQueueWorker(peer: RunningPeer, options: QueueWorkerOptions, host: CliHost): Promise<void> {
  const { queue, concurrency, exec, approve, approvalMs, drainMs, log } = options;
  removeStalePipes();
  const held = createDisposer();
  const { sessions, close } = await openSessions(peer, options, { host, held });
  const mustAsk = ([program = '']: readonly string[]): boolean => approve.includes(program);
  const createHandler = (approvals: ApprovalGate): CommandHandler =>
    createCommandHandler({ sessions, approvals, approvalMs, mustAsk, exec });
  const tally = createWorkTally();
  let work: QueueWork<CommandHandler> | undefined;
  let isOut = false;
  try {
    work = await startLoggedWork(peer, { queue, concurrency, log, createHandler, onEvent: tally.note }, host);
    await peer.ended.catch((error: unknown) => {
      isOut = isVakError(error, 'forbidden') || isVakError(error, 'unauthorized');
      throw error;
    });
    log('draining', { running: work.runningCount });
  } finally {
    // Nobody takes anything any more from whom neither grant nor server lets in.
    await work?.close(isOut ? { finishWithinMs: 0, leaveWithinMs: 0 } : { finishWithinMs: drainMs, leaveWithinMs });
    await close();
    held.dispose();
    if (work !== undefined) log('stopped', figuresOf(tally, peer));
  }
}
