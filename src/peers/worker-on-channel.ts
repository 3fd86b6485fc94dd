/** The worker as a process of the app: main tells it who it is, and it serves main's bus, in envelopes, until told to go; at a queue it claims its work. */
import { createChannelBus } from '../engine/bus/channel/channel-bus.ts';
import type { ChannelPort } from '../engine/bus/channel/channel-port.ts';
import { requireSelfTest } from '../engine/crypto/require-self-test.ts';
import { createEnvelopeAuthor } from '../engine/envelope/envelope-author.ts';
import { createEnvelopeSealer } from '../engine/envelope/envelope-sealer.ts';
import { createSecretRegistry } from '../engine/envelope/secret-registry.ts';
import { takeCredentials } from '../engine/identity/own-credentials.ts';
import { createRecordChecks } from '../engine/identity/signed-record.ts';
import { createChannelHeadStore } from '../engine/swarm/channel-head-store.ts';
import { type MainFrame, readMainFrame, type WorkerFrame } from '../engine/swarm/worker-frames.ts';
import { sessionMarker } from '../engine/work/command-environment.ts';
import { createCommandGate } from '../engine/work/command-gate.ts';
import type { GroupWatch } from '../engine/work/command-runner.ts';
import { createEnvelopeOutlet } from '../engine/work/envelope-outlet.ts';
import { createGuardian } from '../engine/work/guardian.ts';
import { serveWorkerControl } from '../engine/work/worker-control.ts';
import { createWorkerSession, type StopOptions, type WorkerSession } from '../engine/work/worker-session.ts';
import { createDisposer } from '../shared/base/disposer.ts';
import { isVakError, VakError } from '../shared/base/vak-error.ts';
import type { WorkerHost } from './worker-host.ts';
import type { ChannelQueue, ChannelQueueDeps } from './worker-queue.ts';

type Configuration = Extract<MainFrame, { kind: 'configure' }>;

interface Worker {
  /** Where it works, or what it believes, is another now. */
  follow(frame: FollowFrame): void;
  /** Gives back what it has claimed, says `ended`, tells main how far the chain came, erases the keys. */
  stop(options: StopOptions): Promise<void>;
}

type FollowFrame = Extract<MainFrame, { kind: 'work' | 'leave' | 'policy' | 'secrets' }>;

/** Exit codes of the program, as every `vak` command has them. */
const exitCodes = { done: 0, failed: 1, badInput: 2, unreachable: 3 } as const;
/** Longest reason in a frame. */
const maxReasonLength = 1024;
/** How long main may take to answer `drained` before the process goes anyway, ms. */
const farewellMs = 1_000;

/** Asked by main: it gives 3 s, so the command gets less. */
const drainLimits = { cause: 'worker-stopping', finishWithinMs: 500, graceMs: 1_000 } as const;
/** Asked by a signal. */
const signalLimits = { cause: 'worker-stopping', finishWithinMs: 2_000, graceMs: 2_000 } as const;
const hurriedLimits = { cause: 'worker-stopping', finishWithinMs: 0, graceMs: 500 } as const;

/** What a worker is started with. */
interface WorkerStart {
  readonly port: ChannelPort;
  readonly host: WorkerHost;
  readonly configuration: Configuration;
  /** Told once if an event could not be sealed, signed or handed over, and why. */
  readonly onSilenced: (reason: string) => void;
}

/** Takes the credentials, begins the session, serves its control subjects. Throws what is wrong with the credentials. */
function startWorker({ port, host, configuration, onSilenced }: WorkerStart): Worker {
  const { clock, randomness, logger } = host;
  const { workspace, peer, session, commanders, resumes } = configuration;
  const held = createDisposer();
  const own = held.add(takeCredentials(configuration.credentials, configuration));
  const post = (frame: WorkerFrame): void => port.post(frame);
  const guardian = held.add(createGuardian({ logger, marker: sessionMarker(session) }));
  const groups: GroupWatch = {
    started(pgid) {
      guardian.add(pgid);
      post({ kind: 'group-started', pgid });
    },
    ended(pgid) {
      guardian.remove(pgid);
      post({ kind: 'group-ended', pgid });
    },
  };
  const bus = createChannelBus({ port, clock, logger });
  const registry = createSecretRegistry({ source: own.secrets, clock });
  const heads = held.add(createChannelHeadStore({ post, clock, resumes }));
  const author = createEnvelopeAuthor({
    ...{ workspace, peer, session, kind: 'e', signer: own.signer, clock, randomness, heads },
    sealer: createEnvelopeSealer({ registry, peer, clock, randomness }),
  });
  const outlet = createEnvelopeOutlet({ bus, author, logger, onFailure: onSilenced });
  const { queue } = configuration;
  const worker = createWorkerSession({
    ...{ ...host, outlet, groups, workspace, peer, session },
    // Who is at a queue tells of its tasks there.
    ...(queue === null ? { onTaskEnded: (taskId, outcome) => post({ kind: 'task-ended', taskId, outcome }) } : {}),
  });
  let { policy } = configuration;
  const atQueue =
    queue === null ? undefined : openQueue({ port, host, own, queue, session: worker, policy: () => policy, post });
  const { rootPublic } = own;
  const gate = createCommandGate({ workspace, rootPublic, commanders, clock, checks: createRecordChecks() });
  const commanded = atQueue === undefined ? worker : commandedAt(atQueue, configuration);
  held.add(serveWorkerControl({ bus, logger, gate, worker: commanded, workspace, peer, session }));
  return {
    follow(frame) {
      if (frame.kind === 'policy') policy = frame.policy;
      else if (frame.kind === 'secrets') own.secrets.replace(frame);
      else void atQueue?.then((one) => (frame.kind === 'work' ? one.work(frame) : one.leave(frame.lane)));
    },
    async stop(options) {
      await Promise.all([worker.stop(options), atQueue?.then((one) => one.stop(options.finishWithinMs))]);
      if (outlet.lostCount > 0) logger.error('worker.unpublished', { count: outlet.lostCount });
      registry.forget();
      held.dispose();
    },
  };
}

/** Read only here: a worker that is given commands needs neither outbox nor records, and starts the sooner for it. */
async function openQueue(deps: ChannelQueueDeps): Promise<ChannelQueue> {
  const { createChannelQueue } = await import('./worker-queue.ts');
  return createChannelQueue(deps);
}

/** What a worker at a queue may be asked: to end what it has claimed there. */
function commandedAt(
  atQueue: Promise<ChannelQueue>,
  { peer, queue }: Configuration,
): Pick<WorkerSession, 'start' | 'cancel'> {
  return {
    start() {
      throw new VakError('unsupported', `run: ${peer} takes its tasks from queue ${queue}; put the task there`);
    },
    cancel: async (taskId) => await (await atQueue).cancel(taskId),
  };
}

/** Serves until main says `exit`, the channel closes, or a signal ends it; then calls `host.exit`. */
export function runOnChannel(port: ChannelPort, host: WorkerHost): void {
  const { clock, logger, exit } = host;
  const post = (frame: WorkerFrame): void => port.post(frame);
  let worker: Worker | undefined;
  let isLeaving = false;

  async function leave(options: StopOptions): Promise<void> {
    const isFirst = !isLeaving;
    isLeaving = true;
    await worker?.stop(options);
    if (!isFirst) return;
    post({ kind: 'drained', reason: options.reason });
    clock.setTimer(farewellMs, () => exit(exitCodes.done));
  }

  async function leaveAlone(): Promise<void> {
    isLeaving = true;
    await worker?.stop({ reason: 'the channel closed', cause: 'bus-closed', finishWithinMs: 0, graceMs: 500 });
    exit(exitCodes.unreachable);
  }

  /** A worker whose words do not get out is of no use, and must not look as if it were (E8). */
  function onSilenced(why: string): void {
    const reason = `it could not publish: ${why}`.slice(0, maxReasonLength);
    // It may be in the middle of a command's event, or of its own start.
    clock.defer(() => void leave({ reason, ...hurriedLimits }));
  }

  function configure(frame: Configuration): void {
    if (worker !== undefined || isLeaving) {
      logger.warn('worker.configured-twice');
      return;
    }
    try {
      worker = startWorker({ port, host, configuration: frame, onSilenced });
    } catch (error) {
      if (!isVakError(error)) throw error;
      refuse(error.message, exitCodes.badInput);
      return;
    }
    post({ kind: 'ready', pid: process.pid });
  }

  function refuse(reason: string, code: number): void {
    post({ kind: 'refused', reason });
    logger.error('worker.refused', { reason });
    isLeaving = true;
    clock.setTimer(farewellMs, () => exit(code));
  }

  function checkRuntime(): void {
    try {
      requireSelfTest(host.selfTest());
    } catch (error) {
      if (!isVakError(error)) throw error;
      refuse(error.message, exitCodes.failed);
    }
  }

  function onFrame(frame: MainFrame): void {
    switch (frame.kind) {
      case 'configure':
        configure(frame);
        return;
      case 'drain':
        void leave({ reason: 'stopped by main', ...drainLimits });
        return;
      case 'exit':
        exit(exitCodes.done);
        return;
      case 'work':
      case 'leave':
      case 'policy':
      case 'secrets':
        if (!isLeaving || frame.kind === 'leave') worker?.follow(frame);
        return;
    }
  }

  port.onMessage((value) => {
    const frame = readMainFrame(value);
    if (typeof frame === 'object') return onFrame(frame);
    if (frame === 'foreign') return;
    logger.warn('worker.malformed-frame');
    if (worker === undefined && !isLeaving) refuse('the first frame is no valid configuration', exitCodes.badInput);
  });
  port.onClose(() => void leaveAlone());
  checkRuntime();
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
    process.on(signal, () => void leave({ reason: signal, ...(isLeaving ? hurriedLimits : signalLimits) }));
  }
}
