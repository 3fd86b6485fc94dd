/**
 * Starts worker peers as Electron's utility processes.
 * Law: nothing secret goes by environment or arguments; the peer learns who it is over the channel.
 */
import type { Readable } from 'node:stream';
import { type UtilityProcess, utilityProcess } from 'electron';
import type { Logger } from '../../engine/ports/logger.ts';
import { type LaunchedPeer, logStderr, type PeerExit } from '../../engine/swarm/launched-peer.ts';
import { inheritedEnvironment } from '../../engine/work/command-environment.ts';
import { sendSignal } from '../../engine/work/end-processes.ts';
import { toDisposable } from '../../shared/base/disposer.ts';
import { readExitCode } from './utility-exit.ts';

/** What launching takes. */
export interface UtilityLauncherOptions {
  /** The built program: `out/peers/worker.js`. */
  readonly entry: string;
  /** What the worker and its commands inherit; this process's if left out. The app's own variables are taken out. */
  readonly environment?: NodeJS.ProcessEnv;
  readonly logger: Logger;
}

function onEvent<Listener>(
  add: (listener: Listener) => void,
  remove: (listener: Listener) => void,
  listener: Listener,
) {
  add(listener);
  return toDisposable(() => remove(listener));
}

function toLaunchedPeer(child: UtilityProcess): LaunchedPeer {
  const exitListeners = new Set<(exit: PeerExit) => void>();
  const closeListeners = new Set<() => void>();
  let isGone = false;
  // Electron forgets the pid before it tells of the exit, and knows none before `spawn`.
  let isKillDue: 'SIGTERM' | 'SIGKILL' | undefined;

  function kill(signal: 'SIGTERM' | 'SIGKILL'): void {
    if (isGone) return;
    if (child.pid === undefined) {
      isKillDue = signal;
      return;
    }
    sendSignal(child.pid, signal);
  }

  child.once('spawn', () => {
    if (isKillDue !== undefined) kill(isKillDue);
  });
  child.once('exit', (code) => {
    isGone = true;
    const exit = readExitCode(code);
    for (const listener of closeListeners) listener();
    for (const listener of exitListeners) listener(exit);
  });
  return {
    get pid() {
      return child.pid ?? null;
    },
    post(value) {
      if (!isGone) child.postMessage(value);
    },
    onMessage: (listener) =>
      onEvent<(value: unknown) => void>(
        (added) => child.on('message', added),
        (removed) => child.off('message', removed),
        listener,
      ),
    onClose: (listener) =>
      onEvent<() => void>(
        (added) => closeListeners.add(added),
        (removed) => closeListeners.delete(removed),
        listener,
      ),
    onExit: (listener) =>
      onEvent<(exit: PeerExit) => void>(
        (added) => exitListeners.add(added),
        (removed) => exitListeners.delete(removed),
        listener,
      ),
    // A utility process has no channel to close apart from itself.
    close: () => kill('SIGTERM'),
    kill,
  };
}

/** Creates a launcher over `utilityProcess.fork`; to be called after the app is ready. */
export function createUtilityLauncher({ entry, environment = process.env, logger }: UtilityLauncherOptions) {
  return (peer: string): LaunchedPeer => {
    const child = utilityProcess.fork(entry, [], {
      stdio: ['ignore', 'ignore', 'pipe'],
      env: inheritedEnvironment(environment),
      serviceName: `Vak ${peer}`,
    });
    if (child.stderr !== null) logStderr(child.stderr as Readable, peer, logger);
    return toLaunchedPeer(child);
  };
}
