/** The built program `vak` as a real process, in a profile of its own for each test. */
import { type ChildProcess, spawn } from 'node:child_process';
import { chmodSync, cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'vitest';
import { buildTestPrograms, type TestPrograms } from './test-programs.ts';

/** Passphrases of every test; the canary looks for them. */
export const passphrase = 'canary: correct horse battery staple';
export const backupPassphrase = 'canary: another horse for the backup';
/** A JWT by its form. */
export const sampleJwt = `eyJhbGciOiJlZDI1NTE5LW5rZXkifQ.${Buffer.from('{"canary":"credentials"}').toString('base64url')}.Y2FuYXJ5`;

export interface Ran {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  /** Beside PATH, HOME and the files of passphrases; undefined takes a variable away. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  readonly stdin?: string;
  /** Leaves stdin open. */
  readonly isInputOpen?: boolean;
  readonly onStart?: (child: ChildProcess) => void;
}

/** What `id new` and `id show` print, as far as tests read it. */
export interface Self {
  readonly peer: string;
  readonly sign: string;
  readonly rootPublic: string;
  readonly backup: unknown;
  readonly grants: readonly { readonly roles: readonly string[] }[];
}

export interface VakProgram {
  /** The test's own folder, removed after it. */
  readonly folder: string;
  /** The profile that `vak` works on; changed by `switchProfile`. */
  readonly profile: string;
  readonly programs: TestPrograms;
  switchProfile(name: string): void;
  /** All that was printed since the test began. */
  printed(): string;
  /** Writes a file with mode 0600 and gives its path. */
  secretFile(name: string, content: string): string;
  vak(args: readonly string[], options?: RunOptions): Promise<Ran>;
  start(command: string, args: readonly string[], options?: RunOptions): Promise<Ran>;
  /** Runs `id new` and gives what it printed. */
  newSelf(...more: string[]): Promise<Self>;
}

/** A line on stderr that says something, and nothing else. */
export const oneLine = (text: RegExp): unknown =>
  expect.stringMatching(new RegExp(`^vak: (?:${text.source})[^\\n]*\\n$`));

export const json = <T>(text: string): T => JSON.parse(text) as T;
export const jsonLines = <T>(text: string): T[] =>
  text
    .trimEnd()
    .split('\n')
    .map(json<T>);

export interface PrepareOptions {
  /** `newSelf` makes one profile a file and copies it for each test: deriving keys for each is what takes the time. */
  readonly isSelfShared?: boolean;
}

/** Has the programs built, and gives each test a folder and a profile. */
export function prepareVak({ isSelfShared = false }: PrepareOptions = {}): VakProgram {
  let shared: { readonly path: string; readonly self: Self } | undefined;
  let programs: TestPrograms;
  let folder = '';
  let profile = '';
  let printed = '';

  beforeAll(async () => {
    programs = await buildTestPrograms();
  }, 120_000);
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'vak-cli-'));
    profile = join(folder, 'profile');
    printed = '';
    secretFile('pass', `${passphrase}\n`);
    secretFile('backup-pass', backupPassphrase);
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));
  afterAll(() => {
    if (shared !== undefined) rmSync(shared.path, { recursive: true, force: true });
  });

  function secretFile(name: string, content: string): string {
    const path = join(folder, name);
    writeFileSync(path, content);
    chmodSync(path, 0o600);
    return path;
  }

  function environmentOf(own: RunOptions['environment']): Record<string, string> {
    const all = {
      PATH: process.env['PATH'],
      HOME: join(folder, 'home'),
      VAK_PASSPHRASE_FILE: join(folder, 'pass'),
      VAK_BACKUP_PASSPHRASE_FILE: join(folder, 'backup-pass'),
      ...own,
    };
    return Object.fromEntries(Object.entries(all).filter((one): one is [string, string] => one[1] !== undefined));
  }

  function start(command: string, args: readonly string[], options: RunOptions = {}): Promise<Ran> {
    const child = spawn(command, args, { env: environmentOf(options.environment), stdio: 'pipe' });
    const said = { stdout: '', stderr: '' };
    for (const name of ['stdout', 'stderr'] as const) {
      child[name].setEncoding('utf8').on('data', (text: string) => {
        said[name] += text;
        printed += text;
      });
    }
    // A program that refuses its arguments does not wait for what it is sent.
    child.stdin.on('error', () => {});
    if (options.isInputOpen !== true) child.stdin.end(options.stdin ?? '');
    options.onStart?.(child);
    return new Promise((resolve) => child.on('close', (code) => resolve({ code, ...said })));
  }

  const vak: VakProgram['vak'] = (args, options) =>
    start(process.execPath, [programs.vak, '--profile', profile, ...args], options);

  return {
    get folder() {
      return folder;
    },
    get profile() {
      return profile;
    },
    get programs() {
      return programs;
    },
    switchProfile(name) {
      profile = join(folder, name);
    },
    printed: () => printed,
    secretFile,
    vak,
    start,
    async newSelf(...more) {
      if (shared !== undefined && more.length === 0) {
        cpSync(shared.path, profile, { recursive: true });
        return shared.self;
      }
      const { code, stdout, stderr } = await vak(['id', 'new', '--json', ...more]);
      expect([code, stderr]).toEqual([0, expect.stringMatching(/^identity \S+ is made/)]);
      const self = json<Self>(stdout);
      if (isSelfShared && more.length === 0) {
        shared = { path: mkdtempSync(join(tmpdir(), 'vak-cli-self-')), self };
        cpSync(profile, shared.path, { recursive: true });
      }
      return self;
    },
  };
}
