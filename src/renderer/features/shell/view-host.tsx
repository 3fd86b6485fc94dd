/**
 * The place of one view. A view that is kept stays mounted while another one is shown, hidden and inert;
 * the focus that it had comes back with it.
 */
import { type FocusEvent, type ReactNode, useEffect, useRef, useState } from 'react';
import type { ViewId } from '../../state/view-store.ts';
import { ErrorBoundary, ErrorScreen } from '../../ui/error-boundary.tsx';
import { ShownProvider, useViewState } from '../../workbench.tsx';
import { titleOfView } from './view-catalog.ts';
import './view-host.css';

export interface ViewHostProps {
  readonly view: ViewId;
  /** Keeps it mounted from its first showing on. */
  readonly isKept?: boolean;
  readonly children: ReactNode;
}

/** Takes the focus only if it would be lost: nobody has it, or who had it is hidden now. It goes to the list that the view is about. */
function takeLostFocus(home: HTMLElement, last: Element | null): void {
  const active = document.activeElement;
  const isLost = active === null || active === document.body || active.closest('[hidden]') !== null;
  if (!isLost) return;
  const list = home.querySelector<HTMLElement>('[data-list-home]');
  const target = last instanceof HTMLElement && last !== home && home.contains(last) ? last : (list ?? home);
  target.focus({ preventScroll: true });
}

export function ViewHost({ view, isKept = false, children }: ViewHostProps) {
  const isShown = useViewState((state) => state.view === view);
  const [wasShown, setWasShown] = useState(isShown);
  const home = useRef<HTMLElement>(null);
  const lastFocused = useRef<Element | null>(null);
  if (isShown && !wasShown) setWasShown(true);
  useEffect(() => {
    if (isShown && home.current !== null) takeLostFocus(home.current, lastFocused.current);
  }, [isShown]);
  if (!isShown && !(isKept && wasShown)) return null;
  const title = titleOfView(view);
  return (
    <section
      ref={home}
      className="view-host"
      aria-label={title}
      data-focus-home
      tabIndex={-1}
      hidden={!isShown}
      inert={!isShown}
      onFocus={(event: FocusEvent) => {
        lastFocused.current = event.target;
      }}
    >
      <ShownProvider value={isShown}>
        <ErrorBoundary
          fallback={(error, retry) => (
            <ErrorScreen what={title} error={error} retryLabel="Show it again" onRetry={retry} />
          )}
        >
          {children}
        </ErrorBoundary>
      </ShownProvider>
    </section>
  );
}
