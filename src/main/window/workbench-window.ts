/** The one window: sandboxed, isolated, going nowhere but the app's own page. */
import { BrowserWindow, nativeTheme, screen } from 'electron';
import type { Logger } from '../../engine/ports/logger.ts';
import { isVakError } from '../../shared/base/vak-error.ts';
import { fitToScreens, loadWindowState, minHeight, minWidth, saveWindowState } from './window-state.ts';

/** What the window is made of. */
export interface WindowOptions {
  readonly preload: string;
  /** Page to show. */
  readonly url: string;
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

function surviveRendererDeath(window: BrowserWindow, logger: Logger): void {
  let lastDeathMs = Number.NEGATIVE_INFINITY;
  window.webContents.on('render-process-gone', (_event, { reason, exitCode }) => {
    logger.error('window.renderer-gone', { reason, exitCode });
    const isRepeated = performance.now() - lastDeathMs < 10_000;
    lastDeathMs = performance.now();
    if (reason !== 'clean-exit' && !isRepeated && !window.isDestroyed()) window.webContents.reload();
  });
  window.on('unresponsive', () => logger.warn('window.unresponsive'));
  window.on('responsive', () => logger.info('window.responsive'));
}

/** Opens the window; it is shown when its page has painted. */
export function openWorkbenchWindow({ preload, url, stateFile, logger }: WindowOptions): BrowserWindow {
  const areas = screen.getAllDisplays().map((display) => display.workArea);
  const state = fitToScreens(loadWindowState(stateFile), areas);
  const window = new BrowserWindow({
    ...state.bounds,
    minWidth,
    minHeight,
    show: false,
    title: 'Vak Workbench',
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
