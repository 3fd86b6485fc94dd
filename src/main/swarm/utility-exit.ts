/**
 * What the number means that Electron tells when a utility process has ended.
 * Law: a death by signal is told as such; measured on Electron 33: `exit(n)` and a death by signal n tell the same n.
 */
import { constants } from 'node:os';
import type { PeerExit } from '../../engine/swarm/launched-peer.ts';

/** Signals that end a process which does not handle them. Peers exit by themselves with 0–4 only, so these numbers are free. */
const deadlySignals = ['SIGABRT', 'SIGBUS', 'SIGFPE', 'SIGKILL', 'SIGSEGV', 'SIGTERM'] as const;

/** Reads the code of a utility process's `exit` event. */
export function readExitCode(code: number): PeerExit {
  const signal = deadlySignals.find((name) => constants.signals[name] === code);
  return signal === undefined ? { exitCode: code, signal: null } : { exitCode: null, signal };
}
