/** Sessions that stand open side by side; only the one in sight has a terminal, so any number costs the same. */
import { X } from 'lucide-react';
import { useEffect, useMemo, useRef } from 'react';
import { visibleText } from '../../../shared/base/visible-text.ts';
import type { Action } from '../../actions/action-registry.ts';
import { closeSessionTab, openSessionTab } from '../../state/view-store.ts';
import { shortenId } from '../../ui/format.ts';
import { IconButton } from '../../ui/icon-button.tsx';
import { useActions, useSnapshot, useViewState, useWorkbench } from '../../workbench.tsx';
import { sessionName } from './tree-row.tsx';
import './session-tabs.css';

/** Fewer are no choice. */
const leastTabs = 2;

function useTabActions(session: string): void {
  const { view } = useWorkbench();
  useActions(
    useMemo<readonly Action[]>(() => {
      const open = () => view.getState().openSessions;
      const isAlone = () => (open().length < leastTabs ? 'no other session stands open' : undefined);
      const step = (by: number): void => {
        const at = open().indexOf(session);
        view.setState({ selectedSession: open()[(at + by + open().length) % open().length] ?? session });
      };
      const group = 'Streams';
      return [
        {
          ...{ id: 'session.nextTab', title: 'Go to the next open session', group, keys: [']'] },
          disabledReason: isAlone,
          run: () => step(1),
        },
        {
          ...{ id: 'session.previousTab', title: 'Go to the open session before', group, keys: ['['] },
          disabledReason: isAlone,
          run: () => step(-1),
        },
        {
          ...{ id: 'session.closeTab', title: 'Close this session’s tab', group, keys: ['Shift+W'] },
          run: () => closeSessionTab(view, session),
        },
      ];
    }, [view, session]),
  );
}

interface TabProps {
  readonly session: string;
  readonly name: string;
  readonly isShown: boolean;
}

function Tab({ session, name, isShown }: TabProps) {
  const { view } = useWorkbench();
  const home = useRef<HTMLLIElement>(null);
  useEffect(() => {
    if (isShown) home.current?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }, [isShown]);
  return (
    <li ref={home} className="session-tab" data-shown={isShown} data-testid="session-tab" data-session={session}>
      <button
        type="button"
        className="session-tab-name"
        aria-current={isShown ? 'true' : undefined}
        title={visibleText(session)}
        onClick={() => view.setState({ selectedSession: session })}
      >
        {name}
      </button>
      <IconButton icon={X} label={`Close ${name}`} onClick={() => closeSessionTab(view, session)} />
    </li>
  );
}

export function SessionTabs({ session }: { readonly session: string }) {
  const { view } = useWorkbench();
  const open = useViewState((state) => state.openSessions);
  const summaries = useSnapshot('sessions.list')?.sessions;
  useTabActions(session);
  useEffect(() => openSessionTab(view, session), [view, session]);
  if (open.length < leastTabs) return null;
  const nameOf = (one: string): string => {
    const summary = summaries?.find((each) => each.session === one);
    return summary === undefined ? shortenId(visibleText(one), 16) : sessionName(summary);
  };
  return (
    <nav aria-label="Open sessions">
      <ul className="session-tabs">
        {open.map((one) => (
          <Tab key={one} session={one} name={nameOf(one)} isShown={one === session} />
        ))}
      </ul>
    </nav>
  );
}
