/** Queues: all of them in one table, the selected one at the right (product.md "Queues"). */
import { ListPlus } from 'lucide-react';
import { type RefObject, useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { visibleText } from '../../../shared/base/visible-text.ts';
import type { QueueState, QueuesState } from '../../../shared/contract/queues-contract.ts';
import { ActionButton } from '../../actions/action-button.tsx';
import { useEnvironment } from '../../state/use-environment.ts';
import { copyText } from '../../ui/copy-text.ts';
import { SidePanel } from '../../ui/side-panel.tsx';
import { type Hold, useHeldRows, useHold } from '../../ui/use-held-rows.ts';
import { ViewFrame } from '../../ui/view-frame.tsx';
import { NoMatch, Reading, StaleMark, Unread } from '../../ui/view-states.tsx';
import { useActions, useSnapshot, useViewState, useWorkbench } from '../../workbench.tsx';
import { createMoveActions, createSelectedActions, type QueueMoves } from './queue-actions.ts';
import { type DetailTab, QueueDetail } from './queue-detail.tsx';
import { filterQueues, heldQueues, orderOf, sortQueues } from './queue-order.ts';
import { QueueTable } from './queue-table.tsx';
import { summaryWords } from './queue-words.ts';
import { NoQueues } from './queues-empty.tsx';
import { QueuesStrip } from './queues-strip.tsx';
import { useQueueWork } from './use-queue-work.ts';
import './queues-view.css';

const keyOf = ({ queue }: QueueState): string => queue;
const detailBounds = { initialPx: 560, minPx: 440, maxPx: 960 };

/** The rows as they are shown; they hold still under the pointer and under the keys. */
function useQueueRows(queues: readonly QueueState[]): Hold & { readonly rows: readonly QueueState[] } {
  const order = useViewState((one) => one.queueOrder);
  const filter = useViewState((one) => one.queueFilter);
  const hold = useHold();
  const sorted = useMemo(() => sortQueues(queues, orderOf(order)), [queues, order]);
  // By name nothing moves anyway.
  const isHeld = hold.isHeld && orderOf(order).column !== 'name';
  const held = useHeldRows(sorted, { keyOf, isHeld, of: order });
  const rows = filterQueues(isHeld ? heldQueues(held, sorted) : sorted, filter);
  return { ...hold, rows, isHeld };
}

function useQueueActions({
  moves,
  selected,
}: {
  readonly moves: QueueMoves;
  readonly selected: QueueState | string | null;
}): void {
  const { mirror, view } = useWorkbench();
  const work = useQueueWork();
  const queue = typeof selected === 'string' ? selected : (selected?.queue ?? null);
  const isPaused = selected !== null && typeof selected !== 'string' && selected.paused !== null;
  useActions(useMemo(() => createMoveActions(moves), [moves]));
  useActions(
    useMemo(
      () => createSelectedActions({ mirror, view, work }, { queue, isPaused }),
      [mirror, view, work, queue, isPaused],
    ),
  );
}

/** Opens what another view asked for. */
function useWantedQueue(
  list: RefObject<HTMLDivElement | null>,
  {
    open,
    show,
  }: { readonly open: (queue: string) => void; readonly show: (queue: string, taskId: string | null) => void },
): void {
  const { view } = useWorkbench();
  const wanted = useViewState((state) => (state.wanted?.kind === 'queue' ? state.wanted : null));
  useEffect(() => {
    if (wanted === null) return;
    view.setState({ wanted: null });
    open(wanted.queue);
    show(wanted.queue, wanted.taskId);
    // The page of a task takes the focus itself.
    if (wanted.taskId === null) requestAnimationFrame(() => list.current?.focus({ preventScroll: true }));
  }, [view, wanted, open, show, list]);
}

/** Which page of the detail is shown; the page of a task belongs to its queue. */
function useDetailPage(selected: string | null) {
  const [tab, setTab] = useState<DetailTab>('waiting');
  const [opened, setOpened] = useState<{ readonly queue: string | null; readonly task: string } | undefined>();
  const show = useCallback((queue: string, task: string | null): void => {
    setTab(task === null ? 'waiting' : 'outcomes');
    setOpened(task === null ? undefined : { queue, task });
  }, []);
  const onTab = (next: DetailTab): void => {
    setTab(next);
    setOpened(undefined);
  };
  const onOpenTask = (task: string | undefined): void =>
    setOpened(task === undefined ? undefined : { queue: selected, task });
  return { show, shown: { tab, onTab, openTask: opened?.queue === selected ? opened.task : undefined, onOpenTask } };
}

interface MovesDeps {
  readonly filter: RefObject<HTMLInputElement | null>;
  readonly root: RefObject<HTMLElement | null>;
}

function useMoves({ filter, root }: MovesDeps): QueueMoves & { readonly openQueue: (queue: string) => void } {
  const { view, notify, refuse } = useWorkbench();
  return useMemo(() => {
    const openQueue = (selectedQueue: string): void => view.setState({ selectedQueue, isQueueOpen: true });
    return {
      openQueue,
      open() {
        const { selectedQueue, isQueueOpen } = view.getState();
        if (selectedQueue === null) return;
        if (isQueueOpen) root.current?.querySelector<HTMLElement>('[role=tab][data-state=active]')?.focus();
        else openQueue(selectedQueue);
      },
      copyName() {
        const { selectedQueue } = view.getState();
        if (selectedQueue === null) refuse('Copy the name: select a queue first');
        else if (copyText(selectedQueue)) notify('Copied the name of the queue.');
        else refuse('The clipboard refused the name.');
      },
      focusFilter: () => filter.current?.focus(),
      sort: (queueOrder) => view.setState({ queueOrder }),
    };
  }, [view, notify, refuse, filter, root]);
}

interface TablePlaceProps {
  readonly rows: readonly QueueState[];
  readonly selected: string | null;
  readonly moves: ReturnType<typeof useMoves>;
  readonly hold: Pick<Hold, 'onHover' | 'onKey'>;
  readonly listRef: RefObject<HTMLDivElement | null>;
  /** Closes the detail; undefined: it is not open. */
  readonly onEscape: (() => void) | undefined;
}

function TablePlace({ rows, selected, moves, hold, listRef, onEscape }: TablePlaceProps) {
  const { view } = useWorkbench();
  const order = useViewState((one) => one.queueOrder);
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: keys of the list inside; Esc closes the panel beside it.
    <div
      className="queues-table-place"
      onKeyDownCapture={hold.onKey}
      onKeyDown={(event) => {
        if (event.key !== 'Escape' || event.defaultPrevented || onEscape === undefined) return;
        event.preventDefault();
        onEscape();
      }}
    >
      <QueueTable
        queues={rows}
        selected={selected}
        onSelect={(selectedQueue) => view.setState({ selectedQueue })}
        onPick={moves.openQueue}
        onOpen={moves.open}
        onHold={hold.onHover}
        order={order}
        onOrder={moves.sort}
        listRef={listRef}
      />
    </div>
  );
}

function QueuesContent({ state }: { readonly state: QueuesState }) {
  const { view } = useWorkbench();
  const environment = useEnvironment()?.name ?? '';
  const selected = useViewState((one) => one.selectedQueue);
  const hasDetail = useViewState((one) => one.isQueueOpen && one.selectedQueue !== null);
  const filter = useViewState((one) => one.queueFilter);
  const { rows, ...hold } = useQueueRows(state.queues);
  const list = useRef<HTMLDivElement>(null);
  const filterInput = useRef<HTMLInputElement>(null);
  const root = useRef<HTMLDivElement>(null);
  const moves = useMoves({ filter: filterInput, root });
  const page = useDetailPage(selected);
  const queue = state.queues.find((one) => one.queue === selected);
  useQueueActions({ moves, selected: queue ?? selected });
  useWantedQueue(list, { open: moves.openQueue, show: page.show });
  const setFilter = (queueFilter: string): void => view.setState({ queueFilter });
  const focusList = (): void => list.current?.focus({ preventScroll: true });
  const close = (): void => {
    view.setState({ isQueueOpen: false });
    focusList();
  };
  const isStale = state.problem !== null;
  const strip = { state, shownCount: rows.length, isHeld: hold.isHeld, filter, onFilter: setFilter };
  return (
    <div className="queues" ref={root}>
      <section className="queues-main stale-edge" aria-label="All queues" data-stale={isStale}>
        {state.queues.length > 0 && <QueuesStrip {...strip} onLeave={focusList} inputRef={filterInput} />}
        {state.queues.length === 0 && <NoQueues />}
        {state.queues.length > 0 && rows.length === 0 && (
          <NoMatch onClear={() => setFilter('')} data-testid="queues-no-match">
            No queue has “{visibleText(filter.trim())}” in its name or state.
          </NoMatch>
        )}
        {rows.length > 0 && (
          <TablePlace {...{ rows, selected, moves, hold, listRef: list }} onEscape={hasDetail ? close : undefined} />
        )}
      </section>
      {hasDetail && selected !== null && (
        <SidePanel
          label="Queue"
          sizeName="queues.detail"
          bounds={detailBounds}
          onClose={close}
          data-testid="queue-detail"
        >
          <QueueDetail {...{ name: selected, queue, state, environment, ...page.shown }} onClose={close} />
        </SidePanel>
      )}
    </div>
  );
}

/** Whatever is known of the queues, or that nothing is. */
function QueuesBody({ state }: { readonly state: QueuesState | undefined }) {
  if (state === undefined || (state.readAtMs === null && state.problem === null))
    return <Reading words="Reading the queues…" />;
  if (state.readAtMs === null) return state.problem && <Unread doing="Read the queues" problem={state.problem} />;
  return <QueuesContent state={state} />;
}

export function QueuesView() {
  const state = useSnapshot('queues.state');
  const hasQueues = state !== undefined && state.queues.length > 0;
  return (
    <ViewFrame
      title="Queues"
      summary={hasQueues ? summaryWords(state.queues) : undefined}
      actions={
        <>
          {state && <StaleMark {...state} data-testid="queues-stale" />}
          {hasQueues && <ActionButton action="queues.enqueue" icon={ListPlus} variant="primary" />}
        </>
      }
    >
      <QueuesBody state={state} />
    </ViewFrame>
  );
}
