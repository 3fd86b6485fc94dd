/** What stands in a queue, page by page, and one task of it. Looking claims nothing. */
// biome-ignore-all lint/a11y/useFocusableInteractive: the grid has the focus; its rows and cells are active descendants (WAI-ARIA grid).
import { ChevronLeft, ChevronRight, CircleSlash, RotateCw } from 'lucide-react';
import { type RefObject, useEffect, useMemo, useRef, useState } from 'react';
import { visibleText } from '../../../shared/base/visible-text.ts';
import type { PeekedTask, QueueState } from '../../../shared/contract/queues-contract.ts';
import { momentWords } from '../../ui/connection-words.ts';
import { describeError } from '../../ui/describe-error.ts';
import { ErrorNotice } from '../../ui/error-notice.tsx';
import { formatAge, formatBytes, formatCount, formatDateTime, formatTime, formatZone } from '../../ui/format.ts';
import { IconButton } from '../../ui/icon-button.tsx';
import { RowList } from '../../ui/row-list.tsx';
import { SealBadge, SignatureBadge } from '../../ui/trust-badges.tsx';
import { useHold } from '../../ui/use-held-rows.ts';
import { useNow } from '../../ui/use-now.ts';
import { useActions, useViewState } from '../../workbench.tsx';
import { OutcomeBadge } from './outcome-badge.tsx';
import type { PeekPages } from './peek-pages.ts';
import { PeekedTaskPage } from './peeked-task-page.tsx';
import { pageWords } from './queue-words.ts';
import { EscapeScope } from './task-page.tsx';
import { type Peeking, usePeekPages } from './use-peek-pages.ts';

const keyOf = ({ seq }: PeekedTask): string => String(seq);

function StateCell({ task }: { readonly task: PeekedTask }) {
  if (task.refusal === null) return <OutcomeBadge outcome={task.outcome} />;
  return (
    <span className="outcome-badge tone-bad" title={`No worker will run it: ${visibleText(task.refusal)}`}>
      <CircleSlash size={13} aria-hidden="true" />
      refused
    </span>
  );
}

interface CellsProps {
  readonly task: PeekedTask;
  readonly nowMs: number;
}

function Cells({ task, nowMs }: CellsProps) {
  const zone = useViewState((state) => state.timeZone);
  const { seq, storedMs, sizeBytes, taskId, peer, isSealed, signature, attemptCount } = task;
  const who = peer === null ? '–' : visibleText(peer);
  return (
    <div role="presentation" className="waiting-columns">
      <span role="gridcell" className="row-cell row-cell-number data">
        {formatCount(seq)}
      </span>
      <span role="gridcell" className="row-cell data dim waiting-stored">
        {formatTime(storedMs, zone)}
      </span>
      <span role="gridcell" className="row-cell row-cell-number data" title={formatDateTime(storedMs, zone)}>
        {formatAge(nowMs - storedMs)}
      </span>
      <span role="gridcell" className="row-cell row-cell-number data dim">
        {formatBytes(sizeBytes)}
      </span>
      <span role="gridcell" className="row-cell data" title={who}>
        {who}
      </span>
      <span role="gridcell" className="row-cell waiting-trust">
        <SealBadge mark={taskId === null ? 'none' : isSealed ? 'sealed' : 'plain'} />
        <SignatureBadge mark={signature.kind} />
      </span>
      <span role="gridcell" className="row-cell row-cell-number data dim">
        {formatCount(attemptCount)}
      </span>
      <span role="gridcell" className="row-cell">
        <StateCell task={task} />
      </span>
    </div>
  );
}

function Header() {
  const zone = useViewState((state) => state.timeZone);
  return (
    <div role="row" className="waiting-columns row-list-heads" aria-rowindex={1}>
      <span role="columnheader" className="row-cell-number" title="Place in the stream of tasks">
        Seq
      </span>
      <span role="columnheader" className="waiting-stored">
        Stored ({formatZone(zone, Date.now())})
      </span>
      <span role="columnheader" className="row-cell-number">
        Age
      </span>
      <span role="columnheader" className="row-cell-number">
        Size
      </span>
      <span role="columnheader">Peer</span>
      <span role="columnheader" title="Seal and signature">
        Trust
      </span>
      <span role="columnheader" className="row-cell-number" title="Attempts that receipts which count tell of">
        Tries
      </span>
      <span role="columnheader">State</span>
    </div>
  );
}

/** Which tasks are shown, of when, and the ways to others. */
function PageStrip({ queue, peeking }: { readonly queue: QueueState; readonly peeking: Peeking }) {
  const { page, pages, trail, isReading } = peeking;
  const zone = useViewState((state) => state.timeZone);
  const first = page?.tasks[0]?.seq;
  const last = page?.tasks.at(-1)?.seq;
  const place = first === undefined || last === undefined ? '' : `#${formatCount(first)} – #${formatCount(last)} · `;
  return (
    <div className="task-strip">
      <p className="task-strip-words dim" data-testid="waiting-strip" data-read={page?.readAtMs ?? ''}>
        {page === undefined
          ? 'Looking…'
          : `${place}${pageWords({
              ...{ shown: page.tasks.length, of: page.standingCount, now: queue.lag },
              at: momentWords(page.readAtMs, zone),
            })}`}
      </p>
      <IconButton
        icon={ChevronLeft}
        label="Previous page"
        keys="Shift+N"
        disabledReason={trail.length === 0 ? 'this is the first page' : undefined}
        onClick={() => void pages.previous()}
      />
      <IconButton
        icon={ChevronRight}
        label="Next page"
        keys="n"
        disabledReason={page?.nextSeq == null ? 'this is the last page' : undefined}
        onClick={() => void pages.next()}
        data-testid="waiting-next"
      />
      <IconButton
        icon={RotateCw}
        label="Look again"
        keys="r"
        disabledReason={isReading ? 'it is being read' : undefined}
        onClick={() => void pages.again()}
      />
    </div>
  );
}

function usePageActions(pages: PeekPages): void {
  const { store } = pages;
  useActions(
    useMemo(
      () => [
        {
          id: 'queues.peekNext',
          title: 'Look at the next page of waiting tasks',
          group: 'Queues',
          keys: ['n'],
          disabledReason: () => (store.getState().page?.nextSeq == null ? 'this is the last page' : undefined),
          run: pages.next,
        },
        {
          id: 'queues.peekPrevious',
          title: 'Look at the previous page of waiting tasks',
          group: 'Queues',
          keys: ['Shift+N'],
          disabledReason: () => (store.getState().trail.length === 0 ? 'this is the first page' : undefined),
          run: pages.previous,
        },
        {
          id: 'queues.peekAgain',
          title: 'Look again at the waiting tasks',
          group: 'Queues',
          keys: ['r'],
          run: pages.again,
        },
      ],
      [pages, store],
    ),
  );
}

function NothingWaits({ queue }: { readonly queue: QueueState }) {
  return (
    <p className="task-list-none dim" data-testid="waiting-none">
      {queue.lag === 0
        ? 'Nothing stands in this queue.'
        : 'What stood in this queue has left it since it was looked at.'}
    </p>
  );
}

interface ListProps extends Peeking {
  readonly queue: QueueState;
  readonly selected: number | undefined;
  readonly onSelect: (seq: number) => void;
  readonly onOpen: (seq: number) => void;
  readonly onHover: (isOver: boolean) => void;
  readonly listRef: RefObject<HTMLDivElement | null>;
}

function WaitingList({ queue, selected, onSelect, onOpen, onHover, listRef, ...peeking }: ListProps) {
  const nowMs = useNow();
  const { page, failure, isReading } = peeking;
  return (
    <>
      <PageStrip queue={queue} peeking={peeking} />
      {failure !== undefined && (
        <div className="task-list-failure">
          <ErrorNotice report={describeError('Look at the waiting tasks', failure.error)} />
        </div>
      )}
      {page !== undefined && page.tasks.length === 0 && <NothingWaits queue={queue} />}
      {page === undefined && isReading && <p className="task-list-none dim late">Looking at what waits…</p>}
      {page !== undefined && page.tasks.length > 0 && (
        <div className="row-list-frame">
          <RowList
            label={`Tasks that wait in ${visibleText(queue.queue)}, oldest first`}
            className="task-list"
            rows={page.tasks}
            keyOf={keyOf}
            nameOf={keyOf}
            selectedKey={selected === undefined ? undefined : String(selected)}
            onSelect={(key) => onSelect(Number(key))}
            onOpen={(key) => onOpen(Number(key))}
            onHover={onHover}
            listRef={listRef}
            rowData={({ refusal }) => ({ 'data-refused': refusal === null ? undefined : true })}
            data-testid="waiting-list"
            header={<Header />}
          >
            {(task) => <Cells task={task} nowMs={nowMs} />}
          </RowList>
        </div>
      )}
      <p className="task-list-note dim">Looking claims nothing: no worker loses a task by it.</p>
    </>
  );
}

export function WaitingTab({ queue }: { readonly queue: QueueState }) {
  const [selected, setSelected] = useState<number | undefined>();
  const [open, setOpen] = useState<PeekedTask | undefined>();
  const { isHeld, onHover } = useHold();
  const list = useRef<HTMLDivElement>(null);
  const peeking = usePeekPages(queue, isHeld || selected !== undefined);
  usePageActions(peeking.pages);
  const wasOpen = useRef(false);
  useEffect(() => {
    if (open === undefined && wasOpen.current) list.current?.focus({ preventScroll: true });
    wasOpen.current = open !== undefined;
  }, [open]);
  const openTask = (seq: number): void => setOpen(peeking.page?.tasks.find((task) => task.seq === seq));
  if (open !== undefined) return <PeekedTaskPage queue={queue.queue} task={open} onBack={() => setOpen(undefined)} />;
  return (
    <EscapeScope onEscape={selected === undefined ? undefined : () => setSelected(undefined)}>
      <WaitingList
        {...peeking}
        queue={queue}
        selected={selected}
        onSelect={setSelected}
        onOpen={openTask}
        onHover={onHover}
        listRef={list}
      />
    </EscapeScope>
  );
}
