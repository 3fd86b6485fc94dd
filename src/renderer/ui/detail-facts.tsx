/** Fields of a message, whole, each with its way to copy it; and what is wrong with it, first of all. */
import { OctagonX } from 'lucide-react';
import type { ReactNode } from 'react';
import { CopyIcon } from './copy-icon.tsx';
import { MiddleText } from './middle-text.tsx';
import './detail-facts.css';

/** A list of facts under a heading of its own. */
export function DetailFacts({ title, children }: { readonly title?: string; readonly children: ReactNode }) {
  return (
    <>
      {title !== undefined && <h3 className="detail-heading">{title}</h3>}
      <dl className="detail-facts">{children}</dl>
    </>
  );
}

export function DetailFact({ name, children }: { readonly name: ReactNode; readonly children: ReactNode }) {
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
      <dd className={`data detail-copy-fact${isWrong ? ' tone-bad' : ''}`}>
        {value === null ? (
          <span className="dim">none</span>
        ) : (
          <>
            <MiddleText text={value} />
            {isWrong && <strong className="detail-wrong">wrong</strong>}
            <CopyIcon name={copyName} value={value} />
          </>
        )}
      </dd>
    </>
  );
}

export interface DetailNoticeProps {
  readonly title: string;
  readonly children: ReactNode;
  readonly 'data-testid'?: string;
}

/** Something is wrong with this message. */
export function DetailNotice({ title, children, 'data-testid': testId }: DetailNoticeProps) {
  return (
    <div className="detail-notice" data-testid={testId}>
      <OctagonX size={14} className="tone-bad" aria-hidden="true" />
      <div className="detail-notice-text">
        <p className="detail-notice-title">{title}</p>
        {children}
      </div>
    </div>
  );
}

/** A glyph and what it means here. */
export function TrustLine({ badge, children }: { readonly badge: ReactNode; readonly children: ReactNode }) {
  return (
    <span className="detail-trust-line">
      {badge}
      <span>{children}</span>
    </span>
  );
}
