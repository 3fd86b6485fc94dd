// `npm run screenshots`: set-up, build, then the pictures of the README from the real app with its local swarm running,
// into docs/images. `node scripts/screenshots.mjs <folder>` writes them elsewhere.
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { ensureBuilt } from './build.mjs';
import { isStartedScript, ownProjectRoot } from './files.mjs';
import { electronEnv, needsVirtualDisplay, rootSandbox, runInForeground } from './foreground.mjs';
import { runMain, say } from './report.mjs';
import { takeRooms } from './screenshots-rooms.mjs';
import { setUp } from './set-up.mjs';

/** Wide enough for every column of the stream; no higher, so that each picture stays below 300 KB. */
const size = { width: 1440, height: 740 };
/** Of the pictures' own profile, which is removed after. */
const passphrase = 'only for the pictures of the readme';
/** Set for the run under a virtual display, which does the work. */
const innerVariable = 'VAK_SCREENSHOTS_UNDER_DISPLAY';

/** Starts the app with an empty profile, as the end-to-end tests do. */
async function launch({ executable, origin }, profile) {
  // Named to Playwright directly, it would leave out its loader and race with the app.
  if (origin === 'fallback') process.env.ELECTRON_OVERRIDE_DIST_PATH = dirname(executable);
  const { _electron } = await import('playwright');
  const sandbox = rootSandbox();
  return await _electron.launch({
    args: [...(sandbox?.args ?? []), ownProjectRoot, `--user-data-dir=${profile}`],
    env: electronEnv(process.env, sandbox?.env),
    colorScheme: null,
  });
}

/** The first start as a person does it: one button, and a passphrase in the window that asks for it. */
async function passFirstStart(app, page) {
  const create = page.getByTestId('gate-create');
  await create.waitFor();
  const [entry] = await Promise.all([app.waitForEvent('window'), create.click()]);
  await entry.getByTestId('entry-field').fill(passphrase);
  await entry.getByTestId('entry-repeat').fill(passphrase);
  await Promise.all([entry.waitForEvent('close'), entry.getByTestId('entry-submit').click()]);
  await page.getByRole('navigation', { name: 'Views' }).waitFor();
}

/** The window at its size, with the swarm at work and enough passed for every panel to have something to show. */
async function startSwarm(app) {
  const page = await app.firstWindow();
  await passFirstStart(app, page);
  await app.evaluate(({ BrowserWindow }, wanted) => {
    BrowserWindow.getAllWindows()[0].setContentSize(wanted.width, wanted.height);
  }, size);
  await page.waitForFunction(
    (wanted) => window.innerWidth === wanted.width && window.innerHeight === wanted.height,
    size,
  );
  await page.getByRole('button', { name: 'Start the local swarm' }).click();
  await page.keyboard.press('Control+2');
  await page.locator('[data-testid="tree-item"][data-state="live"]').nth(3).waitFor();
  await page.waitForFunction(
    (least) => Number(document.querySelector('[data-testid="received-count"]')?.getAttribute('data-count')) > least,
    300,
    { timeout: 120_000 },
  );
  return page;
}

async function chooseTheme(page, theme) {
  await page.keyboard.press('Control+9');
  await page.getByRole('radio', { name: theme === 'dark' ? /^Dark/ : /^Light/ }).check();
}

/** A picture without what hovers or blinks by chance. */
async function take(page, folder, name) {
  await page.mouse.move(0, 0);
  await page.locator('.notice').waitFor({ state: 'detached' });
  await page.screenshot({ path: join(folder, `${name}.png`), animations: 'disabled', caret: 'hide' });
  say('screenshot', `${name}.png`);
}

/** The live table with a message of a terminal selected, while newer rows wait below it. */
async function takeStreams(page, folder, theme) {
  await chooseTheme(page, theme);
  await page.keyboard.press('Control+2');
  await page.locator('[data-id="all"]').click();
  await page.getByTestId('live-table').focus();
  await page.keyboard.press('End');
  // Paused for the choice: rows do not pass under the pointer.
  await page.getByTestId('pause-button').click();
  await page.getByTestId('live-row').filter({ hasText: '.terminal' }).last().click();
  await page.getByTestId('pause-button').click();
  await page.getByTestId('inspector-overview').getByText('vak.events.terminal', { exact: true }).first().waitFor();
  await page.getByTestId('new-rows-pill').waitFor();
  await take(page, folder, `streams-${theme}`);
}

/** The session of a worker that runs something: one of them waits for an answer and prints nothing. */
function busySession(page) {
  return page.evaluate(
    () =>
      new Promise((resolve) => {
        const stop = window.bridge.onSnapshot(({ name, text }) => {
          if (name !== 'swarm.state') return;
          const busy = JSON.parse(text).workers.find(({ task }) => task !== null && !task.isWaiting);
          if (busy === undefined) return;
          stop();
          resolve(busy.session);
        });
      }),
  );
}

/** The session of a worker that has printed, with both charts drawn. */
async function takeSession(page, folder) {
  await page.locator(`[data-testid="tree-item"][data-id="session:${await busySession(page)}"]`).click();
  await page.getByTestId('mode-session').click();
  await page.waitForFunction(() => document.querySelector('.xterm-rows')?.textContent?.trim() !== '');
  await page.locator('[data-testid="session-state"]', { hasText: 'busy' }).waitFor({ timeout: 60_000 });
  await page.getByTestId('telemetry-readout').waitFor();
  await page.getByTestId('session-tasks').getByRole('listitem').nth(2).waitFor({ timeout: 60_000 });
  await take(page, folder, 'session-dark');
  await page.getByTestId('mode-messages').click();
}

/** A message that was tampered with, and the page of the inspector that says what was changed. */
async function takeTampered(page, folder) {
  await page.keyboard.press('Control+2');
  await page.locator('[data-id="all"]').click();
  await page.getByTestId('live-table').focus();
  await page.keyboard.press('End');
  for (const tampering of ['signature', 'ciphertext', 'replay', 'metadata'])
    await page.evaluate(
      (one) => window.bridge.invoke(crypto.randomUUID(), 'developer.tamper', { tampering: one }),
      tampering,
    );
  await page.getByTestId('pause-button').click();
  await page.getByTestId('live-row').filter({ hasText: 'does not verify' }).last().click();
  await page.getByRole('tab', { name: 'Encryption' }).click();
  await page.getByTestId('inspector-encryption').getByText('was changed after sealing').waitFor();
  await take(page, folder, 'tampered-dark');
  await page.getByRole('tab', { name: 'Overview' }).click();
  await page.getByTestId('pause-button').click();
}

/** What the policy says of a worker of the swarm, and what else it reaches. */
async function takeIdentity(page, folder) {
  await page.keyboard.press('Control+8');
  await page.keyboard.press('2');
  await page.getByTestId('grant-worker-4').click();
  await page.keyboard.press('t');
  await page.getByTestId('what-if-subject').fill('vak.work.default.local.task');
  await page.locator('[data-testid="what-if-answer"][data-answer="denied"]').waitFor();
  await take(page, folder, 'identity-dark');
}

/** The queue of the swarm, and what became of its tasks. */
async function takeQueues(page, folder) {
  await page.keyboard.press('Control+3');
  await page.locator('[data-testid="queue-table"] [data-key="local"]').click();
  await page.getByRole('tab', { name: 'Outcomes' }).click();
  await page.locator('[data-testid="outcome-dead"]:not([data-count="0"])').waitFor({ timeout: 120_000 });
  await take(page, folder, 'queues-dark');
  await page.keyboard.press('Escape');
}

/** Tasks that cannot succeed: what each prints, how it ends, and how many of it there are. */
const failing = [
  { count: 6, code: 70, says: "TypeError: Cannot read properties of undefined (reading 'frames')" },
  { count: 3, code: 74, says: 'OSError: [Errno 28] No space left on device' },
];

/** Lets them fail for good, at once. */
async function bury(page) {
  for (const { count, code, says } of failing)
    for (let at = 0; at < count; at++) {
      const script = `echo "${says}" >&2; echo "    at readFrames (/srv/render/frames.js:${41 + at}:17)" >&2; exit ${code}`;
      await page.evaluate(
        (task) => window.bridge.invoke(crypto.randomUUID(), 'queues.enqueue', { queue: 'local', task }),
        { command: ['sh', '-c', script], maxRetries: 0 },
      );
    }
}

/** What failed for good, by its cause, and why one of it did. */
async function takeDeadLetters(page, folder) {
  await page.keyboard.press('Control+4');
  const groups = page.getByTestId('letter-groups');
  for (const { count } of failing)
    await groups.locator(`[role="row"][data-open="${count}"]`).first().waitFor({ timeout: 90_000 });
  await groups.focus();
  await page.keyboard.press('Home');
  await page.keyboard.press('j');
  await page.keyboard.press('Enter');
  await page.keyboard.press('Enter');
  await page.getByTestId('letter-reason-text').waitFor();
  await take(page, folder, 'dead-letters-dark');
  await page.keyboard.press('Escape');
}

/** The question that one task of the swarm asks. */
async function takeApprovals(page, folder) {
  await page.keyboard.press('Control+6');
  await page.getByTestId('approval-detail').waitFor({ timeout: 120_000 });
  await take(page, folder, 'approvals-dark');
}

/** A task that failed twice, was given up, retried and done: as one trace. */
async function takeTrace(page, folder, profile) {
  const invoke = (name, input) =>
    page.evaluate(
      async ([method, given]) => (await window.bridge.invoke(crypto.randomUUID(), method, given)).value,
      [name, input],
    );
  const letters = async () => (await invoke('dlq.page', { filter: 'error:exit.12', fromIndex: 0, limit: 10 })).rows;
  const whenLetter = async (isSo) => {
    for (let left = 900; !isSo((await letters())[0]); left--) {
      if (left === 0) throw new Error('the letter of the trace did not come about within 90 s');
      await page.waitForTimeout(100);
    }
  };
  const fixed = join(profile, 'fixed');
  const script = `test -e ${fixed} || { sleep 0.4; exit 12; }; sleep 0.6`;
  await invoke('queues.enqueue', { queue: 'local', task: { command: ['sh', '-c', script], maxRetries: 1 } });
  await whenLetter((letter) => letter !== undefined);
  await writeFile(fixed, '');
  const { planId } = await invoke('dlq.plan', { selection: { filter: 'error:exit.12' }, action: 'retry' });
  await invoke('dlq.retry', { planId, isCanary: false, ratePerSec: 10 });
  await whenLetter(({ state }) => state === 'resolved');
  await page.keyboard.press('Control+4');
  await page.keyboard.press('/');
  await page.keyboard.type('error:exit.12');
  for (let count = 0; count < 3; count++) await page.keyboard.press('Enter');
  await page.getByRole('tab', { name: 'Task' }).click();
  await page.getByTestId('letter-show-trace').click();
  await page.getByTestId('trace-rows').locator('[data-kind="attempt"]').nth(2).waitFor();
  await take(page, folder, 'trace-dark');
}

async function takeAll(page, folder, profile) {
  await bury(page);
  await takeStreams(page, folder, 'dark');
  await takeSession(page, folder);
  await page.keyboard.press('Control+1');
  await take(page, folder, 'operations-dark');
  await takeQueues(page, folder);
  await takeApprovals(page, folder);
  await takeDeadLetters(page, folder);
  await takeIdentity(page, folder);
  await takeTampered(page, folder);
  await takeStreams(page, folder, 'light');
  await chooseTheme(page, 'dark');
  await takeTrace(page, folder, profile);
  await takeRooms({
    ...{ page, profile, passphrase },
    takeBoth: async () => {
      for (const theme of ['dark', 'light']) {
        await chooseTheme(page, theme);
        await page.keyboard.press('Control+7');
        await take(page, folder, `rooms-${theme}`);
      }
    },
  });
}

async function takePictures(folder) {
  const { electron } = await setUp({ need: 'test' });
  await ensureBuilt();
  const profile = await mkdtemp(join(tmpdir(), 'vak-screenshots-'));
  try {
    await mkdir(folder, { recursive: true });
    const app = await launch(electron, profile);
    try {
      await takeAll(await startSwarm(app), folder, profile);
    } finally {
      await app.close();
    }
  } finally {
    await rm(profile, { recursive: true, force: true });
  }
}

if (isStartedScript(import.meta.url)) {
  await runMain(async () => {
    const folder = resolve(process.argv[2] ?? join(ownProjectRoot, 'docs', 'images'));
    if (!needsVirtualDisplay() || process.env[innerVariable]) return await takePictures(folder);
    say('screenshot', 'no display here: the window opens on a virtual one (xvfb-run)');
    await setUp({ need: 'test' });
    return await runInForeground({
      command: process.execPath,
      args: [process.argv[1], folder],
      cwd: ownProjectRoot,
      env: { ...process.env, [innerVariable]: '1' },
      isVirtual: true,
    });
  });
}
