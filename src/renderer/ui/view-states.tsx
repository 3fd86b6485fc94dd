/**
 * The states that every view has in one form: being read, never read, old, nothing that matches. What is empty is in empty-state.tsx.
 * Law: what is old stays, under a hatched edge, and says since when (look.md "Manners").
 */
import { History, Plug } from 'lucide-react';
import type { ReactNode } from 'react';
import { type ErrorShape, VakError } from '../../shared/base/vak-error.ts';
import { visibleText } from '../../shared/base/visible-text.ts';
import { ActionButton } from '../actions/action-button.tsx';
import { useViewState } from '../workbench.tsx';
import { Button } from './button.tsx';
import { describeError } from './describe-error.ts';
import { ErrorNotice } from './error-notice.tsx';
import { formatTimeOfDay, formatZone } from './format.ts';
import { Gauge } from './gauge.tsx';
import './view-states.css';

const widths = [220, 160, 190, 120, 172];

export interface ReadingProps {
  /** "Reading the queues…", with what is done so far where that is known. */
  readonly words: string;
  readonly done?: { readonly count: number; readonly of: number } | undefined;
  readonly 'data-testid'?: string;
}

/** Stands in a view's place while it is read for the first time; only where that takes a while. */
export function Reading({ words, done, 'data-testid': testId }: ReadingProps) {
  return (
    <div className="view-reading late" aria-busy="true">
      <p className="view-reading-words dim" data-testid={testId}>
        {words}
      </p>
      {done !== undefined && done.of > 0 && (
        <Gauge label="Read so far" value={done.count} max={done.of} valueText={words} />
      )}
      {widths.map((width) => (
        <div key={width} className="view-reading-row" aria-hidden="true">
          <span style={{ width: `${width}px` }} />
          <span style={{ width: '320px' }} />
        </div>
      ))}
    </div>
  );
}

export interface UnreadProps {
  /** "Read the queues". */
  readonly doing: string;
  readonly problem: ErrorShape;
}

/** It could not be read, not once on this connection. */
export function Unread({ doing, problem }: UnreadProps) {
  return (
    <div className="view-note">
      <ErrorNotice report={describeError(doing, VakError.fromShape(problem))}>
        <ActionButton action="connections.show" icon={Plug} />
      </ErrorNotice>
      <p className="dim">It is tried again by itself once the connection gives it.</p>
    </div>
  );
}

export interface StaleMarkProps {
  /** When what is shown was read; null: nothing is. */
  readonly readAtMs: number | null;
  /** Why it could not be read since; null: it is of now. */
  readonly problem: { readonly message: string } | null;
  readonly 'data-testid': string;
}

/** Says that what is shown is not that of now, since when and why. */
export function StaleMark({ readAtMs, problem, 'data-testid': testId }: StaleMarkProps) {
  const zone = useViewState((state) => state.timeZone);
  if (problem === null || readAtMs === null) return null;
  return (
    <span className="stale-mark tone-wait" data-testid={testId} title={visibleText(problem.message)}>
      <History size={13} aria-hidden="true" />
      stale since {formatTimeOfDay(readAtMs, zone)} {formatZone(zone, readAtMs)}
    </span>
  );
}

export interface NoMatchProps {
  /** "No queue has “x” in its name." */
  readonly children: ReactNode;
  readonly onClear: () => void;
  readonly 'data-testid': string;
}

/** A filter finds nothing: the way back. */
export function NoMatch({ children, onClear, 'data-testid': testId }: NoMatchProps) {
  return (
    <div className="view-note" data-testid={testId}>
      <p>{children}</p>
      <Button onClick={onClear}>Clear the filter</Button>
    </div>
  );
}
