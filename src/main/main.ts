/** Composition root of the app: ports, engine, bridge, window, and their order of life (architecture.md §6). */
import { homedir } from 'node:os';
import { join } from 'node:path';
import { app, type BrowserWindow, dialog, ipcMain, nativeTheme, safeStorage, session, shell } from 'electron';
import packageJson from '../../package.json' with { type: 'json' };
import { createFindOnPath } from '../engine/connections/find-on-path.ts';
import { natsCliFolder } from '../engine/connections/nats-cli-contexts.ts';
import { runSelfTest } from '../engine/crypto/self-test.ts';
import { createEngine, type Engine } from '../engine/engine.ts';
import { openProfile } from '../engine/identity/profile.ts';
import type { HandedOver } from '../engine/links/links-service.ts';
import { createSystemClock } from '../engine/ports/clock.ts';
import { createJsonLogger } from '../engine/ports/logger.ts';
import { createSystemRandomness, createUuid } from '../engine/ports/randomness.ts';
import { scrubEnvironment, secretNames } from '../engine/settings/secret-sources.ts';
import type { Disposable } from '../shared/base/disposer.ts';
import type { Hardening } from '../shared/contract/app-status-contract.ts';
import { serveBridge } from './bridge/bridge-server.ts';
import { createTrustedSenders } from './bridge/trusted-sender.ts';
import { appOrigin, appUrl, secretEntryUrl } from './platform/app-files.ts';
import { registerAppScheme, serveAppScheme } from './platform/app-scheme.ts';
import { createDesktopNotifier } from './platform/desktop-notifier.ts';
import { fuseFile, wrongFuses } from './platform/fuse-wire.ts';
import { handedOverIn } from './platform/handed-over.ts';
import { openLogFile } from './platform/log-file.ts';
import { createOperatorPrompt } from './platform/operator-prompt.ts';
import { createSafeStorageVault } from './platform/safe-storage-vault.ts';
import { sandboxProblem, sandboxProblemTitle } from './platform/sandbox-check.ts';
import { createUtilityLauncher } from './swarm/utility-launcher.ts';
import { setAppMenu } from './window/app-menu.ts';
import { denyByDefault, denyNavigation } from './window/lock-down.ts';
import { createWindowLook, type WindowLook } from './window/window-look.ts';
import { openWorkbenchWindow } from './window/workbench-window.ts';

const outFolder = join(import.meta.dirname, '..');
/** Quitting waits so long for the swarm and the bus. */
const stopLimitMs = 8_000;
/** The program's own file is read so long after the start. */
const hardeningAfterMs = 3_000;

app.setName('Vak Workbench');
const hasSwitch = (name: string): boolean => app.commandLine.hasSwitch(name);
// Every window asks for the sandbox anyway; this adds it for pages that nobody foresaw. It would undo the switch that
// Chromium demands of root, which only development starts may give.
if (!hasSwitch('no-sandbox')) app.enableSandbox();
registerAppScheme();

/** Address of the hot-reloading development server; never looked at in a package. */
const devServer = app.isPackaged ? undefined : process.env['ELECTRON_RENDERER_URL'];
const clock = createSystemClock();
const randomness = createSystemRandomness();
const logFolder = join(app.getPath('userData'), 'logs');
const logger = createJsonLogger(openLogFile(logFolder), clock.now, () => createUuid(clock, randomness));

process.on('uncaughtException', (thrown) => logger.bug('main.uncaught', thrown));
process.on('unhandledRejection', (thrown) => logger.bug('main.unhandled-rejection', thrown));

let window: BrowserWindow | undefined;
let engine: Engine | undefined;
let bridge: Disposable | undefined;
let look: WindowLook | undefined;
let isStopped = false;

const workspace = 'default';

let hardening: Hardening | null = null;

/** Reads how the program was hardened, once what is urgent is done; in a development start there is nothing to tell. */
async function readHardening(): Promise<void> {
  if (!app.isPackaged) return;
  const { execPath, platform } = process;
  hardening = { wrongFuses: await wrongFuses(fuseFile(execPath, platform)), isArchiveChecked: platform === 'darwin' };
}

/** Opens the window if there is none; it is given by `start`. */
let openAgain = (): void => {};

function bringToFront(): void {
  if (window === undefined) openAgain();
  if (window?.isMinimized()) window.restore();
  window?.show();
  window?.focus();
}

/** Came before there was an engine to take it; only the newest counts. */
let early = handedOverIn(process.argv, process.cwd());

function take(handed: HandedOver): void {
  if (engine === undefined) early = handed;
  else engine.take(handed);
  bringToFront();
}

const notifier = createDesktopNotifier({ platform: process.platform, window: () => window, bringToFront });

async function startEngine(devOrigin: string | undefined): Promise<Engine> {
  const vault = createSafeStorageVault({ safeStorage, platform: process.platform });
  const folder = app.getPath('userData');
  const profile = await openProfile({ folder, workspace, vault, clock, randomness, logger });
  const prompt = createOperatorPrompt({
    ipc: ipcMain,
    preload: join(outFolder, 'preload', 'secret-entry.cjs'),
    url: devServer === undefined ? secretEntryUrl : new URL('secret-entry.html', `${devServer}/`).href,
    devOrigin,
    parent: () => window,
    onBug: (thrown) => logger.bug('secret-entry', thrown),
  });
  // Our own copy: what commands may see of the environment is decided where they are started.
  const environment = { ...process.env };
  scrubEnvironment(process.env, secretNames(profile.settings.settings().workspaceSecretEnv));
  const { settings } = profile;
  const { memory } = settings.settings();
  look = createWindowLook({ settings, theme: nativeTheme, onBug: (thrown) => logger.bug('window.look', thrown) });
  const entry = join(outFolder, 'peers', 'worker.js');
  return await createEngine(
    {
      ...{ clock, randomness, logger, profile, vault, prompt, notifier, environment, selfTest: runSelfTest() },
      launchWorker: createUtilityLauncher({ entry, logger }),
      findOnPath: createFindOnPath(environment['PATH'] ?? ''),
      natsCli: { folder: natsCliFolder(environment, homedir()), home: homedir() },
    },
    {
      workspace,
      runtime: {
        version: app.getVersion(),
        platform: `${process.platform} ${process.arch}`,
        electron: process.versions.electron,
        chromium: process.versions['chrome'] ?? '',
        node: process.versions.node,
        shippedElectron: packageJson.devDependencies.electron,
        isSandboxed: !hasSwitch('no-sandbox'),
      },
      hardening: () => hardening,
      bufferCount: memory.bufferMessages,
      bufferBytes: memory.bufferMiB * 1024 * 1024,
    },
  );
}

function openWindow(senders: ReturnType<typeof createTrustedSenders>): void {
  window = openWorkbenchWindow({
    preload: join(outFolder, 'preload', 'preload.cjs'),
    url: devServer ?? appUrl,
    icon: join(outFolder, 'renderer', 'icon.png'),
    stateFile: join(app.getPath('userData'), 'window-state.json'),
    logger,
  });
  senders.add(window.webContents);
  notifier.mark(window);
  look?.follow(window);
  window.on('closed', () => {
    window = undefined;
  });
}

async function start(): Promise<void> {
  const problem = sandboxProblem(hasSwitch, process.env);
  // Before Chromium looks for a display, which a start in a terminal may not have.
  if (problem !== undefined) process.stderr.write(`${sandboxProblemTitle}.\n${problem}\n`);
  await app.whenReady();
  if (problem !== undefined) {
    dialog.showErrorBox(sandboxProblemTitle, problem);
    app.exit(1);
    return;
  }
  const devOrigin = devServer === undefined ? undefined : new URL(devServer).origin;
  const allowedOrigins =
    devOrigin === undefined ? [appOrigin] : [appOrigin, devOrigin, devOrigin.replace('http', 'ws')];
  denyByDefault(session.defaultSession, allowedOrigins, logger);
  serveAppScheme(join(outFolder, 'renderer'));
  setAppMenu(process.platform, {
    openLogFolder: () => void shell.openPath(logFolder),
    zoom: (step) => look?.zoom(step),
  });
  const senders = createTrustedSenders(devOrigin);
  engine = await startEngine(devOrigin);
  bridge = serveBridge({ ipc: ipcMain, engine, senders, logger });
  await engine.open();
  if (early !== undefined) engine.take(early);
  openWindow(senders);
  openAgain = () => openWindow(senders);
  app.on('activate', () => {
    if (window === undefined) openAgain();
  });
  clock.setTimer(hardeningAfterMs, () => {
    readHardening().catch((thrown: unknown) => logger.bug('app.hardening', thrown));
  });
  logger.info('app.started', { version: app.getVersion(), electron: process.versions.electron });
}

async function stop(): Promise<void> {
  bridge?.dispose();
  const limit = new Promise((resolve) => clock.setTimer(stopLimitMs, () => resolve(undefined)));
  await Promise.race([engine?.stop(), limit]);
  logger.info('app.stopped');
}

if (app.requestSingleInstanceLock()) {
  denyNavigation(app, logger);
  app.on('second-instance', (_event, commandLine, folder) => {
    const handed = handedOverIn(commandLine, folder);
    if (handed !== undefined) take(handed);
    else if (window !== undefined) bringToFront();
  });
  app.on('open-url', (event, link) => {
    event.preventDefault();
    take({ link });
  });
  app.on('open-file', (event, file) => {
    event.preventDefault();
    take({ file });
  });
  app.on('window-all-closed', () => {
    if (process.platform !== 'darwin') app.quit();
  });
  app.on('before-quit', (event) => {
    if (isStopped) return;
    event.preventDefault();
    void stop()
      .catch((thrown: unknown) => logger.bug('app.stop', thrown))
      .finally(() => {
        isStopped = true;
        app.quit();
      });
  });
  start().catch((thrown: unknown) => {
    logger.bug('app.start', thrown);
    app.exit(1);
  });
} else {
  process.stderr.write('Vak Workbench runs already with this profile; its window is brought to the front.\n');
  app.quit();
}
