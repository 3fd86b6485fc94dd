/**
 * What the number means that Electron tells when a utility process has ended.
 * Law: the signal is told when it is known, else the number as it came.
 */
import { constants } from 'node:os';
import type { PeerExit } from '../../engine/swarm/launched-peer.ts';

/** Reads the code of a utility process's `exit` event. `sentSignal`: the last signal that we sent it. */
export function readExitCode(code: number, sentSignal: string | null): PeerExit {
  const signal = Object.entries(constants.signals).find(([, number]) => number === code)?.[0];
  if (signal !== undefined && signal === sentSignal) return { exitCode: null, signal };
  return { exitCode: code, signal: null };
}
