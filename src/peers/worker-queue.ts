/** The worker of the app at its queue: on each lane that main opens it claims tasks of the engine there, and of no other (protocol.md W1, B8). */
import { type ChannelFabric, createChannelFabric } from '../engine/bus/channel/channel-fabric.ts';
import type { ChannelPort } from '../engine/bus/channel/channel-port.ts';
import { createLanePort } from '../engine/bus/channel/lane-port.ts';
import type { ReceivePolicy } from '../engine/envelope/receive-policy.ts';
import type { OwnCredentials } from '../engine/identity/own-credentials.ts';
import { openOwnOutbox, outboxFolder } from '../engine/outbox/outbox-folder.ts';
import { createPlaceFollower } from '../engine/place-follower.ts';
import { localApprovalMs } from '../engine/swarm/local-queue.ts';
import { type MainFrame, shownCommand, type WorkerFrame } from '../engine/swarm/worker-frames.ts';
import { type CommandHandler, createCommandHandler, type TaskWatch } from '../engine/work/command-handler.ts';
import { createKnownGrants, type OpenGrantRecords, openGrantRecords } from '../engine/work/known-grants.ts';
import { type QueueWork, startQueueWork } from '../engine/work/queue-work.ts';
import type { WorkEvent } from '../engine/work/task-attempt.ts';
import { openWorkPeer, type WorkPeer } from '../engine/work/work-peer.ts';
import type { WorkerSession } from '../engine/work/worker-session.ts';
import { VakError } from '../shared/base/vak-error.ts';
import { createCalmLines } from './calm-lines.ts';
import type { WorkerHost } from './worker-host.ts';

type WorkFrame = Extract<MainFrame, { kind: 'work' }>;

export interface ChannelQueueDeps {
  readonly port: ChannelPort;
  readonly host: Pick<WorkerHost, 'clock' | 'randomness' | 'logger'>;
  readonly own: OwnCredentials;
  readonly queue: string;
  /** Its one session: one task at a time. */
  readonly session: WorkerSession;
  readonly policy: () => ReceivePolicy;
  readonly post: (frame: WorkerFrame) => void;
}

export interface ChannelQueue {
  /** Main has opened a lane. */
  work(frame: WorkFrame): void;
  /** Main wants it to leave a lane; says `left` when nothing of it is open any more. */
  leave(lane: number): Promise<void>;
  /** As `CommandHandler.cancel`. */
  cancel(taskId: string): Promise<void>;
  /** Claims no more; what runs may finish within that time, ms. Resolves when all of it has ended or was given back. */
  stop(finishWithinMs: number): Promise<void>;
}

/** What has ended is waited for so long until it is stored, ms: an engine that is away stores nothing. */
const leaveWithinMs = 1_500;
/** What is not stored when it leaves waits for the next peer that opens the outbox, ms. */
const farewellMs = 500;

interface Place {
  readonly frame: WorkFrame;
  readonly fabric: ChannelFabric;
}

interface OpenPlace {
  readonly records: OpenGrantRecords;
  readonly peer: WorkPeer;
  readonly work: QueueWork<CommandHandler>;
}

/** Opens all that working there takes. */
async function openPlace({ frame, fabric }: Place, deps: ChannelQueueDeps, tell: TellProblem): Promise<OpenPlace> {
  const { own, queue, session, policy, post, host } = deps;
  const { clock, randomness, logger } = host;
  const { ws: workspace, peer } = own.grant;
  const { destination, outbox, directory, serials } = frame;
  const watch: TaskWatch = {
    began: ({ taskId, command, isWaiting }) =>
      post({ kind: 'task-started', taskId, command: shownCommand(command), isWaiting }),
    ended: (taskId, outcome) => post({ kind: 'task-ended', taskId, outcome }),
  };
  const report = ({ code, message }: VakError): void => logger.warn('worker.records', { code, message });
  const records = await openGrantRecords({ workspace, directory, serials }, { clock, randomness, report });
  let workPeer: WorkPeer | undefined;
  try {
    const { journal } = await openOwnOutbox(outboxFolder(outbox, { workspace, peer, destination }), host);
    workPeer = await openWorkPeer({
      ...{ own, fabric, journal, policy, clock, randomness, logger },
      grants: createKnownGrants(records, { current: () => own.rootPublic }),
    });
    const calm = createCalmLines({ clock, more: (more) => logger.warn('worker.refused-record', { more }) });
    const work = await startQueueWork({
      ...{ peer: workPeer, queue, concurrency: 1, clock, randomness, logger },
      createHandler: (approvals) =>
        createCommandHandler({
          ...{ sessions: [session], exec: undefined, mustAsk: () => false, approvals, approvalMs: localApprovalMs },
          watch,
        }),
      onEvent: (event) => log(logger, event),
      onPaused: ({ isPaused, by }) => logger.info('worker.queue-flag', { isPaused, by }),
      onRefused: ({ why }) => calm.say(() => logger.warn('worker.refused-record', { why })),
      onTrouble: (_code, message) => tell(message),
      onBack: () => tell(null),
    });
    return { records, peer: workPeer, work };
  } catch (error) {
    await workPeer?.close(0);
    await records.close();
    throw error;
  }
}

type TellProblem = (problem: string | null) => void;

/** What the channel and the streams do not tell anyway. */
function log(logger: WorkerHost['logger'], event: WorkEvent): void {
  if (event.kind === 'refused') logger.warn('worker.refused-task', { seq: event.seq, why: event.refusal.why });
  if (event.kind === 'unsettled') {
    logger.warn('worker.unsettled-task', { seq: event.seq, code: event.code, message: event.message });
  }
}

/** Creates it without a lane. */
export function createChannelQueue(deps: ChannelQueueDeps): ChannelQueue {
  const { port, host, post } = deps;
  const { clock, logger } = host;
  let place: Place | undefined;
  let finishWithinMs = 0;

  const tellOf =
    ({ frame: { lane } }: Place): TellProblem =>
    (problem) =>
      post({ kind: 'work-state', lane, problem: problem?.slice(0, 1024) ?? null });

  async function shut({ records, peer, work }: OpenPlace, { fabric }: Place): Promise<void> {
    await work.close({ finishWithinMs, leaveWithinMs });
    // One that ignores what it is asked is killed; nothing may be claimed anywhere else before.
    await deps.session.idle();
    await peer.close(fabric.status().kind === 'connected' ? farewellMs : 0);
    await records.close();
  }

  const follower = createPlaceFollower<Place, OpenPlace>({
    wanted: () => place,
    open: (wanted) => openPlace(wanted, deps, tellOf(wanted)),
    shut,
    onChange(state) {
      if (place === undefined || state.kind === 'off') return;
      tellOf(place)(state.kind === 'failed' ? state.error.message : null);
    },
    ...{ clock, logger, event: 'worker.queue' },
  });

  async function leaveNow(): Promise<void> {
    const former = place;
    place = undefined;
    await follower.follow();
    await former?.fabric.close();
  }

  return {
    work(frame) {
      const { lane } = frame;
      place = { frame, fabric: createChannelFabric({ port: createLanePort(port, lane), clock, logger }) };
      void follower.follow();
    },
    async leave(lane) {
      if (place === undefined || place.frame.lane === lane) await leaveNow();
      post({ kind: 'left', lane });
    },
    async cancel(taskId) {
      const opened = follower.opened();
      if (opened === undefined)
        throw new VakError('not-found', `cancel: this worker has left the queue of task ${taskId}`);
      await opened.work.handler.cancel(taskId);
    },
    async stop(withinMs) {
      finishWithinMs = withinMs;
      await leaveNow();
    },
  };
}
