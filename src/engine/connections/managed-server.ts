/**
 * A `nats-server` of our own on loopback, with JetStream, that other programs of the user can join (product.md "Engines and headless peers").
 * Law: one server a folder, whoever asks; it ends with the process that started it, however that ends.
 */
import { once } from 'node:events';
import { mkdir } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { toHex } from '../../shared/base/bytes.ts';
import type { Disposable } from '../../shared/base/disposer.ts';
import { isVakError, VakError } from '../../shared/base/vak-error.ts';
import type { NatsAuth } from '../bus/nats/nats-auth.ts';
import { createFileLock } from '../identity/file-lock.ts';
import { createNkeySigner } from '../identity/nkey.ts';
import { birthPlace } from '../identity/process-birth.ts';
import type { Secret } from '../identity/secret.ts';
import type { Clock } from '../ports/clock.ts';
import type { Logger } from '../ports/logger.ts';
import type { Randomness } from '../ports/randomness.ts';
import { createGuardian } from '../work/guardian.ts';
import { watchJoinedServer } from './joined-server.ts';
import { createManagedKeeper } from './managed-keeper.ts';
import { launchServer, type ManagedProcess, pollUntil, writeServerConfig } from './managed-process.ts';
import {
  describeProcess,
  ensureSeed,
  greets,
  isLiving,
  type ManagedRecord,
  readRecord,
  urlOf,
  writeRecord,
} from './managed-record.ts';
import type { ManagedState } from './managed-state.ts';
import { type FindOnPath, findServerProgram } from './server-program.ts';

export interface ManagedServerOptions {
  /** Of its own: configuration, record, seed, log and store lie in it. */
  readonly folder: string;
  readonly clock: Clock;
  readonly randomness: Randomness;
  readonly logger: Logger;
  readonly findOnPath: FindOnPath;
}

export interface ManagedServer {
  /** `nats://127.0.0.1:<port>`; the same after a restart. */
  readonly url: string;
  /** False: another process started it, restarts it, and ends it. */
  readonly isOwner: boolean;
  /** Pid of its process; null while there is none, and where it is another's. */
  readonly pid: number | null;
  /** What a client proves itself with; erased by `stop`. */
  readonly auth: NatsAuth;
  state(): ManagedState;
  /** Called at each change, with the new one. */
  onState(listener: (state: ManagedState) => void): Disposable;
  /** Ends it; of another's server only lets go. */
  stop(): Promise<void>;
}

/** Starting one takes that long at most; whoever asks meanwhile waits for it. */
const lockMs = 60_000;
/** How long the server of a process that was killed may take to end, and one that is restarted to answer. */
const settleMs = 5_000;
const portTries = 3;

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const address = probe.address();
  probe.close();
  await once(probe, 'close');
  if (address === null || typeof address === 'string') throw new VakError('spawn-failed', 'no loopback port is free');
  return address.port;
}

/** What a process that was killed left running ends: by its guardian, or else by us. */
async function endLeftover({ server, place }: ManagedRecord, clock: Clock): Promise<void> {
  const isLeft = async (): Promise<boolean> => (await isLiving(server, place)) === true;
  if (await pollUntil(async () => !(await isLeft()), settleMs, clock)) return;
  if (server !== null && (await isLeft())) process.kill(server.pid, 'SIGKILL');
  await pollUntil(async () => !(await isLeft()), settleMs, clock);
}

/** The server that another process runs here; undefined if none does. */
async function findRunning(folder: string, record: ManagedRecord, clock: Clock): Promise<ManagedRecord | undefined> {
  let isOwned = await isLiving(record.owner, record.place);
  if (isOwned === undefined) return (await greets(record, clock)) ? record : undefined;
  let isRunning = false;
  // Its owner may be starting it again, or be about to die.
  await pollUntil(
    async () => {
      isRunning = isOwned === true && (await greets(record, clock));
      if (!isRunning) isOwned = await isLiving(record.owner, record.place);
      return isRunning || isOwned === false;
    },
    settleMs,
    clock,
  );
  if (isRunning) return record;
  if (isOwned === false) {
    await endLeftover(record, clock);
    return undefined;
  }
  throw new VakError(
    'disconnected',
    `managed server: the process ${record.owner?.pid} runs it in ${folder}, and it does not answer; end that process`,
    { retryable: true },
  );
}

/** Where it will listen: on the port that it had, so that who joined before finds it again. */
async function launchFirst(
  before: ManagedRecord | undefined,
  serverName: string,
  launch: (at: { readonly port: number; readonly serverName: string }) => Promise<ManagedProcess>,
): Promise<{ readonly process: ManagedProcess; readonly port: number }> {
  for (let attempt = 1; ; attempt++) {
    const port = attempt === 1 && before !== undefined ? before.port : await freePort();
    try {
      return { process: await launch({ port, serverName }), port };
    } catch (error) {
      // Most likely somebody has the port.
      if (attempt === portTries || !isVakError(error, 'spawn-failed')) throw error;
    }
  }
}

async function startOwn(
  options: ManagedServerOptions,
  before: ManagedRecord | undefined,
  seed: Secret,
): Promise<ManagedServer> {
  const { folder, clock, logger, randomness, findOnPath } = options;
  const { path: program, version } = await findServerProgram(findOnPath);
  const serverName = `vak-${toHex(randomness.bytes(8))}`;
  const marker = `VAK_MANAGED_SERVER=${serverName}`;
  const signer = createNkeySigner(seed);
  const { nkey } = signer;
  signer.dispose();
  const guardian = createGuardian({ logger, marker });
  let pid: number | null = null;

  async function launch(at: { readonly port: number; readonly serverName: string }): Promise<ManagedProcess> {
    await writeServerConfig(folder, at, nkey);
    let group: number | undefined;
    const strike = (): void => {
      if (group !== undefined) guardian.remove(group);
    };
    const onSpawned = (spawned: number): void => {
      group = spawned;
      guardian.add(spawned);
    };
    const launched = await launchServer({ program, folder, at, marker, clock, onSpawned }).catch((error: unknown) => {
      strike();
      throw error;
    });
    void launched.ended.then(strike);
    return launched;
  }

  async function note(port: number, running: ManagedProcess | null): Promise<void> {
    pid = running?.pid ?? null;
    await writeRecord(folder, {
      ...{ port, serverName, place: birthPlace() },
      owner: running && (await describeProcess(process.pid)),
      server: running && (await describeProcess(running.pid)),
    });
  }

  try {
    const { process: first, port } = await launchFirst(before, serverName, launch);
    try {
      await note(port, first);
    } catch (error) {
      await first.end();
      throw error;
    }
    logger.info('managed-server.started', { pid: first.pid, port, version });
    const keeper = createManagedKeeper(first, {
      ...{ clock, logger },
      launch: () => launch({ port, serverName }),
      onProcess: (running) => note(port, running),
    });
    return {
      url: urlOf({ port }),
      isOwner: true,
      get pid() {
        return pid;
      },
      auth: { kind: 'nkey', seed },
      state: keeper.state,
      onState: keeper.onState,
      async stop() {
        await keeper.stop();
        guardian.dispose();
        seed.dispose();
      },
    };
  } catch (error) {
    guardian.dispose();
    throw error;
  }
}

function joined(options: ManagedServerOptions, record: ManagedRecord, seed: Secret): ManagedServer {
  const watch = watchJoinedServer(options, record);
  return {
    url: urlOf(record),
    isOwner: false,
    pid: null,
    auth: { kind: 'nkey', seed },
    state: watch.state,
    onState: watch.onState,
    async stop() {
      watch.stop();
      seed.dispose();
    },
  };
}

/**
 * Starts the managed server of a folder, or joins the one that another process runs there.
 * Throws `not-found` (no nats-server on the path), `unsupported` (older than 2.9), `spawn-failed`, `disconnected`, `timeout`.
 */
export async function startManagedServer(options: ManagedServerOptions): Promise<ManagedServer> {
  const { folder, clock, randomness } = options;
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const lock = createFileLock({ path: join(folder, 'server.lock'), waitMs: lockMs, clock, randomness });
  return await lock.run(async () => {
    const record = await readRecord(folder);
    const running = record && (await findRunning(folder, record, clock));
    const seed = await ensureSeed(folder, randomness);
    try {
      return running === undefined ? await startOwn(options, record, seed) : joined(options, running, seed);
    } catch (error) {
      seed.dispose();
      throw error;
    }
  });
}
