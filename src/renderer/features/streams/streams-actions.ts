/** Actions of the Streams view: the palette and the sheet of keys list them. */
import type { Action } from '../../actions/action-registry.ts';
import { copyText } from '../../ui/copy-text.ts';
import type { Workbench } from '../../workbench.tsx';
import type { StreamsDialogKind } from './streams-dialogs.tsx';
import type { TableModel } from './table-model.ts';
import { movePage, moveSelection, moveToOldest } from './table-moves.ts';

export interface StreamsCommands {
  readonly togglePause: () => void;
  readonly openDialog: (kind: StreamsDialogKind) => void;
  readonly openInspector: () => void;
  readonly focusSessionFilter: () => void;
  readonly focusMessageFilter: () => void;
}

type Needs = Pick<Workbench, 'view' | 'notify' | 'refuse'>;

function copySubjectAction(model: TableModel, { notify, refuse }: Omit<Needs, 'view'>): Action {
  const subject = (): string | undefined =>
    model.selectedSeq === undefined ? undefined : model.buffer.rowAt(model.buffer.findSeq(model.selectedSeq))?.subject;
  return {
    id: 'streams.copySubject',
    title: 'Copy the subject of the selected message',
    group: 'Streams',
    keys: ['y'],
    disabledReason: () => (subject() === undefined ? 'select a message first' : undefined),
    run: () => {
      if (copyText(subject() ?? '')) notify('Copied the subject');
      else refuse('The clipboard refused the subject');
    },
  };
}

/** Actions that move the selection. */
function createMoveActions(model: TableModel): readonly Action[] {
  return [
    {
      id: 'streams.oldest',
      title: 'Go to the oldest message',
      group: 'Streams',
      keys: ['Home'],
      run: () => moveToOldest(model),
    },
    {
      id: 'streams.next',
      title: 'Select the next message',
      group: 'Streams',
      keys: ['j', 'ArrowDown'],
      run: () => moveSelection(model, 1),
    },
    {
      id: 'streams.previous',
      title: 'Select the previous message',
      group: 'Streams',
      keys: ['k', 'ArrowUp'],
      run: () => moveSelection(model, -1),
    },
    {
      id: 'streams.pageDown',
      title: 'One screen down',
      group: 'Streams',
      keys: ['PageDown'],
      run: () => movePage(model, 1),
    },
    {
      id: 'streams.pageUp',
      title: 'One screen up',
      group: 'Streams',
      keys: ['PageUp'],
      run: () => movePage(model, -1),
    },
  ];
}

/** Actions of the table. */
export function createTableActions(model: TableModel, commands: StreamsCommands, needs: Needs): readonly Action[] {
  return [
    {
      id: 'streams.togglePause',
      title: 'Pause or resume the table',
      group: 'Streams',
      keys: ['Space'],
      run: commands.togglePause,
    },
    {
      id: 'streams.follow',
      title: 'Follow the newest message',
      group: 'Streams',
      keys: ['g', 'Shift+G', 'End'],
      disabledReason: () =>
        model.scroll.isFollowing && model.selectedSeq === undefined ? 'it is followed already' : undefined,
      run: () => model.follow(),
    },
    {
      id: 'streams.filterMessages',
      title: 'Filter the messages',
      group: 'Streams',
      keys: ['/'],
      run: commands.focusMessageFilter,
    },
    ...createMoveActions(model),
    {
      id: 'streams.inspect',
      title: 'Open the selected message',
      group: 'Streams',
      keys: ['Enter'],
      run: commands.openInspector,
    },
    {
      id: 'streams.jump',
      title: 'Go to a time or a sequence…',
      group: 'Streams',
      keys: ['t'],
      disabledReason: () => (model.buffer.size === 0 ? 'the table has no row yet' : undefined),
      run: () => commands.openDialog('jump'),
    },
    copySubjectAction(model, needs),
  ];
}

/** Actions that ask something first. */
function dialogActions(openDialog: StreamsCommands['openDialog']): readonly Action[] {
  return [
    {
      id: 'streams.openStream',
      title: 'Open a durable stream: history and what comes',
      group: 'Streams',
      keys: ['o'],
      run: () => openDialog('stream'),
    },
    {
      id: 'streams.export',
      title: 'Export messages: NDJSON, CSV or raw payloads…',
      group: 'Streams',
      keys: ['e'],
      run: () => openDialog('export'),
    },
  ];
}

/** Actions that stand while the view is shown, whatever it shows. */
export function createStreamsActions(
  { view }: Needs,
  { focusSessionFilter, openDialog }: StreamsCommands,
): readonly Action[] {
  const hasSession = (): boolean => view.getState().selectedSession !== null;
  const isNarrowed = (): boolean => hasSession() || view.getState().selectedStream !== null;
  const needsSession = (): string | undefined => (hasSession() ? undefined : 'select a session first');
  return [
    {
      id: 'streams.toggleInspector',
      title: 'Show or hide the inspector',
      group: 'Streams',
      keys: ['Mod+I'],
      run: () => view.setState((state) => ({ isInspectorOpen: !state.isInspectorOpen })),
    },
    {
      id: 'streams.filterSessions',
      title: 'Filter the sessions',
      group: 'Streams',
      keys: ['f'],
      run: focusSessionFilter,
    },
    {
      id: 'streams.allSubjects',
      title: 'Show all subjects',
      group: 'Streams',
      disabledReason: () => (isNarrowed() ? undefined : 'they are shown already'),
      run: () => view.setState({ selectedSession: null, selectedStream: null }),
    },
    ...dialogActions(openDialog),
    {
      id: 'streams.openSession',
      title: 'Show the session: terminal, charts, tasks',
      group: 'Streams',
      keys: ['s'],
      disabledReason: needsSession,
      run: () => view.setState({ streamsMode: 'session' }),
    },
    {
      id: 'streams.showMessages',
      title: 'Show the messages of the session',
      group: 'Streams',
      keys: ['m'],
      disabledReason: needsSession,
      run: () => view.setState({ streamsMode: 'messages' }),
    },
  ];
}
