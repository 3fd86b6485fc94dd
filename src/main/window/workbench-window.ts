/** The one window: sandboxed, isolated, going nowhere but the app's own page. */
import { BrowserWindow, dialog, nativeImage, nativeTheme, screen } from 'electron';
import type { Logger } from '../../engine/ports/logger.ts';
import { isVakError } from '../../shared/base/vak-error.ts';
import { fitToScreens, loadWindowState, minHeight, minWidth, saveWindowState } from './window-state.ts';

/** What the window is made of. */
export interface WindowOptions {
  readonly preload: string;
  /** Page to show. */
  readonly url: string;
  /** A PNG; Linux takes a window's icon from the window itself, the others from the program. */
  readonly icon: string;
  readonly stateFile: string;
  readonly logger: Logger;
}

const groundDark = '#0f1115';
const groundLight = '#ffffff';

function keepState(window: BrowserWindow, stateFile: string, logger: Logger): void {
  window.on('close', () => {
    try {
      saveWindowState(stateFile, { bounds: window.getNormalBounds(), isMaximized: window.isMaximized() });
    } catch (thrown) {
      logger.warn('window.state-not-saved', { message: isVakError(thrown) ? thrown.message : String(thrown) });
    }
  });
}

/** A page that ended twice in a row is not loaded again unasked: it might end so for ever. */
const repeatedDeathMs = 10_000;

interface Trouble {
  readonly message: string;
  readonly detail: string;
}

/** Asks what to do with a page that ended or hangs; what the engine does goes on meanwhile. */
async function askToReload(window: BrowserWindow, { message, detail }: Trouble): Promise<void> {
  const options = {
    type: 'warning' as const,
    message,
    detail,
    buttons: ['Reload the window', 'Leave it'],
    cancelId: 1,
  };
  const { response } = await dialog.showMessageBox(window, options);
  if (response !== 0 || window.isDestroyed()) return;
  if (!window.webContents.isCrashed()) window.webContents.forcefullyCrashRenderer();
  window.webContents.reload();
}

function surviveRendererDeath(window: BrowserWindow, logger: Logger): void {
  const detail = 'Workers and the bus are not touched. What the window had kept for itself is read anew.';
  let lastDeathMs = Number.NEGATIVE_INFINITY;
  let isAsking = false;
  const ask = (message: string): void => {
    if (isAsking || window.isDestroyed()) return;
    isAsking = true;
    void askToReload(window, { message, detail })
      .catch((thrown: unknown) => logger.bug('window.ask-to-reload', thrown))
      .finally(() => {
        isAsking = false;
      });
  };
  window.webContents.on('render-process-gone', (_event, { reason, exitCode }) => {
    logger.error('window.renderer-gone', { reason, exitCode });
    const isRepeated = performance.now() - lastDeathMs < repeatedDeathMs;
    lastDeathMs = performance.now();
    if (reason === 'clean-exit' || isAsking || window.isDestroyed()) return;
    if (isRepeated) ask('The page of this window has ended twice in a row.');
    else window.webContents.reload();
  });
  window.on('unresponsive', () => {
    logger.warn('window.unresponsive');
    ask('This window does not answer.');
  });
  window.on('responsive', () => logger.info('window.responsive'));
}

/** Opens the window; it is shown when its page has painted. */
export function openWorkbenchWindow({ preload, url, icon, stateFile, logger }: WindowOptions): BrowserWindow {
  const areas = screen.getAllDisplays().map((display) => display.workArea);
  const state = fitToScreens(loadWindowState(stateFile), areas);
  const window = new BrowserWindow({
    ...state.bounds,
    minWidth,
    minHeight,
    show: false,
    title: 'Vak Workbench',
    ...(process.platform === 'linux' ? { icon: nativeImage.createFromPath(icon) } : {}),
    backgroundColor: nativeTheme.shouldUseDarkColors ? groundDark : groundLight,
    webPreferences: {
      preload,
      sandbox: true,
      contextIsolation: true,
      nodeIntegration: false,
      webSecurity: true,
      webviewTag: false,
      spellcheck: false,
      navigateOnDragDrop: false,
    },
  });
  if (state.isMaximized) window.maximize();
  window.once('ready-to-show', () => window.show());
  keepState(window, stateFile, logger);
  surviveRendererDeath(window, logger);
  void window.loadURL(url);
  return window;
}
