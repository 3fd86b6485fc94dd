/** Notifications of the desktop and the app's badge. */
import { app, BrowserWindow, Notification } from 'electron';
import type { Notifier } from '../../engine/ports/notifier.ts';
import { toDisposable } from '../../shared/base/disposer.ts';
import { badgedTitle } from '../window/badged-title.ts';

/** Shown ones that are held, so that a press finds its way back; the oldest give way. */
const maxHeld = 20;

export interface DesktopNotifierDeps {
  readonly platform: NodeJS.Platform;
  /** The one window, while it is open. */
  readonly window: () => BrowserWindow | undefined;
  /** Brings the window to the front; opens it if it was closed. */
  readonly bringToFront: () => void;
}

export interface DesktopNotifier extends Notifier {
  /** Puts the badge of now on a window that was just opened. */
  mark(window: BrowserWindow): void;
}

/** Creates it without a badge. Only macOS and the taskbars that know Unity's counts show one on the icon; elsewhere the title does. */
export function createDesktopNotifier({ platform, window, bringToFront }: DesktopNotifierDeps): DesktopNotifier {
  const listeners = new Set<(id: string) => void>();
  const held: Notification[] = [];
  let badge = 0;
  let title = '';

  function showTitle(): void {
    if (platform === 'darwin' || title === '') return;
    window()?.setTitle(badgedTitle(title, badge));
  }

  function press(id: string): void {
    bringToFront();
    for (const listener of [...listeners]) listener(id);
  }

  return {
    show({ id, title: words, body }) {
      if (!Notification.isSupported()) return;
      const notification = new Notification({ title: words, body });
      notification.on('click', () => press(id));
      held.push(notification);
      if (held.length > maxHeld) held.shift();
      notification.show();
    },
    setBadge(count) {
      badge = count;
      app.setBadgeCount(count);
      showTitle();
    },
    isInFront: () => BrowserWindow.getFocusedWindow() !== null,
    onPressed(listener) {
      listeners.add(listener);
      return toDisposable(() => listeners.delete(listener));
    },
    mark(opened) {
      opened.on('page-title-updated', (event, pageTitle) => {
        if (platform === 'darwin') return;
        event.preventDefault();
        title = pageTitle;
        showTitle();
      });
    },
  };
}
