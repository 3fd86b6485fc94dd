/** A worker on a queue: claims tasks, runs their commands, signs what came of them (protocol.md W1–W3, W6, W8, W9). */
import { createEnvelopeAuthor } from '../engine/envelope/envelope-author.ts';
import { openFileHeadStore } from '../engine/envelope/file-head-store.ts';
import { createSessionId } from '../engine/ports/randomness.ts';
import { sessionMarker } from '../engine/work/command-environment.ts';
import { removeStalePipes } from '../engine/work/command-pipes.ts';
import { createEnvelopeOutlet } from '../engine/work/envelope-outlet.ts';
import { createGuardian } from '../engine/work/guardian.ts';
import { createProcessTable } from '../engine/work/process-table.ts';
import { type QueueWork, startQueueWork } from '../engine/work/queue-work.ts';
import type { WorkEvent } from '../engine/work/task-attempt.ts';
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
const leaveWithinMs = 10_000;

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

/** Works until a signal; then finishes what it claimed within the time, and gives back the rest. Throws what opening the queue throws. */
export async function runQueueWorker(peer: RunningPeer, options: QueueWorkerOptions, host: CliHost): Promise<void> {
  const { workspace, ended } = peer;
  const { queue, concurrency, exec, approve, approvalMs, drainMs, log } = options;
  const { clock, randomness, logger } = host;
  removeStalePipes();
  const held = createDisposer();
  const { sessions, close } = await openSessions(peer, options, { host, held });
  let work: QueueWork | undefined;
  try {
    work = await startQueueWork({
      ...{ peer, queue, sessions, exec, approvalMs, clock, randomness, logger },
      mustAsk: ([program = '']) => approve.includes(program),
      onEvent: (event) => tell(log, event),
      onPaused: ({ isPaused, by }) => log(isPaused ? 'paused' : 'resumed', { by }),
      onRefused: (refused) => log('refused', { ...refused }),
      onTrouble: (code, message) => log('trouble', { code, message }),
      onBack: () => log('back'),
    });
    log('started', { peer: peer.peer, queue, concurrency });
    await ended;
    log('draining', { running: work.runningCount });
  } catch (error) {
    if (!isVakError(error, 'not-found') || work !== undefined) throw error;
    const message = `queue ${queue}: the server has no streams of workspace ${workspace}; make them with vak provision`;
    throw new VakError('not-found', message);
  } finally {
    await work?.close({ finishWithinMs: drainMs, leaveWithinMs });
    await close();
    held.dispose();
    if (work !== undefined) log('stopped');
  }
}
