/** The window and its frame: what it shows, what it may do, how it starts and ends. */
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, type Page } from '@playwright/test';
import { call, readSnapshot } from './support/bridge.ts';
import { livingOf } from './support/processes.ts';
import { shareWorkbench, startCommand, test, type Workbench } from './support/workbench.ts';

const views = [
  'Operations Center',
  'Streams',
  'Queues',
  'Dead letters',
  'Trace',
  'Approvals',
  'Rooms',
  'Identity & access',
  'Settings',
] as const;

const themeOf = (page: Page): Promise<string | undefined> =>
  page.evaluate(() => document.documentElement.dataset['theme']);

function deniedCount(workbench: Workbench, what: string): number {
  return workbench.readLog().filter((line) => line['event'] === 'window.denied' && line['what'] === what).length;
}

test.describe('the window', () => {
  const shared = shareWorkbench();

  test('opens and shows the workbench', async () => {
    const { app, page } = shared();
    await expect(page).toHaveTitle('Streams — Vak Workbench');
    await expect(page.getByRole('navigation', { name: 'Views' }).getByRole('button')).toHaveCount(views.length);
    await expect(page.getByRole('button', { name: 'Start the local swarm' })).toBeVisible();
    await expect(page.getByLabel('Throughput and cost')).toBeVisible();
    expect(page.url()).toBe('app://workbench/index.html');
    const windows = await app.evaluate(({ BrowserWindow }) =>
      BrowserWindow.getAllWindows().map((window) => window.isVisible()),
    );
    expect(windows).toEqual([true]);
  });

  test('has the bridge and nothing else of Electron or Node in its page', async () => {
    const { app, page } = shared();
    const found = await page.evaluate(() => ({
      bridge: Object.keys(window.bridge),
      node: ['require', 'process', 'module', 'exports', 'Buffer', 'global', '__dirname', 'setImmediate'].filter(
        (name) => name in window,
      ),
      isFrozen: Object.isFrozen(window.bridge),
    }));
    expect(found).toEqual({ bridge: ['invoke', 'cancel', 'onSnapshot', 'openFeed'], node: [], isFrozen: true });
    const preferences = await app.evaluate(({ BrowserWindow }) => {
      const contents = BrowserWindow.getAllWindows()[0]?.webContents as unknown as {
        getLastWebPreferences(): Record<string, unknown>;
      };
      return contents.getLastWebPreferences();
    });
    expect(preferences).toMatchObject({
      sandbox: true,
      contextIsolation: true,
      nodeIntegration: false,
      webSecurity: true,
      webviewTag: false,
    });
    expect(preferences['nodeIntegrationInSubFrames']).not.toBe(true);
    expect(preferences['nodeIntegrationInWorker']).not.toBe(true);
  });

  test('has a content policy that refuses code, styles, frames and network that are not its own', async () => {
    const { page, takeProblems } = shared();
    const outcome = await page.evaluate(async () => {
      const refused: string[] = [];
      const onRefused = (event: SecurityPolicyViolationEvent): void => {
        refused.push(event.effectiveDirective);
      };
      document.addEventListener('securitypolicyviolation', onRefused);
      const element = (name: string, fields: Record<string, unknown>): HTMLElement => {
        const created = Object.assign(document.createElement(name), fields);
        document.body.append(created);
        return created;
      };
      // In a task of its own: what the test's own channel evaluates is let through by the policy.
      const hasEvalRun = await new Promise<boolean>((resolve) => {
        setTimeout(() => {
          try {
            (Reflect.get(window, 'eval') as (code: string) => unknown)('1');
            resolve(true);
          } catch {
            resolve(false);
          }
        });
      });
      const made = [
        element('script', { textContent: 'window.hasInlineRun = true' }),
        element('style', { textContent: 'body { outline: 7px solid red }' }),
        element('iframe', { src: 'https://example.com/' }),
        element('img', { src: 'https://example.com/x.png' }),
        element('object', { data: 'https://example.com/x.swf' }),
        element('script', { src: 'https://example.com/x.js' }),
      ];
      const attributes = element('p', {});
      attributes.setAttribute('style', 'outline: 7px solid red');
      attributes.setAttribute('onclick', 'window.hasInlineRun = true');
      attributes.click();
      const fetched = await fetch('https://example.com/').then(
        () => 'answered',
        () => 'refused',
      );
      const beaconed = await fetch('app://workbench/index.html').then(
        () => 'answered',
        () => 'refused',
      );
      const socket = await new Promise<string>((resolve) => {
        try {
          const opened = new WebSocket('wss://example.com/');
          opened.onopen = () => resolve('open');
          opened.onerror = () => resolve('refused');
        } catch {
          resolve('refused');
        }
      });
      const worker = await new Promise<string>((resolve) => {
        try {
          const started = new Worker('data:text/javascript,postMessage(1)');
          started.onmessage = () => resolve('ran');
          started.onerror = () => resolve('refused');
        } catch {
          resolve('refused');
        }
      });
      // Reports of frames and plugins come when their loading begins, which is after all that was waited for above.
      await new Promise<void>((resolve) => {
        const check = (): void => (new Set(refused).size >= 10 ? resolve() : void setTimeout(check, 10));
        setTimeout(resolve, 5000);
        check();
      });
      const outlines = [document.body, attributes].map((each) => getComputedStyle(each).outlineStyle);
      document.removeEventListener('securitypolicyviolation', onRefused);
      for (const each of [...made, attributes]) each.remove();
      const hasInlineRun = 'hasInlineRun' in window;
      return {
        refused: [...new Set(refused)].sort(),
        hasEvalRun,
        hasInlineRun,
        fetched,
        beaconed,
        socket,
        worker,
        outlines,
      };
    });
    expect(outcome).toEqual({
      refused: [
        'connect-src',
        'frame-src',
        'img-src',
        'object-src',
        'script-src',
        'script-src-attr',
        'script-src-elem',
        'style-src-attr',
        'style-src-elem',
        'worker-src',
      ],
      hasEvalRun: false,
      hasInlineRun: false,
      fetched: 'refused',
      beaconed: 'refused',
      socket: 'refused',
      worker: 'refused',
      outlines: ['none', 'none'],
    });
    expect(takeProblems().filter((problem) => !/Content Security Policy|violates/.test(problem))).toEqual([]);
  });

  test('gets no permission', async () => {
    const { page } = shared();
    const states = await page.evaluate(async () => {
      const names = ['geolocation', 'notifications', 'clipboard-read', 'camera', 'microphone', 'midi'];
      const queried = await Promise.all(
        names.map(async (name) => (await navigator.permissions.query({ name: name as PermissionName })).state),
      );
      const refusal = async (asked: Promise<unknown>): Promise<string> =>
        asked.then(
          () => 'granted',
          (error: { name?: string }) => String(error.name),
        );
      const location = await new Promise<number | string>((resolve) => {
        navigator.geolocation.getCurrentPosition(
          () => resolve('granted'),
          ({ code }) => resolve(code),
        );
      });
      return {
        queried: [...new Set(queried)],
        location,
        notifications: await Notification.requestPermission(),
        clipboard: await refusal(navigator.clipboard.readText()),
      };
    });
    expect(states).toEqual({
      queried: ['denied'],
      location: 1,
      notifications: 'denied',
      clipboard: 'NotAllowedError',
    });
  });

  test('shows each of the nine views by Ctrl and its number, and by the arrows of the rail', async () => {
    const { page } = shared();
    for (const [index, title] of views.entries()) {
      await page.keyboard.press(`Control+${index + 1}`);
      await expect(page.getByRole('main').getByRole('region', { name: title, exact: true }).first()).toBeVisible();
      await expect(page.getByRole('heading', { level: 1 }).filter({ visible: true })).toHaveText(title);
      const item = page.getByRole('navigation', { name: 'Views' }).getByRole('button', { name: title, exact: true });
      await expect(item).toHaveAttribute('aria-current', 'page');
      await expect(page).toHaveTitle(`${title} — Vak Workbench`);
    }
    await page.getByRole('button', { name: 'Settings', exact: true }).focus();
    await page.keyboard.press('Home');
    for (const title of views) {
      await expect(page.getByRole('button', { name: title, exact: true })).toBeFocused();
      await page.keyboard.press('Enter');
      await expect(page).toHaveTitle(`${title} — Vak Workbench`);
      await page.keyboard.press('ArrowDown');
    }
    await page.keyboard.press('Control+2');
    await expect(page).toHaveTitle('Streams — Vak Workbench');
  });

  test('opens the palette by Ctrl+K, runs what is chosen, and gives the focus back', async () => {
    const { page } = shared();
    await page.getByTestId('live-table').focus();
    await page.keyboard.press('Control+k');
    const palette = page.getByRole('dialog', { name: 'Search or run' });
    await expect(palette).toBeVisible();
    await page.keyboard.type('dark theme');
    await expect(palette.getByRole('option')).toHaveCount(1);
    await page.keyboard.press('Enter');
    await expect(palette).toBeHidden();
    await expect.poll(() => themeOf(page)).toBe('dark');
    await expect(page.getByTestId('live-table')).toBeFocused();
    await page.keyboard.press('Control+k');
    await expect(palette).toBeVisible();
    await page.keyboard.press('Escape');
    await expect(palette).toBeHidden();
    await expect(page.getByTestId('live-table')).toBeFocused();
  });

  test('is light, dark, or as the system is', async () => {
    const { app, page } = shared();
    const ground = (): Promise<string> => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    const look = async (): Promise<unknown> => [await themeOf(page), await ground()];
    await page.keyboard.press('Control+9');
    await page.getByRole('radio', { name: /^Dark/ }).check();
    await expect.poll(look).toEqual(['dark', 'rgb(15, 17, 21)']);
    await page.getByRole('radio', { name: /^Light/ }).check();
    await expect.poll(look).toEqual(['light', 'rgb(255, 255, 255)']);
    await page.getByRole('radio', { name: /^System/ }).check();
    // Main follows the setting too, a moment later.
    await expect.poll(() => app.evaluate(({ nativeTheme }) => nativeTheme.themeSource)).toBe('system');
    for (const theme of ['dark', 'light'] as const) {
      await app.evaluate(({ nativeTheme }, source) => {
        nativeTheme.themeSource = source;
      }, theme);
      await expect.poll(() => themeOf(page)).toBe(theme);
    }
    await page.keyboard.press('Control+2');
  });
});

test.describe('the app', () => {
  test('goes nowhere else and opens no other window', async ({ workbench }) => {
    // An app of its own: Playwright goes on waiting for the end of a navigation that main has denied.
    const { app, page } = workbench;
    await page.evaluate(() => Object.assign(window, { isSamePage: true }));
    const before = { navigation: deniedCount(workbench, 'navigation'), window: deniedCount(workbench, 'new window') };
    await page.evaluate(() => location.assign('https://example.com/'));
    await expect.poll(() => deniedCount(workbench, 'navigation')).toBe(before.navigation + 1);
    await page.evaluate(() => location.assign('app://workbench/other.html'));
    await expect.poll(() => deniedCount(workbench, 'navigation')).toBe(before.navigation + 2);
    expect(await page.evaluate(() => window.open('https://example.com/') === null)).toBe(true);
    await expect.poll(() => deniedCount(workbench, 'new window')).toBe(before.window + 1);
    await page.evaluate(() => {
      const link = Object.assign(document.createElement('a'), { href: 'https://example.com/', target: '_blank' });
      document.body.append(link);
      link.click();
      link.remove();
    });
    await expect.poll(() => deniedCount(workbench, 'new window')).toBe(before.window + 2);
    await page.evaluate(() => {
      const form = Object.assign(document.createElement('form'), { action: 'https://example.com/', method: 'post' });
      const refused = new Promise((resolve) => {
        document.addEventListener('securitypolicyviolation', (event) => resolve(event.effectiveDirective), {
          once: true,
        });
      });
      document.body.append(form);
      form.submit();
      form.remove();
      return refused;
    });
    expect(workbench.takeProblems().filter((problem) => !problem.includes('form-action'))).toEqual([]);
    expect(page.url()).toBe('app://workbench/index.html');
    expect(await page.evaluate(() => 'isSamePage' in window)).toBe(true);
    expect(await app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows().length)).toBe(1);
  });

  test('without the sandbox, unless development means it, it says why it does not start', async ({ profile }) => {
    const mark = `E2E_START=${randomUUID()}`;
    const { executablePath, args, env } = await startCommand(profile, mark);
    const { VAK_DEV_NO_SANDBOX: _, ...rest } = env;
    const child = spawn(executablePath, [...args, '--no-sandbox'], { env: rest, stdio: ['ignore', 'ignore', 'pipe'] });
    let said = '';
    child.stderr.on('data', (bytes: Buffer) => {
      said += bytes.toString('latin1');
    });
    try {
      await expect.poll(() => said, { timeout: 15_000 }).toContain('without its sandbox');
      expect(existsSync(join(profile, 'engine'))).toBe(false);
    } finally {
      for (const { pid } of livingOf(mark, profile)) process.kill(pid, 'SIGKILL');
      await expect.poll(() => livingOf(mark, profile)).toEqual([]);
    }
  });

  test('leaves no process when its window is closed while the swarm runs', async ({ workbench }) => {
    const { app, page, living, rememberSessions, readLog } = workbench;
    await call(page, 'swarm.start', { workers: 4 });
    await expect
      .poll(
        async () => (await readSnapshot(page, 'swarm.state')).workers.filter(({ state }) => state === 'busy').length,
      )
      .toBeGreaterThan(1);
    await rememberSessions();
    expect(living().filter((line) => line.includes('guardian of'))).toHaveLength(4);
    const program = app.process();
    const ended = new Promise((resolve) => program.once('exit', (code) => resolve(code)));
    await app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.close());
    expect(await ended).toBe(0);
    expect(living()).toEqual([]);
    expect(readLog().map(({ event }) => event)).toContain('app.stopped');
  });
});
