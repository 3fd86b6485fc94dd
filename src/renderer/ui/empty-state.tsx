/** A place with nothing in it yet: one sentence what it is, one what to do, the button that does it. */
import type { LucideIcon } from 'lucide-react';
import type { ReactNode } from 'react';
import './empty-state.css';

export interface EmptyStateProps {
  readonly icon?: LucideIcon;
  readonly title: string;
  /** What this is. */
  readonly what: ReactNode;
  /** What to do. */
  readonly next?: ReactNode;
  /** The button that does it. */
  readonly children?: ReactNode;
}

export function EmptyState({ icon: Icon, title, what, next, children }: EmptyStateProps) {
  return (
    <div className="empty-state">
      {Icon && <Icon className="empty-state-icon" aria-hidden="true" size={24} />}
      <h2 className="empty-state-title">{title}</h2>
      <p className="empty-state-what">{what}</p>
      {next !== undefined && <p className="empty-state-next">{next}</p>}
      {children !== undefined && <div className="empty-state-actions">{children}</div>}
    </div>
  );
}
