/** Streams: sessions at the left, what passes on the bus in the middle, the selected message at the right. */
import { type RefObject, useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { visibleText } from '../../../shared/base/visible-text.ts';
import type { Wanted, WantedInStreams } from '../../state/view-store.ts';
import { SidePanel } from '../../ui/side-panel.tsx';
import { Splitter } from '../../ui/splitter.tsx';
import { useSize } from '../../ui/use-size.ts';
import { useActions, useSnapshot, useViewState, useWorkbench } from '../../workbench.tsx';
import { Inspector } from './inspector.tsx';
import { createMarkActions } from './mark-actions.ts';
import { useSoundFilter } from './message-filter-field.tsx';
import { MessagesPane } from './messages-pane.tsx';
import { ModeSwitch } from './mode-switch.tsx';
import { createNatsActions } from './nats-actions.ts';
import type { RowsModel } from './rows-model.ts';
import { SessionList } from './session-list.tsx';
import { SessionView } from './session-view.tsx';
import type { StoredModel } from './stored-model.ts';
import { createStreamsActions, createTableActions, type StreamsCommands } from './streams-actions.ts';
import { StreamsDialogButtons, type StreamsDialogKind, StreamsDialogs } from './streams-dialogs.tsx';
import { type AnyTable, StreamsToolbar } from './streams-toolbar.tsx';
import type { TableModel } from './table-model.ts';
import { sessionName } from './tree-row.tsx';
import { useRowsVersion, useTableModels } from './use-rows-model.ts';
import './streams-view.css';

/** Keeps the feed on the selected session, and the flow on only while the table is looked at. */
function useFeed(model: RowsModel, session: string | null, isShownHere: boolean): void {
  const filter = useSoundFilter();
  const workspace = useSnapshot('app.status')?.workspace;
  const isShown = useViewState((state) => state.view === 'streams') && isShownHere;
  useEffect(() => {
    if (session === null) model.open('>', filter);
    else if (workspace !== undefined) model.open(`vak.events.${workspace}.${session}.>`, filter);
  }, [model, session, workspace, filter]);
  useEffect(() => {
    model.setShown(isShown);
    return () => model.setShown(false);
  }, [model, isShown]);
}

/** Keeps the table over a stream on the selected one, and reads only while that is looked at. */
function useStoredFeed(model: StoredModel, stream: string | null): void {
  const filter = useSoundFilter();
  const place = useSnapshot('app.status')?.environment.name;
  const isShown = useViewState((state) => state.view === 'streams') && stream !== null;
  useEffect(() => {
    if (stream !== null && place !== undefined) model.open(stream, filter, place);
  }, [model, stream, filter, place]);
  useEffect(() => {
    model.setShown(isShown);
    return () => model.setShown(false);
  }, [model, isShown]);
}

/** Puts markers where there was no connection; answers whether what is shown may be old. */
function useOutages(model: RowsModel): boolean {
  const connections = useSnapshot('connections.state');
  const outages = connections?.outages;
  useEffect(() => {
    if (outages !== undefined) model.setOutages(outages);
  }, [model, outages]);
  return connections !== undefined && connections.staleSinceMs !== null;
}

const noGap = {
  dropped: 'No row of this table was missed: what was dropped never came to it, or has left it since.',
  outage: 'The place of the outage is not in this table: no row before it is held.',
} as const;

/** What was not sent for want of a connection left its gap where that was lost. */
function showGap(model: RowsModel, kind: keyof typeof noGap): boolean {
  return model.showGap(kind) || (kind === 'dropped' && model.showGap('outage'));
}

/** What has the focus then. */
const wantedRoles: Readonly<Record<WantedInStreams['kind'], 'grid' | 'tree'>> = {
  message: 'grid',
  dropped: 'grid',
  outage: 'grid',
  session: 'tree',
};

function focusRole(root: RefObject<HTMLElement | null>, role: 'grid' | 'tree'): void {
  root.current?.querySelector<HTMLElement>(`[role="${role}"]`)?.focus({ preventScroll: true });
}

const isWantedHere = (wanted: Wanted): wanted is WantedInStreams => Object.hasOwn(wantedRoles, wanted.kind);

/** Shows what another view asked for, once the table holds all subjects, with the focus on it. */
function useWanted(model: RowsModel, root: RefObject<HTMLElement | null>): void {
  const { view, advise } = useWorkbench();
  const wanted = useViewState((state) => state.wanted);
  useEffect(() => {
    if (wanted === null || !isWantedHere(wanted)) return;
    if (wanted.kind === 'message') model.show(wanted.seq);
    else if (wanted.kind !== 'session' && !showGap(model, wanted.kind)) advise(noGap[wanted.kind]);
    focusRole(root, wantedRoles[wanted.kind]);
    view.setState({ wanted: null });
  }, [view, model, root, advise, wanted]);
}

function useTogglePause(model: TableModel): () => void {
  const { mirror } = useWorkbench();
  return useCallback(() => {
    const status = mirror.getState()['streams.status'];
    if (model.pausedAt !== undefined) model.resume();
    else model.pause({ seq: status?.newestSeq ?? 0, receivedBytes: status?.receivedBytes ?? 0 });
  }, [model, mirror]);
}

interface Parts extends Pick<StreamsCommands, 'openDialog'> {
  readonly sessionFilter: RefObject<HTMLInputElement | null>;
  readonly messageFilter: RefObject<HTMLInputElement | null>;
}

/** What keys, palette and buttons do here. */
function useCommands(model: TableModel, { sessionFilter, messageFilter, openDialog }: Parts): StreamsCommands {
  const { view } = useWorkbench();
  const togglePause = useTogglePause(model);
  return useMemo(
    () => ({
      togglePause,
      openDialog,
      openInspector: () => view.setState({ isInspectorOpen: true }),
      focusSessionFilter: () => sessionFilter.current?.focus(),
      focusMessageFilter: () => messageFilter.current?.focus(),
    }),
    [view, togglePause, openDialog, sessionFilter, messageFilter],
  );
}

function useStreamsActions(model: AnyTable, isTable: boolean, commands: StreamsCommands): void {
  const { view, client, notify, refuse } = useWorkbench();
  useActions(
    useMemo(() => {
      const needs = { view, notify, refuse };
      const always = createStreamsActions(needs, commands);
      const ofMessages = createNatsActions(model, { client, notify, refuse });
      const marks = createMarkActions(model, { client, view, notify, openDialog: commands.openDialog });
      return isTable ? [...createTableActions(model, commands, needs), ...ofMessages, ...marks, ...always] : always;
    }, [view, client, notify, refuse, model, isTable, commands]),
  );
}

function useTitle(session: string | null, stream: string | null): string {
  const summary = useSnapshot('sessions.list')?.sessions.find((each) => each.session === session);
  if (stream !== null) return visibleText(stream);
  if (session === null) return 'All subjects';
  return summary === undefined ? visibleText(session) : sessionName(summary);
}

const inspectorBounds = { initialPx: 420, minPx: 280, maxPx: 800 };

/** The selected message's panel. */
function InspectorPanel({ model, onClose }: { readonly model: AnyTable; readonly onClose: () => void }) {
  useRowsVersion(model);
  const stream = model.kind === 'stored' ? (model.stream ?? null) : null;
  return (
    <SidePanel
      label="Inspector"
      sizeName="streams.inspector"
      bounds={inspectorBounds}
      onClose={onClose}
      isEmpty={model.selectedSeq === undefined}
      data-testid="inspector"
    >
      <Inspector
        seq={model.selectedSeq}
        stream={stream}
        onClose={onClose}
        onSelect={model.show}
        onLearn={model.learn}
      />
    </SidePanel>
  );
}

/** The sessions at the left; choosing one leaves the stream that is shown. */
function SessionsPanel({ filterRef }: { readonly filterRef: RefObject<HTMLInputElement | null> }) {
  const { view } = useWorkbench();
  const size = useSize('streams.sessions', { initialPx: 240, minPx: 160, maxPx: 480 });
  return (
    <>
      <aside className="streams-sessions" aria-label="Sessions" style={{ width: `${size.px}px` }}>
        <SessionList
          filterRef={filterRef}
          onSelect={(selectedSession) => view.setState({ selectedSession, selectedStream: null })}
          onOpen={(selectedSession) => view.setState({ selectedSession, selectedStream: null, streamsMode: 'session' })}
        />
      </aside>
      <Splitter label="Width of the session list" size={size} sizes="before" />
    </>
  );
}

export function StreamsView() {
  const { view } = useWorkbench();
  const { live, stored } = useTableModels();
  const stream = useViewState((state) => state.selectedStream);
  const model = stream === null ? live : stored;
  const session = useViewState((state) => state.selectedSession);
  const isTable = useViewState((state) => state.streamsMode === 'messages' || state.selectedSession === null);
  const [dialog, setDialog] = useState<StreamsDialogKind | null>(null);
  const isInspectorOpen = useViewState((state) => state.isInspectorOpen) && isTable;
  const sessionFilter = useRef<HTMLInputElement>(null);
  const messageFilter = useRef<HTMLInputElement>(null);
  const root = useRef<HTMLDivElement>(null);
  const title = useTitle(session, stream);
  const commands = useCommands(model, { sessionFilter, messageFilter, openDialog: setDialog });
  useFeed(live, session, isTable && stream === null);
  useStoredFeed(stored, stream);
  useWanted(live, root);
  const isStale = useOutages(live);
  useStreamsActions(model, isTable, commands);
  const focusTable = (): void => focusRole(root, 'grid');
  const closeInspector = (): void => {
    view.setState({ isInspectorOpen: false });
    focusTable();
  };
  return (
    <div className="streams" ref={root}>
      <SessionsPanel filterRef={sessionFilter} />
      <section className="streams-main stale-edge" aria-label={title} data-stale={isStale}>
        <StreamsToolbar model={model} title={title} onTogglePause={commands.togglePause}>
          <StreamsDialogButtons onOpen={setDialog} />
          <ModeSwitch />
        </StreamsToolbar>
        {isTable || session === null ? (
          <MessagesPane
            model={model}
            label={`Messages: ${title}`}
            session={session}
            filterRef={messageFilter}
            onLeaveFilter={focusTable}
            onOpenInspector={commands.openInspector}
            onTogglePause={commands.togglePause}
          />
        ) : (
          <SessionView key={session} session={session} />
        )}
      </section>
      <StreamsDialogs model={model} shown={dialog} onClose={() => setDialog(null)} />
      {isInspectorOpen && <InspectorPanel model={model} onClose={closeInspector} />}
    </div>
  );
}
