/** A real nats-server beside the program `vak`: one a test file, and what tests of bus commands wait for. */
import type { ChildProcess } from 'node:child_process';
import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import type { Fabric } from '../../src/engine/bus/fabric.ts';
import { connectNats } from '../../src/engine/bus/nats/nats-fabric.ts';
import { provision } from '../../src/engine/bus/provision.ts';
import { createSystemClock } from '../../src/engine/ports/clock.ts';
import { createSilentLogger } from '../../src/engine/ports/logger.ts';
import { createSystemRandomness } from '../../src/engine/ports/randomness.ts';
import { type NatsServer, type NatsServerOptions, startNatsServer } from './nats-server.ts';
import type { Ran, RunOptions, VakProgram } from './vak-program.ts';

/** A line of `vak subscribe --open`. */
export interface OpenedLine {
  readonly subject: string;
  readonly envelope: { readonly id: string; readonly seqnum: string; readonly keyid?: string };
  readonly payload: unknown;
  readonly payload_base64: string | null;
  readonly trust: { readonly signature: string; readonly seal: string; readonly refusal?: { readonly reason: string } };
}

/** A client of the test's own, which it closes, of the servers of one cluster. */
export function connectForTest(...urls: readonly string[]): Promise<Fabric> {
  return connectNats({
    ...{ clock: createSystemClock(), randomness: createSystemRandomness(), logger: createSilentLogger() },
    ...{ servers: urls, name: 'test', inboxPrefix: '_INBOX.test' },
  });
}

export interface PreparedServer {
  readonly server: NatsServer;
  /** The option that names it. */
  url(): readonly string[];
  /** A client of the test's own, which it closes. */
  connect(): Promise<Fabric>;
  /** Makes what `vak provision` makes, without starting it. */
  provision(workspace?: string): Promise<void>;
}

/** Buckets of what peers are: those of one test, whose profile is gone, are none of the next one's, which may have the same root. */
async function forgetPeers(url: string): Promise<void> {
  const { durable, close } = await connectForTest(url);
  try {
    for (const bucket of ['CARDS', 'GRANTS']) await durable.deleteStream(`KV_VAK_${bucket}_default`);
  } finally {
    await close();
  }
}

/** Starts a server before the tests of a file, and stops it after them. */
export function prepareServer(options: NatsServerOptions = {}): PreparedServer {
  let server: NatsServer | undefined;
  beforeAll(async () => {
    server = await startNatsServer(options);
  });
  const isOpen = options.users === undefined && options.token === undefined && options.config === undefined;
  if (isOpen && options.tls === undefined && options.jetStream !== false) afterEach(() => forgetPeers(get().url));
  afterAll(() => server?.stop());
  const get = (): NatsServer => {
    if (server === undefined) throw new Error('the server has not started');
    return server;
  };
  return {
    get server() {
      return get();
    },
    url: () => ['--nats-url', get().url],
    connect: () => connectForTest(get().url),
    async provision(workspace = 'default') {
      const fabric = await connectForTest(get().url);
      try {
        await provision(fabric.durable, workspace);
      } finally {
        await fabric.close();
      }
    },
  };
}

/** A `vak` that runs. */
export interface Listener {
  readonly child: ChildProcess;
  readonly ended: Promise<Ran>;
  /** Resolves when stderr has said it. */
  says(text: RegExp): Promise<void>;
  stdout(): string;
}

/** Starts `vak`, and resolves when stderr has said that it is where the test wants it. */
export async function startUntil(
  { vak }: VakProgram,
  args: readonly string[],
  { text, ...options }: RunOptions & { readonly text: RegExp },
): Promise<Listener> {
  const said = { stdout: '', stderr: '' };
  let child: ChildProcess | undefined;
  const ended = vak(args, {
    ...options,
    onStart(started) {
      child = started;
      started.stdout?.on('data', (piece: string) => {
        said.stdout += piece;
      });
      started.stderr?.on('data', (piece: string) => {
        said.stderr += piece;
      });
    },
  });
  const says = async (wanted: RegExp): Promise<void> => {
    await expect.poll(() => said.stderr, { timeout: 15_000, interval: 20 }).toMatch(wanted);
  };
  await says(text);
  if (child === undefined) throw new Error('the program did not start');
  return { child, ended, says, stdout: () => said.stdout };
}

/** Starts `vak subscribe`, and resolves when it listens. */
export function startListener(
  program: VakProgram,
  args: readonly string[],
  environment: NonNullable<RunOptions['environment']> = {},
): Promise<Listener> {
  return startUntil(program, ['subscribe', ...args], { environment, text: /listening to/ });
}
