/** Denies whatever a page could ask for beyond the app's own files (quality.md §4). */
import type { App, Session } from 'electron';
import type { Logger } from '../../engine/ports/logger.ts';

/** Denies navigation, new windows and webviews in every page that is ever made. */
export function denyNavigation(app: Pick<App, 'on'>, logger: Logger): void {
  app.on('web-contents-created', (_created, contents) => {
    const deny = (what: string) => (event: { preventDefault(): void }) => {
      event.preventDefault();
      logger.warn('window.denied', { what });
    };
    // A page may load itself again, and nothing else.
    const denyLeaving = (event: {
      preventDefault(): void;
      readonly url: string;
      readonly isMainFrame: boolean;
    }): void => {
      if (!event.isMainFrame || event.url !== contents.getURL()) deny('navigation')(event);
    };
    contents.on('will-navigate', denyLeaving);
    contents.on('will-frame-navigate', denyLeaving);
    contents.on('will-redirect', deny('redirect'));
    contents.on('will-attach-webview', deny('webview'));
    contents.setWindowOpenHandler(() => {
      logger.warn('window.denied', { what: 'new window' });
      return { action: 'deny' };
    });
  });
}

/** Denies every permission, device, download and request that is not for one of `allowedOrigins`. */
export function denyByDefault(session: Session, allowedOrigins: readonly string[], logger: Logger): void {
  session.setPermissionRequestHandler((_contents, permission, answer) => {
    logger.warn('window.denied', { what: `permission ${permission}` });
    answer(false);
  });
  session.setPermissionCheckHandler(() => false);
  session.setDevicePermissionHandler(() => false);
  session.on('will-download', (event) => event.preventDefault());
  const isAllowed = (url: string): boolean =>
    url.startsWith('devtools:') || allowedOrigins.some((origin) => url === origin || url.startsWith(`${origin}/`));
  session.webRequest.onBeforeRequest((details, answer) => {
    const isRefused = !isAllowed(details.url);
    if (isRefused) logger.warn('window.denied', { what: 'request', protocol: details.url.split(':', 1)[0] ?? '' });
    answer({ cancel: isRefused });
  });
}
