/**
 * Starts worker peers with Node's fork: for tests and for headless use; the app itself uses Electron's utility processes.
 * Law: nothing secret goes by environment or arguments; the peer learns who it is over the channel.
 */
import { fork } from 'node:child_process';
import { toDisposable } from '../../shared/base/disposer.ts';
import { createForkPort } from '../bus/channel/fork-port.ts';
import type { Logger } from '../ports/logger.ts';
import { inheritedEnvironment } from '../work/command-environment.ts';
import { type LaunchedPeer, logStderr, type PeerExit } from './launched-peer.ts';

/** What launching takes. */
export interface ForkLauncherOptions {
  /** The built program: `out/peers/worker.js`. */
  readonly entry: string;
  /** What the worker and its commands inherit; the app's own variables are taken out. */
  readonly environment: NodeJS.ProcessEnv;
  readonly logger: Logger;
}

/** Creates a launcher over `child_process.fork`. A peer that cannot start tells it by `onExit`. */
export function createForkLauncher({ entry, environment, logger }: ForkLauncherOptions) {
  return (peer: string): LaunchedPeer => {
    const child = fork(entry, [], {
      execArgv: [],
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
      env: inheritedEnvironment(environment),
    });
    if (child.stderr !== null) logStderr(child.stderr, peer, logger);
    const listeners = new Set<(exit: PeerExit) => void>();
    let exit: PeerExit | undefined;
    const tell = (how: PeerExit): void => {
      if (exit !== undefined) return;
      exit = how;
      for (const listener of listeners) listener(how);
    };
    child.on('exit', (exitCode, signal) => tell({ exitCode, signal }));
    child.on('error', (error) => {
      // Also a failed send or kill comes here; only without a pid it means that there is no process.
      if (child.pid === undefined) tell({ exitCode: null, signal: null, problem: error.message });
      else logger.warn('peer.error', { peer, message: error.message });
    });
    return {
      ...createForkPort(child),
      get pid() {
        return child.pid ?? null;
      },
      onExit(listener) {
        listeners.add(listener);
        return toDisposable(() => listeners.delete(listener));
      },
      kill: (signal) => void child.kill(signal),
    };
  };
}
