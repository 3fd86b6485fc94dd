/** The left rail: the nine views, one tab stop, arrows inside. */
import { type KeyboardEvent, useRef } from 'react';
import { ariaKeys, isApplePlatform } from '../../actions/key-bindings.ts';
import type { ViewId } from '../../state/view-store.ts';
import { formatCount } from '../../ui/format.ts';
import { KeyHint } from '../../ui/key-hint.tsx';
import { Tooltip } from '../../ui/tooltip.tsx';
import { useViewState, useWorkbench } from '../../workbench.tsx';
import { type ViewEntry, viewCatalog } from './view-catalog.ts';
import './rail.css';

/** What waits in each view, or is amiss; 0 or missing shows nothing. */
export type Badges = Readonly<Partial<Record<ViewId, number>>>;

/** What a count means, for screen readers; "waiting" where nothing else is said. */
const badgeWords: Readonly<Partial<Record<ViewId, string>>> = {
  queues: 'to look at',
  'dead-letters': 'open causes',
};

const steps: Readonly<Record<string, (index: number) => number>> = {
  ArrowDown: (index) => Math.min(viewCatalog.length - 1, index + 1),
  ArrowUp: (index) => Math.max(0, index - 1),
  Home: () => 0,
  End: () => viewCatalog.length - 1,
};

/** Moves the focus along the buttons of `list`; the view changes with Enter or Space only. */
function moveFocus(event: KeyboardEvent, list: HTMLElement | null): void {
  const step = steps[event.key];
  if (step === undefined || list === null || event.ctrlKey || event.metaKey || event.altKey) return;
  const buttons = [...list.querySelectorAll('button')];
  event.preventDefault();
  buttons[step(buttons.indexOf(event.target as HTMLButtonElement))]?.focus();
}

interface RailItemProps {
  readonly entry: ViewEntry;
  readonly isCurrent: boolean;
  readonly waiting: number;
  readonly onChoose: (id: ViewId) => void;
}

function RailItem({ entry: { id, title, icon: Icon, keys }, isCurrent, waiting, onChoose }: RailItemProps) {
  const tooltip = (
    <>
      {title}
      <KeyHint keys={keys} />
    </>
  );
  return (
    <li>
      <Tooltip side="right" content={tooltip}>
        <button
          type="button"
          className="rail-item"
          aria-label={waiting > 0 ? `${title}, ${formatCount(waiting)} ${badgeWords[id] ?? 'waiting'}` : title}
          aria-current={isCurrent ? 'page' : undefined}
          aria-keyshortcuts={ariaKeys(keys, isApplePlatform(navigator.userAgent))}
          tabIndex={isCurrent ? 0 : -1}
          onClick={() => onChoose(id)}
        >
          <Icon aria-hidden="true" />
          {waiting > 0 && (
            <span className="rail-badge" aria-hidden="true">
              {waiting > 99 ? '99+' : waiting}
            </span>
          )}
        </button>
      </Tooltip>
    </li>
  );
}

export function Rail({ badges }: { readonly badges: Badges }) {
  const { view: store } = useWorkbench();
  const current = useViewState((state) => state.view);
  const list = useRef<HTMLUListElement>(null);
  return (
    <nav className="rail" aria-label="Views">
      <ul ref={list} className="rail-list" onKeyDown={(event) => moveFocus(event, list.current)}>
        {viewCatalog.map((entry) => (
          <RailItem
            key={entry.id}
            entry={entry}
            isCurrent={entry.id === current}
            waiting={badges[entry.id] ?? 0}
            onChoose={(view) => store.setState({ view })}
          />
        ))}
      </ul>
    </nav>
  );
}
