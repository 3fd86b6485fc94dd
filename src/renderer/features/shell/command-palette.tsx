/** The command palette: everything that can be done, and every queue and session, by typing a part of its name. */
import { Command } from 'cmdk';
import { Search } from 'lucide-react';
import { useMemo, useState } from 'react';
import { flushSync } from 'react-dom';
import { visibleText } from '../../../shared/base/visible-text.ts';
import type { Action } from '../../actions/action-registry.ts';
import { useAllActions, useRunAction } from '../../actions/use-registry.ts';
import { showTrace, showTraceOf } from '../../state/view-store.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { formatCount, formatRelative } from '../../ui/format.ts';
import { KeyHint } from '../../ui/key-hint.tsx';
import { readTraceSought, type TraceSought } from '../../ui/trace-id.ts';
import { useSnapshot, useViewState, useWorkbench, type Workbench } from '../../workbench.tsx';
import { findQueues, findSessions, groupActions, paletteScore } from './palette-entries.ts';
import { titleOfView } from './view-catalog.ts';
import './command-palette.css';

export interface CommandPaletteProps {
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly onChooseSession: (session: string) => void;
  readonly onChooseQueue: (queue: string) => void;
}

function ActionItem({ action, onChoose }: { readonly action: Action; readonly onChoose: (action: Action) => void }) {
  const reason = action.disabledReason?.();
  return (
    <Command.Item
      className="palette-item"
      value={action.id}
      keywords={[action.title, action.group]}
      disabled={reason !== undefined}
      onSelect={() => onChoose(action)}
    >
      <span className="palette-item-title">{action.title}</span>
      {reason !== undefined && <span className="palette-item-note">{reason}</span>}
      {action.keys?.[0] !== undefined && <KeyHint keys={action.keys[0]} />}
    </Command.Item>
  );
}

interface SessionItemsProps {
  readonly query: string;
  readonly onChoose: (session: string) => void;
}

function SessionItems({ query, onChoose }: SessionItemsProps) {
  const sessions = useSnapshot('sessions.list')?.sessions;
  const found = useMemo(() => findSessions(sessions ?? [], query), [sessions, query]);
  const nowMs = Date.now();
  if (found.length === 0) return null;
  return (
    <Command.Group heading="Sessions" className="palette-group">
      {found.map(({ session, peer, state, lastSeenMs }) => (
        <Command.Item
          key={session}
          className="palette-item"
          value={`session ${session}`}
          keywords={peer === null ? [] : [peer]}
          onSelect={() => onChoose(session)}
        >
          <span className="palette-item-title data">{session}</span>
          <span className="palette-item-note">
            {[peer, state, state === 'live' ? undefined : formatRelative(lastSeenMs, nowMs)]
              .filter(Boolean)
              .join(' · ')}
          </span>
        </Command.Item>
      ))}
    </Command.Group>
  );
}

interface QueueItemsProps {
  readonly query: string;
  readonly onChoose: (queue: string) => void;
}

function QueueItems({ query, onChoose }: QueueItemsProps) {
  const queues = useSnapshot('queues.state')?.queues;
  const found = useMemo(() => findQueues(queues ?? [], query), [queues, query]);
  if (found.length === 0) return null;
  return (
    <Command.Group heading="Open a queue" className="palette-group">
      {found.map(({ queue, lag, health }) => (
        <Command.Item key={queue} className="palette-item" value={`queue ${queue}`} onSelect={() => onChoose(queue)}>
          <span className="palette-item-title data">{visibleText(queue)}</span>
          <span className="palette-item-note">
            {health === 'no-consumer' ? 'no consumer' : health} · lag {formatCount(lag)}
          </span>
        </Command.Item>
      ))}
    </Command.Group>
  );
}

function TraceItem({ query, onChoose }: { readonly query: string; readonly onChoose: (sought: TraceSought) => void }) {
  const sought = readTraceSought(query);
  if (sought === undefined) return null;
  const title = sought.kind === 'trace' ? 'Show this trace' : 'Show the trace of this envelope';
  return (
    <Command.Group heading="Trace" className="palette-group">
      <Command.Item
        className="palette-item"
        value={`trace ${query}`}
        keywords={[query]}
        onSelect={() => onChoose(sought)}
      >
        <span className="palette-item-title">{title}</span>
        <span className="palette-item-note data">{sought.kind === 'trace' ? sought.traceId : sought.envelopeId}</span>
      </Command.Item>
    </Command.Group>
  );
}

function showSought(view: Workbench['view'], sought: TraceSought): void {
  if (sought.kind === 'trace') showTrace(view, sought.traceId);
  else showTraceOf(view, sought.envelopeId);
}

function PaletteContent({ onClose, onChooseSession, onChooseQueue }: Omit<CommandPaletteProps, 'isOpen'>) {
  const [query, setQuery] = useState('');
  const { view } = useWorkbench();
  const viewTitle = titleOfView(useViewState((state) => state.view));
  const groups = groupActions(
    useAllActions().filter(
      ({ id, isOneOfMany }) => id !== 'shell.palette' && (isOneOfMany !== true || query.trim() !== ''),
    ),
    viewTitle,
  );
  const runAction = useRunAction();
  // Closed first, and the focus given back in a task of its own: what is chosen may open a dialog that takes it over.
  const afterClose = (run: () => void): void => {
    flushSync(onClose);
    setTimeout(run);
  };
  return (
    <Command
      className="palette"
      label="Search or run"
      filter={paletteScore}
      loop
      onKeyDown={(event) => {
        if (event.key.toLowerCase() === 'k' && (event.metaKey || event.ctrlKey)) {
          event.preventDefault();
          onClose();
        }
      }}
      vimBindings={false}
    >
      <div className="palette-input-row">
        <Search aria-hidden="true" />
        <Command.Input
          autoFocus
          className="palette-input"
          placeholder="Search or run…"
          value={query}
          onValueChange={setQuery}
        />
        <KeyHint keys="Escape" />
      </div>
      <Command.List className="palette-list" label="Actions, queues and sessions">
        <Command.Empty className="palette-empty">Nothing has that name. Try a shorter part of it.</Command.Empty>
        {groups.map(([group, actions]) => (
          <Command.Group key={group} heading={group} className="palette-group">
            {actions.map((action) => (
              <ActionItem key={action.id} action={action} onChoose={(one) => afterClose(() => void runAction(one))} />
            ))}
          </Command.Group>
        ))}
        <TraceItem query={query} onChoose={(sought) => afterClose(() => showSought(view, sought))} />
        <QueueItems query={query} onChoose={(queue) => afterClose(() => onChooseQueue(queue))} />
        <SessionItems query={query} onChoose={(session) => afterClose(() => onChooseSession(session))} />
      </Command.List>
    </Command>
  );
}

export function CommandPalette({ isOpen, onClose, ...choose }: CommandPaletteProps) {
  return (
    <Dialog isOpen={isOpen} onClose={onClose} kind="palette" title="Search or run">
      <PaletteContent onClose={onClose} {...choose} />
    </Dialog>
  );
}
