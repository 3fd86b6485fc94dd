/**
 * A profile that has had its first start, made once a run by the real `vak id new`; tests work on copies of it.
 * Law: the key store of a copy opens by the passphrase alone, as a person's does here.
 */
import { spawn, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ownProjectRoot } from '../../scripts/files.mjs';

/** Opens every profile that is not a test's own. */
export const passphrase = 'seven lanterns cross the velvet harbour';

/** What a run of a program gave. */
export interface ProgramRun {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface ProgramOptions {
  /** Passphrase of the key store, given in a file; the one of every set-up profile unless said otherwise. */
  readonly passphrase?: string;
  readonly backupPassphrase?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** What its standard input gives; nothing unless said otherwise. */
  readonly input?: Uint8Array;
}

/** Runs the built `vak` on a profile, as a script would: the passphrase in a file of mode 0600 that lies elsewhere. */
export function vak(profile: string, args: readonly string[], options?: ProgramOptions): ProgramRun {
  return run('vak', profile, args, options);
}

/** Runs the built `worker` in the same way. */
export function worker(profile: string, args: readonly string[], options?: ProgramOptions): ProgramRun {
  return run('worker', profile, args, options);
}

/** A program that runs beside the test. */
export interface StartedProgram {
  readonly ended: Promise<ProgramRun>;
  /** Ends it at once, if it has not ended. */
  kill(): void;
}

/** Starts the built `worker`, as `worker` runs it. */
export function startWorker(profile: string, args: readonly string[]): StartedProgram {
  return startProgram('worker', profile, args);
}

/** Starts a service of the built `vak`, as `vak` runs it. */
export function startVak(profile: string, args: readonly string[]): StartedProgram {
  return startProgram('vak', profile, args);
}

function startProgram(name: string, profile: string, args: readonly string[]): StartedProgram {
  const { command, env, remove } = prepareRun(name, profile, args);
  const child = spawn(process.execPath, command, { env, stdio: ['ignore', 'pipe', 'pipe'] });
  const said = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (text: string) => {
      said[name] += text;
    });
  }
  const ended = new Promise<ProgramRun>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => {
      remove();
      resolve({ code: code ?? -1, ...said });
    });
  });
  return { ended, kill: () => void child.kill('SIGKILL') };
}

/** What a run takes; `remove` when it is over. */
function prepareRun(name: string, profile: string, args: readonly string[], options: ProgramOptions = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'vak-e2e-pass-'));
  const file = (name: string, text: string): string => {
    const path = join(folder, name);
    writeFileSync(path, text, { mode: 0o600 });
    return path;
  };
  const env = {
    ...process.env,
    VAK_PASSPHRASE_FILE: file('key-store', options.passphrase ?? passphrase),
    ...(options.backupPassphrase === undefined
      ? {}
      : { VAK_BACKUP_PASSPHRASE_FILE: file('backup', options.backupPassphrase) }),
    ...options.env,
  };
  const command = [join(ownProjectRoot, 'out', 'peers', `${name}.js`), '--profile', profile, ...args];
  return { command, env, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

function run(name: string, profile: string, args: readonly string[], options: ProgramOptions = {}): ProgramRun {
  const { command, env, remove } = prepareRun(name, profile, args, options);
  try {
    const { status, stdout, stderr, error } = spawnSync(process.execPath, command, {
      ...{ env, encoding: 'utf8' },
      input: options.input ?? '',
    });
    if (status === null) throw error ?? new Error(`${name} was ended by a signal`);
    return { code: status, stdout, stderr };
  } finally {
    remove();
  }
}

let prepared: string | undefined;

function prepare(): string {
  const folder = mkdtempSync(join(tmpdir(), 'vak-e2e-set-up-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  const { code, stderr } = vak(folder, ['id', 'new', '--name', 'Operator']);
  if (code !== 0 || !existsSync(join(folder, 'key-store.json'))) throw new Error(`vak id new: ${code}: ${stderr}`);
  return folder;
}

/** Copies the set-up profile into an empty folder. */
export function copySetUpProfile(target: string): void {
  prepared ??= prepare();
  cpSync(prepared, target, { recursive: true });
}
