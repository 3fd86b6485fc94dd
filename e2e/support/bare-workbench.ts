/**
 * The app as it runs without a test: nothing emulated. Playwright's own start makes every page believe that it is seen and
 * has the focus, so a hidden window could not be told from a shown one.
 */
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { type Browser, chromium, expect, type Page } from '@playwright/test';
import { describeLiving, livingOf } from './processes.ts';
import { passGate } from './secret-entry.ts';
import { type StartCommand, startCommand } from './workbench.ts';

/** What tells its processes from others. */
export interface Started {
  readonly mark: string;
  readonly profile: string;
}

interface Debugged {
  readonly page: Page;
  signal(name: NodeJS.Signals): void;
  /** Closes the window, as a person does, and checks that nothing is left. */
  end(): Promise<void>;
}

export interface BareWorkbench extends Pick<Debugged, 'page' | 'end'> {
  /** Hides or shows the window, as the system does. */
  setHidden(isHidden: boolean): Promise<void>;
}

/** Loaded into main before the app: the window hides and shows by signal, as no debugger is attached that could be asked. */
const windowBySignal = `
const { BrowserWindow } = require('electron');
process.on('SIGUSR2', () => BrowserWindow.getAllWindows()[0].hide());
process.on('SIGCONT', () => BrowserWindow.getAllWindows()[0].show());
`;

/** Connects to the window of a program that has just been started, once it shows the workbench. */
async function connect(program: ChildProcessByStdio<null, null, Readable>): Promise<{ browser: Browser; page: Page }> {
  const address = await new Promise<string>((resolve, reject) => {
    program.once('exit', (code) => reject(new Error(`the app ended with ${code} before it listened`)));
    createInterface({ input: program.stderr }).on('line', (line) => {
      const found = /^DevTools listening on (ws:\S+)$/.exec(line)?.[1];
      if (found !== undefined) resolve(found);
    });
  });
  const browser = await chromium.connectOverCDP(address, { noDefaults: true });
  const context = browser.contexts()[0];
  const page = context?.pages()[0] ?? (await context?.waitForEvent('page'));
  if (page === undefined) throw new Error('the app has no page');
  await passGate({ nextWindow: () => context?.waitForEvent('page') ?? Promise.reject(new Error('no context')) }, page);
  return { browser, page };
}

/** Starts a program with Chromium's debugger, passes the gate, and waits until its window shows the workbench. */
export async function startDebugged(
  { executablePath, args, env }: StartCommand,
  { mark, profile }: Started,
): Promise<Debugged> {
  const program = spawn(executablePath, [...args, '--remote-debugging-port=0'], {
    env,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const { browser, page } = await connect(program).catch((error: unknown) => {
    program.kill('SIGKILL');
    throw error;
  });
  const problems: string[] = [];
  page.on('pageerror', (error) => problems.push(error.message));
  return {
    page,
    signal: (name) => program.kill(name),
    async end() {
      const living = (): string[] => describeLiving(livingOf(mark, profile));
      try {
        await page.evaluate(() => window.close());
        await browser.close();
        await expect.poll(living, { timeout: 15_000, message: 'processes that outlive the app' }).toEqual([]);
        expect(problems).toEqual([]);
      } finally {
        for (const { pid } of livingOf(mark, profile)) process.kill(pid, 'SIGKILL');
      }
    },
  };
}

/** Starts the app over a profile and waits until its window shows the workbench. */
export async function startBareWorkbench(profile: string): Promise<BareWorkbench> {
  const mark = `E2E_START=${randomUUID()}`;
  const command = await startCommand(profile, mark);
  const hook = join(profile, 'window-by-signal.cjs');
  writeFileSync(hook, windowBySignal);
  const { page, signal, end } = await startDebugged(
    { ...command, args: ['-r', hook, ...command.args] },
    { mark, profile },
  );
  return {
    page,
    end,
    async setHidden(isHidden) {
      signal(isHidden ? 'SIGUSR2' : 'SIGCONT');
      await expect
        .poll(() => page.evaluate(() => document.visibilityState), { message: 'visibility of the page' })
        .toBe(isHidden ? 'hidden' : 'visible');
    },
  };
}
