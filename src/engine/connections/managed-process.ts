/**
 * One process of the managed server (product.md "Engines and headless peers").
 * Law: it listens on loopback only, gets nothing of our environment, and counts as started when it greets by its name.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { utf8 } from '../../shared/base/bytes.ts';
import { VakError } from '../../shared/base/vak-error.ts';
import { writeFileAtomically } from '../identity/atomic-file.ts';
import type { Clock } from '../ports/clock.ts';
import { delay } from '../wait.ts';
import { greets, type ManagedRecord } from './managed-record.ts';

export interface ManagedProcess {
  readonly pid: number;
  /** Resolves when it has ended, for whatever reason. */
  readonly ended: Promise<void>;
  hasEnded(): boolean;
  /** Asks it to end, and kills it if it does not. */
  end(): Promise<void>;
}

export interface LaunchOptions {
  /** Path of the program. */
  readonly program: string;
  readonly folder: string;
  readonly at: Pick<ManagedRecord, 'port' | 'serverName'>;
  /** `NAME=value` by which the guardian knows its processes. */
  readonly marker: string;
  readonly clock: Clock;
  /** Told of the pid as soon as there is one. */
  readonly onSpawned: (pid: number) => void;
}

const startMs = 15_000;
const endMs = 5_000;
const lookMs = 25;

/** A message of 1 MiB and its headers. */
const maxPayloadBytes = 1024 * 1024 + 64 * 1024;

/** Paths in it are relative to the folder. Reserved space is not written: the streams' own bounds decide. `nkey`: the public key (`U…`). */
export async function writeServerConfig(
  folder: string,
  { port, serverName }: LaunchOptions['at'],
  nkey: string,
): Promise<void> {
  const text = `server_name: "${serverName}"
listen: "127.0.0.1:${port}"
max_payload: ${maxPayloadBytes}
log_file: "server.log"
logfile_size_limit: 1MB
jetstream { store_dir: "store", max_mem: 256MB, max_file: 64GB }
authorization { users: [ { nkey: "${nkey}" } ] }
`;
  await writeFileAtomically(join(folder, 'server.conf'), utf8(text));
}

/** Whether it is so within a time. */
export async function pollUntil(
  isSo: () => boolean | Promise<boolean>,
  limitMs: number,
  clock: Clock,
): Promise<boolean> {
  const endsMs = clock.monotonic() + limitMs;
  while (!(await isSo())) {
    if (clock.monotonic() >= endsMs) return false;
    await delay(clock, lookMs);
  }
  return true;
}

function follow(child: ChildProcess, clock: Clock): Omit<ManagedProcess, 'pid'> {
  let hasEnded = false;
  const ended = new Promise<void>((resolve) => {
    const settle = (): void => {
      hasEnded = true;
      resolve();
    };
    child.on('error', () => {
      // Of a program that never ran there is no exit.
      if (child.pid === undefined) settle();
    });
    child.on('exit', settle);
  });
  return {
    ended,
    hasEnded: () => hasEnded,
    async end() {
      if (hasEnded) return;
      child.kill('SIGTERM');
      // What is stopped hears no signal but KILL.
      if (!(await pollUntil(() => hasEnded, endMs, clock))) child.kill('SIGKILL');
      await ended;
    },
  };
}

/** Starts a process and waits until it greets. Throws `spawn-failed`; nothing of it runs then. */
export async function launchServer(options: LaunchOptions): Promise<ManagedProcess> {
  const { program, folder, at, marker, clock } = options;
  const [name = '', value = ''] = marker.split('=');
  // A group of its own: what a terminal sends to ours must not end it before we do.
  const child = spawn(program, ['-c', 'server.conf'], {
    ...{ cwd: folder, detached: true, stdio: 'ignore', windowsHide: true },
    env: { [name]: value },
  });
  const followed = follow(child, clock);
  if (child.pid !== undefined) options.onSpawned(child.pid);
  const isUp = await pollUntil(async () => followed.hasEnded() || (await greets(at, clock)), startMs, clock);
  if (isUp && !followed.hasEnded() && child.pid !== undefined) return { ...followed, pid: child.pid };
  const why = followed.hasEnded() ? 'ended before it answered' : `did not answer within ${startMs} ms`;
  await followed.end();
  throw new VakError('spawn-failed', `nats-server: ${why}; server.log in ${folder} says why`, { retryable: true });
}
