/**
 * A real nats-server for tests: its own loopback port and store folder, found on the PATH, ended by its process id.
 * Law: nothing of it outlives the test process, however that ends; a watchdog of the system's shell sees to it.
 */
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';

/** Subjects of nats-server: those that are allowed (nothing given: all), and those that are not, which win. */
export type NatsRights = readonly string[] | { readonly allow?: readonly string[]; readonly deny?: readonly string[] };

/** What a user may publish and subscribe to. Nothing given: everything. */
export interface NatsPermissions {
  readonly publish?: NatsRights;
  readonly subscribe?: NatsRights;
  /** May answer a request that it received, whatever `publish` says. */
  readonly allowResponses?: boolean;
}

/** Somebody who may connect: by name and password, or by the public half of an nkey (`U…`). */
export type NatsUser = ({ readonly user: string; readonly password: string } | { readonly nkey: string }) & {
  readonly permissions?: NatsPermissions;
};

/** PEM texts. With `ca` and `verify` the client must show a certificate of that authority. */
export interface NatsServerTls {
  readonly cert: string;
  readonly key: string;
  readonly ca?: string;
  readonly verify?: boolean;
}

export interface NatsServerOptions {
  /** A free one unless given: to stand where another one stood. */
  readonly port?: number;
  /** On unless false. */
  readonly jetStream?: boolean;
  readonly users?: readonly NatsUser[];
  readonly token?: string;
  readonly tls?: NatsServerTls;
  /** Of header and data together; 1 MiB and 64 KiB for the header unless told otherwise. */
  readonly maxPayloadBytes?: number;
  /** Appended to the configuration: operator, resolver, accounts, limits… */
  readonly config?: string;
}

export interface NatsServer {
  /** `nats://127.0.0.1:<port>`, with TLS `tls://…`. */
  readonly url: string;
  readonly port: number;
  /** Of the process that runs now or ran last; changes with `restart`. */
  readonly pid: number;
  readonly storeFolder: string;
  /** Whether the process is alive (it may be paused). */
  isRunning(): boolean;
  /** What it logged last, at most 64 KiB. */
  log(): string;
  /** Replaces the appended configuration; a running server has reloaded it when this resolves, and throws what it refused. */
  config(text: string): Promise<void>;
  /** Sends a signal. One that ends a process (KILL, TERM, INT) is awaited, and the store stays for `restart`. */
  kill(signal?: NodeJS.Signals): Promise<void>;
  /** Resolves when the present process has ended: after SIGUSR2 (lame duck), say. */
  exited(): Promise<void>;
  /** Hangs it (SIGSTOP): connections stay open and nothing answers. */
  pause(): void;
  resume(): void;
  /** Ends it if it runs, and starts it again on the same port and store. */
  restart(): Promise<void>;
  /** Ends it and removes its folder. */
  stop(): Promise<void>;
}

/** A stop reaches a busy program's threads one after the other; until all have it, it still answers. Told by Linux alone. */
function waitUntilStopped(pid: number | undefined): void {
  const folder = `/proc/${pid}/task`;
  const endsMs = performance.now() + stopTimeoutMs;
  const isStopped = (thread: string): boolean => {
    const [, afterName = ''] = readFileSync(join(folder, thread, 'stat'), 'utf8').split(/\) (?=[A-Z] )/);
    return afterName.startsWith('T');
  };
  while (existsSync(folder) && !readdirSync(folder).every(isStopped))
    if (performance.now() > endsMs) throw new Error(`nats-server ${pid} did not stop within ${stopTimeoutMs} ms`);
}

const startTimeoutMs = 10_000;
const stopTimeoutMs = 5_000;
const maxLogCharacters = 64 * 1024;
const defaultMaxPayload = 1024 * 1024 + 64 * 1024;
const endingSignals: readonly NodeJS.Signals[] = ['SIGKILL', 'SIGTERM', 'SIGINT'];

/** A process of the server, and the watchdog that ends it and removes its folder when the test process is gone. */
interface Running {
  readonly child: ChildProcessByStdio<null, null, Readable>;
  readonly pid: number;
  readonly ended: Promise<void>;
  hasEnded: boolean;
  log: string;
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const address = probe.address();
  probe.close();
  await once(probe, 'close');
  if (address === null || typeof address === 'string') throw new Error('no loopback port is free');
  return address.port;
}

/** Text between quotes in a configuration file; JSON's escapes are a part of its own. */
const quoted = (text: string): string => JSON.stringify(text);

/** A block of those members that there are. */
function block(members: Readonly<Record<string, string | undefined>>): string {
  const given = Object.entries(members).filter(([, value]) => value !== undefined);
  return `{ ${given.map(([name, value]) => `${name}: ${value}`).join(', ')} }`;
}

const listOf = (subjects: readonly string[] | undefined): string | undefined =>
  subjects && `[${subjects.map(quoted).join(', ')}]`;

function rightsBlock(rights: NatsRights | undefined): string | undefined {
  if (rights === undefined) return undefined;
  const { allow, deny } = 'length' in rights ? { allow: rights, deny: undefined } : rights;
  return block({ allow: listOf(allow), deny: listOf(deny) });
}

function permissionsBlock({ publish, subscribe, allowResponses }: NatsPermissions): string {
  return block({
    publish: rightsBlock(publish),
    subscribe: rightsBlock(subscribe),
    allow_responses: allowResponses === true ? 'true' : undefined,
  });
}

function userBlock(user: NatsUser): string {
  const permissions = user.permissions && permissionsBlock(user.permissions);
  return 'nkey' in user
    ? block({ nkey: quoted(user.nkey), permissions })
    : block({ user: quoted(user.user), password: quoted(user.password), permissions });
}

function authorizationBlock({ users, token }: NatsServerOptions): string {
  if (users !== undefined) return `authorization { users: [${users.map(userBlock).join(', ')}] }`;
  return token === undefined ? '' : `authorization { token: ${quoted(token)} }`;
}

/** Writes the PEM files, and gives the block that names them. */
function tlsBlock(folder: string, tls: NatsServerTls | undefined): string {
  if (tls === undefined) return '';
  const fileOf = (name: string, pem: string): string => {
    const path = join(folder, name);
    writeFileSync(path, pem, { mode: 0o600 });
    return quoted(path);
  };
  const ca = tls.ca === undefined ? '' : `ca_file: ${fileOf('ca.pem', tls.ca)}`;
  return `tls { cert_file: ${fileOf('cert.pem', tls.cert)}, key_file: ${fileOf('key.pem', tls.key)}
    ${ca}
    verify: ${tls.verify === true} }`;
}

/** Everything of the configuration but the port and what is appended. */
function baseConfig(folder: string, options: NatsServerOptions): string {
  // 30 s is the least that is allowed; clients are let go one a second after the grace period.
  return `
server_name: ${quoted(`test-${folder.slice(-6)}`)}
max_payload: ${options.maxPayloadBytes ?? defaultMaxPayload}
lame_duck_duration: "30s"
lame_duck_grace_period: "200ms"
${options.jetStream === false ? '' : `jetstream { store_dir: ${quoted(join(folder, 'store'))}, max_mem: 1GB, max_file: 64GB }`}
${authorizationBlock(options)}
${tlsBlock(folder, options.tls)}
`;
}

/** Waits for the server's first line to a client. */
async function greets(port: number): Promise<boolean> {
  const socket = connect({ host: '127.0.0.1', port });
  try {
    socket.setTimeout(1_000, () => socket.destroy());
    const line = await new Promise<string>((resolve) => {
      socket.once('data', (data) => resolve(data.toString('latin1')));
      socket.once('error', () => resolve(''));
      socket.once('close', () => resolve(''));
    });
    return line.startsWith('INFO ');
  } finally {
    socket.destroy();
  }
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Asks until it is so, at most `timeoutMs`. */
async function poll(isSo: () => boolean | Promise<boolean>, timeoutMs: number): Promise<boolean> {
  const end = performance.now() + timeoutMs;
  while (!(await isSo())) {
    if (performance.now() > end) return false;
    await pause(10);
  }
  return true;
}

/** Ends the process and removes the folder as soon as its input closes: when whoever started it is gone. */
const watchdogScript = `trap '' INT TERM HUP; read -r line; kill -9 "$1"; rm -rf "$2"`;

function launch(folder: string): Running {
  const child = spawn('nats-server', ['-c', join(folder, 'server.conf')], { stdio: ['ignore', 'ignore', 'pipe'] });
  let markEnded = (): void => {};
  const ended = new Promise<void>((resolve) => {
    markEnded = resolve;
  });
  // A name that is not on the PATH has no pid, and 'error' follows.
  const running: Running = { child, pid: child.pid ?? -1, ended, hasEnded: false, log: '' };
  const watchdog = spawn('sh', ['-c', watchdogScript, 'watchdog', String(running.pid), folder], {
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  const onEnd = (why: string): void => {
    running.hasEnded = true;
    running.log += why;
    watchdog.kill('SIGKILL');
    markEnded();
  };
  watchdog.stdin.on('error', () => {});
  watchdog.on('error', () => {});
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    running.log = (running.log + text).slice(-maxLogCharacters);
  });
  child.on('error', (error) => onEnd(String(error)));
  child.on('exit', () => onEnd(''));
  return running;
}

/** A process that greets, or an error that holds its log. */
async function launchWhole(folder: string, port: number): Promise<Running> {
  const running = launch(folder);
  const isUp = await poll(async () => running.hasEnded || (await greets(port)), startTimeoutMs);
  if (isUp && !running.hasEnded) return running;
  running.child.kill('SIGKILL');
  await running.ended;
  throw new Error(`nats-server did not start on port ${port}: ${running.log}`);
}

async function endProcess(running: Running, signal: NodeJS.Signals): Promise<void> {
  if (running.hasEnded) return;
  running.child.kill(signal);
  // What is paused takes no signal but KILL before it goes on.
  running.child.kill('SIGCONT');
  if (await poll(() => running.hasEnded, stopTimeoutMs)) return;
  running.child.kill('SIGKILL');
  await running.ended;
}

/** Has the configuration read again. Throws what the server says against it. */
async function reload({ child, ended }: Running): Promise<void> {
  const answer = await new Promise<string>((resolve) => {
    const listen = (text: string): void => {
      const found = /Reloaded server configuration|Failed to reload server configuration.*/.exec(text)?.[0];
      if (found !== undefined) settle(found);
    };
    const timer = setTimeout(() => settle('nats-server did not answer a reload'), stopTimeoutMs);
    const settle = (text: string): void => {
      clearTimeout(timer);
      child.stderr.off('data', listen);
      resolve(text);
    };
    child.stderr.on('data', listen);
    void ended.then(() => settle('nats-server ended'));
    child.kill('SIGHUP');
  });
  if (answer !== 'Reloaded server configuration') throw new Error(answer);
}

/** Takes a port that is free; another one if somebody was faster. */
async function launchFirst(
  folder: string,
  wantedPort: number | undefined,
  writeConfig: (port: number) => void,
): Promise<{ readonly running: Running; readonly port: number }> {
  for (let attempt = 1; ; attempt += 1) {
    const port = wantedPort ?? (await freePort());
    writeConfig(port);
    try {
      return { running: await launchWhole(folder, port), port };
    } catch (error) {
      if (attempt === 3 || !String(error).includes('address already in use')) throw error;
    }
  }
}

/** Starts a server and waits until it greets. The caller stops it. */
export async function startNatsServer(options: NatsServerOptions = {}): Promise<NatsServer> {
  const folder = mkdtempSync(join(tmpdir(), 'vak-nats-'));
  const storeFolder = join(folder, 'store');
  mkdirSync(storeFolder);
  const base = baseConfig(folder, options);
  const removeFolder = (): void => rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  let appended = options.config ?? '';
  const writeConfig = (port: number): void =>
    writeFileSync(join(folder, 'server.conf'), `listen: "127.0.0.1:${port}"\n${base}\n${appended}\n`, { mode: 0o600 });
  const first = await launchFirst(folder, options.port, writeConfig).catch((error: unknown) => {
    removeFolder();
    throw error;
  });
  const { port } = first;
  let { running } = first;

  const onExit = (): void => {
    running.child.kill('SIGKILL');
    removeFolder();
  };
  process.once('exit', onExit);

  return {
    url: `${options.tls === undefined ? 'nats' : 'tls'}://127.0.0.1:${port}`,
    port,
    storeFolder,
    get pid() {
      return running.pid;
    },
    isRunning: () => !running.hasEnded,
    log: () => running.log,
    async config(text) {
      appended = text;
      writeConfig(port);
      if (!running.hasEnded) await reload(running);
    },
    async kill(signal = 'SIGKILL') {
      if (endingSignals.includes(signal)) await endProcess(running, signal);
      else running.child.kill(signal);
    },
    exited: () => running.ended,
    pause() {
      running.child.kill('SIGSTOP');
      waitUntilStopped(running.child.pid);
    },
    resume: () => void running.child.kill('SIGCONT'),
    async restart() {
      await endProcess(running, 'SIGTERM');
      running = await launchWhole(folder, port);
    },
    async stop() {
      await endProcess(running, 'SIGTERM');
      process.off('exit', onExit);
      removeFolder();
    },
  };
}
