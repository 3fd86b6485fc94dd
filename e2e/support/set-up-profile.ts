/**
 * A profile that has had its first start, made once a run by the real `vak id new`; tests work on copies of it.
 * Law: the key store of a copy opens by the passphrase alone, as a person's does here.
 */
import { spawnSync } from 'node:child_process';
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

function run(name: string, profile: string, args: readonly string[], options: ProgramOptions = {}): ProgramRun {
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
  try {
    const program = join(ownProjectRoot, 'out', 'peers', `${name}.js`);
    const command = [program, '--profile', profile, ...args];
    const { status, stdout, stderr, error } = spawnSync(process.execPath, command, {
      ...{ env, encoding: 'utf8' },
      input: options.input ?? '',
    });
    if (status === null) throw error ?? new Error(`${name} was ended by a signal`);
    return { code: status, stdout, stderr };
  } finally {
    rmSync(folder, { recursive: true, force: true });
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
