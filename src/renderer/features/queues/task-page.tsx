/** The frame of one task inside a tab, and of the list that it was opened from: Esc closes one level at a time. */
import { ArrowLeft } from 'lucide-react';
import { type ReactNode, useEffect, useRef } from 'react';
import { IconButton } from '../../ui/icon-button.tsx';
import './task-list.css';

interface EscapeScopeProps {
  /** Undefined: Esc means nothing here, and goes on to the panel. */
  readonly onEscape: (() => void) | undefined;
  readonly children: ReactNode;
  readonly 'data-testid'?: string;
}

/** A column that takes Esc for itself. */
export function EscapeScope({ onEscape, children, 'data-testid': testId }: EscapeScopeProps) {
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: Esc is no control of its own: its button stands inside, or the panel's.
    <div
      className="task-tab"
      data-testid={testId}
      onKeyDown={(event) => {
        if (event.key !== 'Escape' || event.defaultPrevented || onEscape === undefined) return;
        event.preventDefault();
        onEscape();
      }}
    >
      {children}
    </div>
  );
}

export interface TaskPageProps {
  readonly title: string;
  readonly onBack: () => void;
  readonly actions?: ReactNode;
  /** Said at the end. */
  readonly note?: string;
  /** The last child takes what room is left, so that it scrolls by itself. */
  readonly isFilled?: boolean;
  readonly children: ReactNode;
  readonly 'data-testid': string;
}

/** Takes the focus when it is opened, so that Esc and keys act on it. */
export function TaskPage(props: TaskPageProps) {
  const { title, onBack, actions, note, isFilled = false, children } = props;
  const back = useRef<HTMLButtonElement>(null);
  useEffect(() => back.current?.focus({ preventScroll: true }), []);
  return (
    <EscapeScope onEscape={onBack} data-testid={props['data-testid']}>
      <div className="task-strip">
        <IconButton ref={back} icon={ArrowLeft} label="Back to the list" keys="Escape" onClick={onBack} />
        <h3 className="task-strip-words">{title}</h3>
        {actions}
      </div>
      <div className="task-page" data-filled={isFilled}>
        {children}
      </div>
      {note !== undefined && <p className="task-list-note dim">{note}</p>}
    </EscapeScope>
  );
}
