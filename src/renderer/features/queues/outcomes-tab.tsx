/** What became of the tasks of a queue: how many of each outcome, the latest of them, and one task with all its attempts. */
// biome-ignore-all lint/a11y/useFocusableInteractive: the grid has the focus; its rows and cells are active descendants (WAI-ARIA grid).
import { ArrowUp } from 'lucide-react';
import { ToggleGroup } from 'radix-ui';
import { type RefObject, useEffect, useRef, useState } from 'react';
import { visibleText } from '../../../shared/base/visible-text.ts';
import type { QueueState, TaskOutcome, TaskReport } from '../../../shared/contract/queues-contract.ts';
import { describeError } from '../../ui/describe-error.ts';
import { ErrorNotice } from '../../ui/error-notice.tsx';
import { formatCount, formatDateTime, formatDuration, formatRelative, shortenId } from '../../ui/format.ts';
import { RowList } from '../../ui/row-list.tsx';
import { useHeldRows, useHold } from '../../ui/use-held-rows.ts';
import { useNow } from '../../ui/use-now.ts';
import { useViewState } from '../../workbench.tsx';
import { OutcomeBadge } from './outcome-badge.tsx';
import { outcomes, outcomeWords, rememberedCount, tasksWords } from './queue-words.ts';
import { lastAttempt, reportLine } from './report-words.ts';
import { EscapeScope } from './task-page.tsx';
import { TaskReportPage } from './task-report-page.tsx';
import { maxReports, useTaskReports } from './use-task-reports.ts';
import './outcomes-tab.css';

const keyOf = ({ leaf }: TaskReport): string => leaf;
const nameOf = ({ taskId, leaf }: TaskReport): string => taskId ?? leaf;

type Shown = TaskOutcome | 'all';

interface CountsProps {
  readonly counts: QueueState['outcomes'];
  readonly shown: Shown;
  readonly onShow: (shown: Shown) => void;
}

/** The counts add up to the first one; each narrows the list down to itself. */
function Counts({ counts, shown, onShow }: CountsProps) {
  const total = rememberedCount(counts);
  const choices: readonly (readonly [Shown, string, number])[] = [
    ['all', 'all', total],
    ...outcomes.map((outcome) => [outcome, outcomeWords[outcome].word, counts[outcome]] as const),
  ];
  return (
    <ToggleGroup.Root
      type="single"
      className="outcome-counts"
      aria-label="Show tasks of one outcome"
      value={shown}
      onValueChange={(id) => onShow(id === '' ? 'all' : (id as Shown))}
    >
      {choices.map(([id, word, count]) => (
        <ToggleGroup.Item
          key={id}
          className={`outcome-count${count === 0 ? ' dim' : id === 'all' ? '' : ` tone-${outcomeWords[id].tone}`}`}
          value={id}
          title={id === 'all' ? 'Tasks that are remembered: the sum of the others' : outcomeWords[id].meaning}
          data-testid={`outcome-${id}`}
          data-count={count}
        >
          <span>{word}</span>
          <span className="data">{formatCount(count)}</span>
        </ToggleGroup.Item>
      ))}
    </ToggleGroup.Root>
  );
}

function Header() {
  return (
    <div role="row" className="outcome-columns row-list-heads" aria-rowindex={1}>
      <span role="columnheader">Outcome</span>
      <span role="columnheader">Task</span>
      <span role="columnheader" className="row-cell-number" title="Attempts that receipts which count tell of">
        Tries
      </span>
      <span role="columnheader" className="row-cell-number outcome-exit" title="Exit code of the last attempt">
        Exit
      </span>
      <span role="columnheader" className="row-cell-number" title="How long the last attempt took">
        Took
      </span>
      <span role="columnheader" className="row-cell-number" title="When more was last heard of it">
        Changed
      </span>
      <span role="columnheader">Worker, reason</span>
    </div>
  );
}

function Cells({ report, nowMs }: { readonly report: TaskReport; readonly nowMs: number }) {
  const zone = useViewState((state) => state.timeZone);
  const attempt = lastAttempt(report);
  const name = report.taskId ?? report.leaf;
  const line = reportLine(report);
  return (
    <div role="presentation" className="outcome-columns">
      <span role="gridcell" className="row-cell">
        <OutcomeBadge outcome={report.outcome} />
      </span>
      <span role="gridcell" className="row-cell data" title={visibleText(name)}>
        {visibleText(shortenId(name, 12))}
      </span>
      <span role="gridcell" className="row-cell row-cell-number data dim">
        {formatCount(report.attempts.length)}
      </span>
      <span role="gridcell" className="row-cell row-cell-number data outcome-exit">
        {attempt?.exitCode ?? '–'}
      </span>
      <span role="gridcell" className="row-cell row-cell-number data dim">
        {attempt === undefined ? '–' : formatDuration(Math.max(0, attempt.endedMs - attempt.startedMs))}
      </span>
      <span
        role="gridcell"
        className="row-cell row-cell-number data dim"
        title={formatDateTime(report.changedMs, zone)}
      >
        {formatRelative(Math.min(report.changedMs, nowMs), nowMs)}
      </span>
      <span role="gridcell" className="row-cell" title={line}>
        {line}
      </span>
    </div>
  );
}

function NoneOf({ shown, isPart }: { readonly shown: Shown; readonly isPart: boolean }) {
  const what =
    shown === 'all' ? 'Nothing was heard of a task of this queue yet.' : `No task is ${outcomeWords[shown].word}`;
  return (
    <p className="task-list-none dim">
      {shown === 'all' ? what : `${what}${isPart ? ` among the latest ${formatCount(maxReports)}` : ''}.`}
    </p>
  );
}

interface ListProps {
  readonly queue: QueueState;
  readonly reports: readonly TaskReport[];
  readonly shown: Shown;
  readonly selected: string | undefined;
  readonly onSelect: (leaf: string | undefined) => void;
  readonly onOpen: (leaf: string) => void;
  readonly listRef: RefObject<HTMLDivElement | null>;
}

/** Rows stay where they are while one is selected or the pointer is over them; what came since is one click away. */
function OutcomeList({ queue, reports, shown, selected, onSelect, onOpen, listRef }: ListProps) {
  const { isHeld, onHover } = useHold();
  const [release, setRelease] = useState(0);
  const nowMs = useNow();
  const rows = shown === 'all' ? reports : reports.filter(({ outcome }) => outcome === shown);
  const { kept, added } = useHeldRows(rows, {
    keyOf,
    isHeld: isHeld || selected !== undefined,
    of: `${queue.queue} ${shown} ${release}`,
  });
  if (kept.length === 0) return <NoneOf shown={shown} isPart={rememberedCount(queue.outcomes) > reports.length} />;
  return (
    <div className="row-list-frame">
      <RowList
        label={`Tasks of ${visibleText(queue.queue)}, latest change first`}
        className="task-list"
        rows={kept}
        keyOf={keyOf}
        nameOf={nameOf}
        selectedKey={selected}
        onSelect={onSelect}
        onOpen={onOpen}
        onHover={onHover}
        listRef={listRef}
        rowData={({ outcome }) => ({ 'data-outcome': outcome })}
        data-testid="outcome-list"
        header={<Header />}
      >
        {(report) => <Cells report={report} nowMs={nowMs} />}
      </RowList>
      {added.length > 0 && (
        <button
          type="button"
          className="outcome-newer"
          data-testid="outcomes-newer"
          onClick={() => {
            onSelect(undefined);
            setRelease(release + 1);
            listRef.current?.scrollTo({ top: 0 });
            listRef.current?.focus({ preventScroll: true });
          }}
        >
          <ArrowUp size={14} aria-hidden="true" />
          {formatCount(added.length)} newer
        </button>
      )}
    </div>
  );
}

export interface OutcomesTabProps {
  readonly queue: QueueState;
  /** Leaf or id of the task whose page is open; undefined: the list is shown. */
  readonly openTask: string | undefined;
  readonly onOpenTask: (task: string | undefined) => void;
}

export function OutcomesTab({ queue, openTask, onOpenTask }: OutcomesTabProps) {
  const { reports, failure } = useTaskReports(queue);
  const [shown, setShown] = useState<Shown>('all');
  const [selected, setSelected] = useState<string | undefined>();
  const list = useRef<HTMLDivElement>(null);
  const wasOpen = useRef(false);
  useEffect(() => {
    if (openTask === undefined && wasOpen.current) list.current?.focus({ preventScroll: true });
    wasOpen.current = openTask !== undefined;
  }, [openTask]);
  if (openTask !== undefined) {
    const report = reports?.find(({ leaf, taskId }) => leaf === openTask || taskId === openTask);
    return <TaskReportPage task={openTask} report={report} queue={queue} onBack={() => onOpenTask(undefined)} />;
  }
  const total = rememberedCount(queue.outcomes);
  const listed = reports?.length ?? 0;
  return (
    <EscapeScope onEscape={selected === undefined ? undefined : () => setSelected(undefined)}>
      <Counts counts={queue.outcomes} shown={shown} onShow={setShown} />
      {failure !== undefined && (
        <div className="task-list-failure">
          <ErrorNotice report={describeError('Read what became of the tasks', failure.error)} />
        </div>
      )}
      {reports === undefined ? (
        failure === undefined && <p className="task-list-none dim late">Reading what became of the tasks…</p>
      ) : (
        <OutcomeList
          queue={queue}
          reports={reports}
          shown={shown}
          selected={selected}
          onSelect={setSelected}
          onOpen={onOpenTask}
          listRef={list}
        />
      )}
      <p className="task-list-note dim">
        {listed < total ? `The latest ${formatCount(listed)} of ${tasksWords(total)} are listed. ` : ''}
        Only receipts and dead letters that count are told.
      </p>
    </EscapeScope>
  );
}
