/** The frame of a view that is one page: title, what it counts, its buttons, and the content below. */
import { type ReactNode, useRef } from 'react';
import { useKeptScroll } from './use-kept-scroll.ts';
import './view-frame.css';

export interface ViewFrameProps {
  readonly title: string;
  /** What stands beside the title: counts, state. */
  readonly summary?: ReactNode;
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}

export function ViewFrame({ title, summary, actions, children }: ViewFrameProps) {
  const body = useRef<HTMLDivElement>(null);
  useKeptScroll(body, title);
  return (
    <div className="view-frame">
      <header className="view-frame-header">
        <h1 className="view-frame-title">{title}</h1>
        {summary !== undefined && <p className="view-frame-summary">{summary}</p>}
        {actions !== undefined && <div className="view-frame-actions">{actions}</div>}
      </header>
      <div ref={body} className="view-frame-body">
        {children}
      </div>
    </div>
  );
}
