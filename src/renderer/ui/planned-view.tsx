/** A view whose part of the product is not built yet: what it will hold, what it needs first, where to look meanwhile. */
import type { LucideIcon } from 'lucide-react';
import type { ReactNode } from 'react';
import { EmptyState } from './empty-state.tsx';
import { ViewFrame } from './view-frame.tsx';
import './planned-view.css';

export interface PlannedViewProps {
  readonly icon: LucideIcon;
  readonly title: string;
  /** What this is, in one sentence. */
  readonly what: string;
  /** What it will hold, a line each. */
  readonly holds: readonly string[];
  /** Which part of the product comes first, and what to do until then. */
  readonly needs: ReactNode;
  /** A button that works now. */
  readonly children?: ReactNode;
}

export function PlannedView({ icon, title, what, holds, needs, children }: PlannedViewProps) {
  return (
    <ViewFrame title={title} summary="not built yet">
      <div className="planned-view">
        <EmptyState icon={icon} title={what} what={needs}>
          {children}
        </EmptyState>
        <section aria-label={`What ${title} will hold`}>
          <h2 className="planned-view-title">What it will hold</h2>
          <ul className="planned-view-list">
            {holds.map((item) => (
              <li key={item}>{item}</li>
            ))}
          </ul>
        </section>
      </div>
    </ViewFrame>
  );
}
