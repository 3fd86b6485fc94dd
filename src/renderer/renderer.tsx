/** Starts the window: builds the workbench over the bridge, sets the theme before the first paint, draws. */
import './ui/fonts.css';
import './ui/tokens.css';
import './ui/base.css';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { createDisposer } from '../shared/base/disposer.ts';
import type { AppContract } from '../shared/contract/app-contract.ts';
import type { Bridge } from '../shared/contract/define-contract.ts';
import { createActionRegistry } from './actions/action-registry.ts';
import { App } from './app.tsx';
import { createClient, createFeedOpener } from './bridge/client.ts';
import { createFrameClock } from './state/frame-clock.ts';
import { createLookSettings } from './state/look-settings.ts';
import { createMirrorStore } from './state/mirror-store.ts';
import { createViewStore } from './state/view-store.ts';
import { createZoom } from './state/zoom.ts';
import { ErrorBoundary, ErrorScreen } from './ui/error-boundary.tsx';
import { createNoticeStore, type NoticeStore } from './ui/notice-store.ts';
import { followTheme } from './ui/theme.ts';
import type { Workbench } from './workbench.tsx';

declare global {
  interface Window {
    /** Put there by the preload script; missing if that failed. */
    readonly bridge?: Bridge;
  }
}

const view = createViewStore(window.localStorage);
followTheme(view, window);

function createWorkbench(bridge: Bridge, notices: NoticeStore): Workbench {
  const client = createClient<AppContract>(bridge);
  const mirror = createMirrorStore(bridge);
  const { notify, refuse, advise, reportError } = notices;
  return {
    client,
    openFeed: createFeedOpener<AppContract>(bridge, window),
    mirror,
    view,
    actions: createActionRegistry(),
    frameClock: createFrameClock(window),
    reportError,
    notify,
    refuse,
    advise,
    setLook: createLookSettings({ mirror, view, save: (setting) => client.settings.set(setting), reportError }),
    zoom: createZoom({ mirror, save: (setting) => client.settings.set(setting), reportError }),
    whileOpen: createDisposer(),
  };
}

/** A defect that nobody caught still reaches the person who sees its effect. */
function reportUncaught(notices: NoticeStore): void {
  window.addEventListener('error', ({ error, message }) =>
    notices.reportError('A part of this window', error ?? message),
  );
  window.addEventListener('unhandledrejection', ({ reason }) => notices.reportError('A part of this window', reason));
}

function FatalScreen({ error }: { readonly error: unknown }) {
  return (
    <ErrorScreen what="The workbench" error={error} retryLabel="Reload" onRetry={() => window.location.reload()} />
  );
}

function start(): void {
  const container = document.getElementById('root');
  if (container === null) throw new Error('index.html has no #root');
  const root = createRoot(container);
  const { bridge } = window;
  if (bridge === undefined) {
    root.render(
      <FatalScreen error={new Error('The bridge to the engine is missing: the preload script did not run.')} />,
    );
    return;
  }
  const notices = createNoticeStore();
  reportUncaught(notices);
  const workbench = createWorkbench(bridge, notices);
  root.render(
    <StrictMode>
      <ErrorBoundary fallback={(error) => <FatalScreen error={error} />}>
        <App workbench={workbench} notices={notices} />
      </ErrorBoundary>
    </StrictMode>,
  );
}

start();
