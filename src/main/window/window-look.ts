/**
 * Theme and size of the window, as the settings have them.
 * Law: the settings own both; what Chromium remembers of a page's size counts for nothing.
 */
import type { BrowserWindow, NativeTheme } from 'electron';
import type { SettingsFile } from '../../engine/settings/settings-file.ts';
import { type ZoomStep, zoomAfter } from '../../shared/settings/zoom-steps.ts';

export interface WindowLookDeps {
  readonly settings: Pick<SettingsFile, 'settings' | 'set' | 'onChange'>;
  readonly theme: Pick<NativeTheme, 'themeSource'>;
  /** What could not be kept. */
  readonly onBug: (thrown: unknown) => void;
}

export interface WindowLook {
  /** Shows this window as the settings say, from its first page on. */
  follow(window: Pick<BrowserWindow, 'webContents' | 'once'>): void;
  zoom(step: ZoomStep): void;
}

/** Sets the theme at once; windows follow when they are told of. */
export function createWindowLook({ settings, theme, onBug }: WindowLookDeps): WindowLook {
  const percent = (): number => settings.settings().look.zoomPercent;
  const followTheme = (): void => {
    theme.themeSource = settings.settings().look.theme;
  };
  followTheme();
  settings.onChange(followTheme);
  return {
    follow(window) {
      const { webContents } = window;
      const apply = (): void => webContents.setZoomFactor(percent() / 100);
      // A page that has just come in has the size that its origin had.
      webContents.on('did-navigate', apply);
      const following = settings.onChange(apply);
      window.once('closed', () => following.dispose());
    },
    zoom: (step) => void settings.set('look.zoomPercent', zoomAfter(percent(), step)).catch(onBug),
  };
}
