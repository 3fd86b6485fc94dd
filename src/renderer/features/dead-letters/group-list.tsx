/** Failures that belong together, one group a row; the first row is all of them. */
// biome-ignore-all lint/a11y/useFocusableInteractive: the grid has the focus; its rows and cells are active descendants (WAI-ARIA grid).
import { TrendingDown, TrendingUp } from 'lucide-react';
import { memo, type RefObject } from 'react';
import { visibleText } from '../../../shared/base/visible-text.ts';
import type { LetterGroup } from '../../../shared/contract/dlq-contract.ts';
import type { Grouping } from '../../../shared/filter/letter-filter.ts';
import { formatCount, formatDateTime, formatRelative, formatShortCount } from '../../ui/format.ts';
import { RowList } from '../../ui/row-list.tsx';
import { Sparkline } from '../../ui/sparkline.tsx';
import { useNow } from '../../ui/use-now.ts';
import { useViewState } from '../../workbench.tsx';
import { StateMark } from './letter-marks.tsx';
import { allKey } from './letter-scope.ts';
import { groupStateWords, groupTitle } from './letter-words.ts';

export type GroupRow =
  | LetterGroup
  | { readonly key: typeof allKey; readonly openCount: number; readonly allCount: number };

const isGroup = (row: GroupRow): row is LetterGroup => row.key !== allKey;
const keyOf = ({ key }: GroupRow): string => key;

/** Where it was seen, when last, whose it is. */
function Second({ group, by, nowMs }: { readonly group: LetterGroup; readonly by: Grouping; readonly nowMs: number }) {
  const zone = useViewState((state) => state.timeZone);
  const { queues, moreQueuesCount, lastMs, firstMs, assignee, state, newCount, errorClass } = group;
  const more = moreQueuesCount > 0 ? ` +${formatCount(moreQueuesCount)}` : '';
  const where = by === 'queue' ? (errorClass ?? '') : `${queues.slice(0, 2).map(visibleText).join(', ')}${more}`;
  const span = `first ${formatDateTime(firstMs, zone)}, last ${formatDateTime(lastMs, zone)}`;
  const isSaid = by === 'cause' && state !== 'open';
  const whole = [
    ...[isSaid ? groupStateWords[state].word : '', by === 'cause' ? (errorClass ?? '') : '', where],
    ...[span, assignee ?? '', newCount > 0 ? `${formatCount(newCount)} since` : ''],
  ];
  return (
    <span
      className="group-second"
      title={whole
        .filter((one) => one !== '')
        .map(visibleText)
        .join(' · ')}
    >
      {isSaid && <StateMark word={groupStateWords[state]} />}
      {by === 'cause' && errorClass !== null && <span className="data dim">{visibleText(errorClass)}</span>}
      {where !== '' && <span className="dim">{visibleText(where)}</span>}
      <span className="dim">{formatRelative(Math.min(lastMs, nowMs), nowMs)}</span>
      {assignee !== null && <span className="dim">· {visibleText(assignee)}</span>}
      {newCount > 0 && <span className="tone-wait">{formatCount(newCount)} since</span>}
    </span>
  );
}

const trendIcons = { rising: TrendingUp, falling: TrendingDown, steady: undefined };

const GroupCells = memo(function GroupCells(props: {
  readonly group: LetterGroup;
  readonly by: Grouping;
  readonly nowMs: number;
}) {
  const { group, by, nowMs } = props;
  const { history, trend, counts, totalCount } = group;
  const title = visibleText(groupTitle(group, by));
  const Trend = trendIcons[trend];
  return (
    <>
      <span role="gridcell" className="row-cell group-words">
        <span className="group-title" title={title}>
          {title}
        </span>
        <Second group={group} by={by} nowMs={nowMs} />
      </span>
      <span role="gridcell" className="row-cell group-trend">
        <Sparkline values={history} label={`letters over time, ${trend}`} />
        {Trend !== undefined && (
          <Trend size={13} role="img" aria-label={trend} className={trend === 'rising' ? 'tone-bad' : 'tone-ok'} />
        )}
      </span>
      <span role="gridcell" className="row-cell row-cell-number data group-counts">
        <span title={`${formatCount(counts.open)} open`} className={counts.open === 0 ? 'dim' : undefined}>
          {formatShortCount(counts.open)}
        </span>
        <span className="dim" title={`${formatCount(totalCount)} in all`}>
          {formatShortCount(totalCount)}
        </span>
      </span>
    </>
  );
});

function AllCells({ row }: { readonly row: Exclude<GroupRow, LetterGroup> }) {
  return (
    <>
      <span role="gridcell" className="row-cell group-words">
        <span className="group-title">All that match</span>
        <span className="group-second dim">whatever their group</span>
      </span>
      <span role="gridcell" className="row-cell" />
      <span role="gridcell" className="row-cell row-cell-number data group-counts">
        <span className="dim">{row.openCount < 0 ? '' : formatShortCount(row.openCount)}</span>
        <span className="dim">{formatShortCount(row.allCount)}</span>
      </span>
    </>
  );
}

export interface GroupListProps {
  readonly rows: readonly GroupRow[];
  readonly by: Grouping;
  readonly selected: string | null;
  readonly onSelect: (key: string) => void;
  readonly onOpen: () => void;
  readonly onHover: (isOver: boolean) => void;
  readonly listRef: RefObject<HTMLDivElement | null>;
}

export function GroupList({ rows, by, selected, onSelect, onOpen, onHover, listRef }: GroupListProps) {
  const nowMs = Math.floor(useNow() / 1000) * 1000;
  return (
    <div className="row-list-frame">
      <RowList
        label="Groups of dead letters, most open ones first"
        rows={rows}
        keyOf={keyOf}
        rowPx={44}
        selectedKey={selected ?? undefined}
        onSelect={onSelect}
        onOpen={onOpen}
        onHover={onHover}
        className="group-list"
        header={
          <div role="row" className="group-columns task-heads" aria-rowindex={1}>
            <span role="columnheader">Group</span>
            <span role="columnheader">Trend</span>
            <span role="columnheader" className="row-cell-number" title="Open ones, and all of them">
              Open / all
            </span>
          </div>
        }
        listRef={listRef}
        data-testid="letter-groups"
        rowData={(row) => (isGroup(row) ? { 'data-state': row.state, 'data-open': row.counts.open } : {})}
      >
        {(row) => (
          <div role="presentation" className="group-columns">
            {isGroup(row) ? <GroupCells group={row} by={by} nowMs={nowMs} /> : <AllCells row={row} />}
          </div>
        )}
      </RowList>
    </div>
  );
}
