/** The worker as a process of the app: main tells it who it is, and it serves main's bus until told to go. */
import { createChannelBus } from '../engine/bus/channel/channel-bus.ts';
import type { ChannelPort } from '../engine/bus/channel/channel-port.ts';
import { requireSelfTest } from '../engine/crypto/require-self-test.ts';
import { type OwnCredentials, takeCredentials } from '../engine/identity/own-credentials.ts';
import { type MainFrame, readMainFrame, type WorkerFrame } from '../engine/swarm/worker-frames.ts';
import { sessionMarker } from '../engine/work/command-environment.ts';
import type { GroupWatch } from '../engine/work/command-runner.ts';
import { createGuardian, type Guardian } from '../engine/work/guardian.ts';
import { createWorkerSession, type StopOptions, type WorkerSession } from '../engine/work/worker-session.ts';
import { isVakError } from '../shared/base/vak-error.ts';
import type { WorkerHost } from './worker-host.ts';

type Configuration = Extract<MainFrame, { kind: 'configure' }>;

interface Worker {
  readonly session: WorkerSession;
  readonly guardian: Guardian;
}

/** Exit codes of the program, as every `vak` command has them. */
const exitCodes = { done: 0, failed: 1, badInput: 2, unreachable: 3 } as const;
/** How long main may take to answer `drained` before the process goes anyway, ms. */
const farewellMs = 1_000;

/** Asked by main: it gives 3 s, so the command gets less. */
const drainLimits = { cause: 'worker-stopping', finishWithinMs: 500, graceMs: 1_000 } as const;
/** Asked by a signal. */
const signalLimits = { cause: 'worker-stopping', finishWithinMs: 2_000, graceMs: 2_000 } as const;
const hurriedLimits = { cause: 'worker-stopping', finishWithinMs: 0, graceMs: 500 } as const;

function startWorker(port: ChannelPort, host: WorkerHost, { workspace, peer, session }: Configuration): Worker {
  const { clock, logger } = host;
  const guardian = createGuardian({ logger, marker: sessionMarker(session) });
  const post = (frame: WorkerFrame): void => port.post(frame);
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
  return { guardian, session: createWorkerSession({ ...host, bus, groups, workspace, peer, session }) };
}

/** Serves until main says `exit`, the channel closes, or a signal ends it; then calls `host.exit`. */
export function runOnChannel(port: ChannelPort, host: WorkerHost): void {
  const { clock, logger, exit } = host;
  const post = (frame: WorkerFrame): void => port.post(frame);
  let worker: Worker | undefined;
  let credentials: OwnCredentials | undefined;
  let isLeaving = false;

  async function stopWorker(options: StopOptions): Promise<void> {
    await worker?.session.stop(options);
    worker?.guardian.dispose();
    credentials?.dispose();
  }

  async function leave(options: StopOptions): Promise<void> {
    const isFirst = !isLeaving;
    isLeaving = true;
    await stopWorker(options);
    if (!isFirst) return;
    post({ kind: 'drained', reason: options.reason });
    clock.setTimer(farewellMs, () => exit(exitCodes.done));
  }

  async function leaveAlone(): Promise<void> {
    isLeaving = true;
    await stopWorker({ reason: 'the channel closed', cause: 'bus-closed', finishWithinMs: 0, graceMs: 500 });
    exit(exitCodes.unreachable);
  }

  function configure(frame: Configuration): void {
    if (worker !== undefined || isLeaving) {
      logger.warn('worker.configured-twice');
      return;
    }
    try {
      credentials = takeCredentials(frame.credentials, frame);
    } catch (error) {
      if (!isVakError(error)) throw error;
      refuse(error.message, exitCodes.badInput);
      return;
    }
    worker = startWorker(port, host, frame);
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
    if (frame.kind === 'configure') configure(frame);
    else if (frame.kind === 'drain') void leave({ reason: 'stopped by main', ...drainLimits });
    else exit(exitCodes.done);
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
