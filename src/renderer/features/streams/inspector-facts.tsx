/** Fields of a message, whole, each with its way to copy it; and what is wrong with it, first of all. */
import { OctagonX } from 'lucide-react';
import type { ReactNode } from 'react';
import { CopyIcon } from '../../ui/copy-icon.tsx';
import { MiddleText } from '../../ui/middle-text.tsx';

/** A list of facts under a heading of its own. */
export function Facts({ title, children }: { readonly title?: string; readonly children: ReactNode }) {
  return (
    <>
      {title !== undefined && <h3 className="inspector-heading">{title}</h3>}
      <dl className="inspector-facts">{children}</dl>
    </>
  );
}

export function Fact({ name, children }: { readonly name: ReactNode; readonly children: ReactNode }) {
  return (
    <>
      <dt className="dim">{name}</dt>
      <dd className="data">{children}</dd>
    </>
  );
}

export interface CopyFactProps {
  readonly name: string;
  /** Null: there is none. */
  readonly value: string | null;
  /** What the button copies, where the name alone stands twice in a panel. */
  readonly copyName?: string;
  /** It differs from what it has to be. */
  readonly isWrong?: boolean;
  /** Stands behind the name. */
  readonly note?: ReactNode;
}

/** One value on one line, shown whole where there is room, copied whole. */
export function CopyFact({ name, value, copyName = name, isWrong = false, note }: CopyFactProps) {
  return (
    <>
      <dt className="dim">
        {name}
        {note}
      </dt>
      <dd className={`data inspector-copy-fact${isWrong ? ' streams-bad' : ''}`}>
        {value === null ? (
          <span className="dim">none</span>
        ) : (
          <>
            <MiddleText text={value} />
            {isWrong && <strong className="inspector-wrong">wrong</strong>}
            <CopyIcon name={copyName} value={value} />
          </>
        )}
      </dd>
    </>
  );
}

export interface InspectorNoticeProps {
  readonly title: string;
  readonly children: ReactNode;
  readonly 'data-testid'?: string;
}

/** Something is wrong with this message. */
export function InspectorNotice({ title, children, 'data-testid': testId }: InspectorNoticeProps) {
  return (
    <div className="inspector-notice" data-testid={testId}>
      <OctagonX size={14} className="streams-bad" aria-hidden="true" />
      <div className="inspector-notice-text">
        <p className="inspector-notice-title">{title}</p>
        {children}
      </div>
    </div>
  );
}

/** A glyph and what it means here. */
export function TrustLine({ badge, children }: { readonly badge: ReactNode; readonly children: ReactNode }) {
  return (
    <span className="inspector-trust-line">
      {badge}
      <span>{children}</span>
    </span>
  );
}
