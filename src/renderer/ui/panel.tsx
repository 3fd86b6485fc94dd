/** A framed part of a page with a title of its own, and the facts that stand in it. */
import type { ReactNode } from 'react';
import './panel.css';

export interface PanelProps {
  readonly title: string;
  /** What stands beside the title: counts, state. */
  readonly summary?: ReactNode;
  readonly actions?: ReactNode;
  readonly children: ReactNode;
  readonly 'data-testid'?: string;
}

export function Panel({ title, summary, actions, children, 'data-testid': testId }: PanelProps) {
  return (
    <section className="panel" aria-label={title} data-testid={testId}>
      <header className="panel-header">
        <h2>{title}</h2>
        {summary !== undefined && <p className="panel-summary">{summary}</p>}
        {actions !== undefined && <div className="panel-actions">{actions}</div>}
      </header>
      {children}
    </section>
  );
}

/** A list of facts, each a label and its value. */
export function Facts({ children }: { readonly children: ReactNode }) {
  return <dl className="panel-facts">{children}</dl>;
}

export interface FactProps {
  readonly label: string;
  /** What it counts, with unit and source. */
  readonly meaning?: string;
  readonly children: ReactNode;
}

export function Fact({ label, meaning, children }: FactProps) {
  return (
    <div className="panel-fact">
      <dt title={meaning}>{label}</dt>
      <dd>{children}</dd>
    </div>
  );
}
