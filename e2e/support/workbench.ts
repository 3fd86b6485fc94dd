/**
 * Starts the built app in the real Electron with a profile of its own, and ends it with everything that it started.
 * Law: an error on the page's console, an uncaught error or a process left behind fails the test.
 */
import { randomUUID } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test as base, type ElectronApplication, _electron as electron, expect, type Page } from '@playwright/test';
import { findElectron } from '../../scripts/electron-runtime.mjs';
import { ownProjectRoot } from '../../scripts/files.mjs';
import { electronEnv, rootSandbox } from '../../scripts/foreground.mjs';
import { readSnapshot } from './bridge.ts';
import { startOwnDisplay } from './own-display.ts';
import { describeLiving, type Living, livingGuardians, livingOf } from './processes.ts';
import { passGate } from './secret-entry.ts';
import { copySetUpProfile } from './set-up-profile.ts';

/** Program, arguments and environment of one start. */
export interface StartCommand {
  readonly executablePath: string;
  readonly args: string[];
  readonly env: Record<string, string>;
}

export interface Workbench {
  readonly app: ElectronApplication;
  readonly page: Page;
  /** The user-data folder. */
  readonly profile: string;
  /** How it was started. */
  readonly command: StartCommand;
  /** What the page's console and its uncaught errors said so far; the caller answers for what it takes. */
  takeProblems(): string[];
  /** Lines of the app's own log. */
  readLog(): readonly Record<string, unknown>[];
  /** What the app wrote to its stdout and stderr. */
  printed(): Buffer;
  /** Processes that live and belong to this start. */
  left(): readonly Living[];
  /** One line for each process that lives and belongs to this start. */
  living(): string[];
  /** Learns the sessions of the swarm, whose guardians are then among the living too. */
  rememberSessions(): Promise<void>;
  /** Quits as a user does and waits until all that it started is gone. */
  quit(): Promise<void>;
  /** Ends all that is left by force, and checks nothing. */
  kill(): Promise<void>;
  /** Ends all that is left, whatever state it is in; then checks that nothing had to be ended by force. */
  end(): Promise<void>;
}

/** Longest that the app may take to be gone with all that it started. */
const goneWithinMs = 15_000;

let runtime: Promise<string> | undefined;

/**
 * The executable, also where Playwright looks for it. Were it named to Playwright, Playwright would leave out its loader,
 * which keeps the app from beginning before Playwright listens; without it about one start in fifteen hangs on a busy machine.
 */
async function findRuntime(): Promise<string> {
  const { executable, origin } = await findElectron();
  if (origin === 'fallback') process.env['ELECTRON_OVERRIDE_DIST_PATH'] = dirname(executable);
  return executable;
}

/** The command line of the app over a profile; `mark` is inherited by every process that it starts. */
export async function startCommand(profile: string, mark: string): Promise<StartCommand> {
  runtime ??= findRuntime();
  const executable = await runtime;
  const sandbox = rootSandbox();
  const [name = '', value = ''] = mark.split('=');
  return {
    executablePath: executable,
    args: [...(sandbox?.args ?? []), ownProjectRoot, `--user-data-dir=${profile}`],
    env: electronEnv(process.env, { ...sandbox?.env, [name]: value }) as Record<string, string>,
  };
}

/** Makes a profile: one that has had its first start, or an empty one. */
function createProfile(kind: 'set-up' | 'fresh' = 'set-up'): string {
  const folder = mkdtempSync(join(tmpdir(), 'vak-e2e-'));
  if (kind === 'set-up') copySetUpProfile(folder);
  return folder;
}

/** Removes a profile. */
function removeProfile(profile: string): void {
  rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
}

function readLog(profile: string): readonly Record<string, unknown>[] {
  return readFileSync(join(profile, 'logs', 'workbench.log'), 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}

/** Starts the app, passes its gate and waits until its window shows the workbench. */
export async function startWorkbench(profile: string): Promise<Workbench> {
  const workbench = await startClosed(profile);
  try {
    await passGate(workbench.app, workbench.page);
  } catch (error) {
    await workbench.kill();
    throw error;
  }
  return workbench;
}

/** Shows Streams, where most tests begin; the app itself begins with the Operations Center. */
export async function showStreams(page: Page): Promise<void> {
  await page.keyboard.press('Control+2');
  await expect(page).toHaveTitle('Streams — Vak Workbench');
}

/** What a start has beside the profile. */
export interface StartOptions {
  /** Goes into its environment. */
  readonly env?: Readonly<Record<string, string>>;
  /** Arguments before, and after, those of every start. */
  readonly before?: readonly string[];
  readonly after?: readonly string[];
}

/** Starts the app and leaves its gate as it is. */
export async function startClosed(profile: string, options: StartOptions = {}): Promise<Workbench> {
  const mark = `E2E_START=${randomUUID()}`;
  const command = await startCommand(profile, mark);
  // `null`: the page sees the system's colours, as it does without a test.
  const app = await electron.launch({
    args: [...(options.before ?? []), ...command.args, ...(options.after ?? [])],
    env: { ...command.env, ...options.env },
    colorScheme: null,
    timeout: 30_000,
  });
  const program = app.process();
  let problems: string[] = [];
  let printed = '';
  for (const stream of [program.stdout, program.stderr])
    stream?.on('data', (bytes: Buffer) => {
      printed += bytes.toString('latin1');
    });
  app.context().on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning')
      problems.push(`console ${message.type()}: ${message.text()}`);
  });
  app.context().on('weberror', (error) => problems.push(`page error: ${error.error().message}`));
  const page = await app.firstWindow();
  const sessions = new Set<string>();
  const left = (): Living[] => [...livingOf(mark, profile), ...livingGuardians([...sessions])];
  const living = (): string[] => describeLiving(left());
  const hasEnded = (): boolean => program.exitCode !== null || program.signalCode !== null;
  const rememberSessions = async (): Promise<void> => {
    if (page.isClosed() || hasEnded() || !page.url().startsWith('app:')) return;
    // A closed gate shows nothing of the swarm.
    if ((await readSnapshot(page, 'identity.keyStore')).kind !== 'unlocked') return;
    const state = await readSnapshot(page, 'swarm.state');
    for (const { session } of state.workers) sessions.add(session);
  };
  const quit = async (): Promise<void> => {
    await rememberSessions();
    await app.close();
    await expect.poll(living, { timeout: goneWithinMs, message: 'processes that outlive the app' }).toEqual([]);
  };
  return {
    app,
    page,
    profile,
    command,
    takeProblems() {
      const taken = problems;
      problems = [];
      return taken;
    },
    readLog: () => readLog(profile),
    printed: () => Buffer.from(printed, 'latin1'),
    left,
    living,
    rememberSessions,
    quit,
    async kill() {
      for (const { pid } of left()) process.kill(pid, 'SIGKILL');
      await app.close().catch(() => undefined);
    },
    async end() {
      try {
        if (!hasEnded()) await quit();
        await expect.poll(living, { timeout: goneWithinMs, message: 'processes that outlive the app' }).toEqual([]);
        expect(problems, 'what the page complained of').toEqual([]);
        expect(
          readLog(profile).filter(({ level }) => level === 'error'),
          'errors in the log of the app',
        ).toEqual([]);
      } finally {
        for (const { pid } of left()) process.kill(pid, 'SIGKILL');
      }
    },
  };
}

export interface WorkbenchFixtures {
  /** An empty profile: the app begins with its first start. */
  readonly freshProfile: string;
  /** A profile that has had its first start. */
  readonly profile: string;
  /** The app, started anew for this test, with Streams in sight. */
  readonly workbench: Workbench;
}

/** Tests with an app of their own. */
export const test = base.extend<WorkbenchFixtures, { readonly display: undefined }>({
  display: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the needed fixtures from the pattern.
    async ({}, use, { parallelIndex }) => {
      // The first worker has the display that the run was started on.
      const display = parallelIndex === 0 ? undefined : await startOwnDisplay();
      if (display !== undefined) process.env['DISPLAY'] = display.name;
      await use(undefined);
      await display?.end();
    },
    { scope: 'worker', auto: true },
  ],
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the needed fixtures from the pattern.
  freshProfile: async ({}, use) => {
    const profile = createProfile('fresh');
    await use(profile);
    removeProfile(profile);
  },
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the needed fixtures from the pattern.
  profile: async ({}, use) => {
    const profile = createProfile();
    await use(profile);
    removeProfile(profile);
  },
  workbench: async ({ profile }, use) => {
    const workbench = await startWorkbench(profile);
    await showStreams(workbench.page);
    await use(workbench);
    await workbench.end();
  },
});

/** One app for all tests of a file or group that leave it as they found it, with Streams in sight at first; each test answers for its own problems. */
export function shareWorkbench(): () => Workbench {
  let shared: { readonly workbench: Workbench; readonly profile: string } | undefined;
  test.beforeAll(async () => {
    const profile = createProfile();
    shared = { profile, workbench: await startWorkbench(profile) };
    await showStreams(shared.workbench.page);
  });
  test.afterEach(() => {
    expect(shared?.workbench.takeProblems(), 'what the page complained of').toEqual([]);
  });
  test.afterAll(async () => {
    try {
      await shared?.workbench.end();
    } finally {
      if (shared !== undefined) removeProfile(shared.profile);
    }
  });
  return () => {
    if (shared === undefined) throw new Error('the shared app has not started');
    return shared.workbench;
  };
}

/** Sets the size of the page, in CSS pixels, and waits until it has it. */
export async function setPageSize({ app, page }: Pick<Workbench, 'app' | 'page'>, width: number, height: number) {
  await app.evaluate(({ BrowserWindow }, size) => BrowserWindow.getAllWindows()[0]?.setContentSize(size[0], size[1]), [
    width,
    height,
  ] as const);
  await page.waitForFunction((size) => innerWidth === size[0] && innerHeight === size[1], [width, height] as const);
}
