/** The members of a group of problems, worst first: only the rows in sight exist. Enter opens one, `a` acknowledges it, Esc folds the group. */
// biome-ignore-all lint/a11y/useFocusableInteractive: the grid has the focus; its rows and cells are active descendants (WAI-ARIA grid).
import { type KeyboardEvent, useEffect, useRef, useState } from 'react';
import { formatDateTime, formatRelative } from '../../ui/format.ts';
import { neighbourOf } from '../../ui/list-moves.ts';
import { RowList } from '../../ui/row-list.tsx';
import { useViewState, useWorkbench } from '../../workbench.tsx';
import { openPlace, placeWord } from './problem-places.ts';
import { beganMs, type Problem } from './problems.ts';

const rowPx = 28;
/** Rows that are in sight at once, at most. */
const maxShownRows = 10;

const keyOf = ({ id }: Problem): string => id;

/** What its row is found by: what the problem is about. */
const nameOf = ({ incident, title }: Problem): string => incident?.queue ?? title;

function Cells({ problem, nowMs }: { readonly problem: Problem; readonly nowMs: number }) {
  const { view } = useWorkbench();
  const zone = useViewState((state) => state.timeZone);
  const { title, why, place } = problem;
  const began = beganMs(problem);
  return (
    <div role="presentation" className="problem-member">
      <span role="gridcell" className="row-cell problem-title" title={title}>
        {title}
      </span>
      <span role="gridcell" className="row-cell dim" title={why}>
        {why}
      </span>
      <span
        role="gridcell"
        className="row-cell dim"
        title={began === 0 ? undefined : `since ${formatDateTime(began, zone)}`}
      >
        {began === 0 ? '' : formatRelative(began, nowMs)}
      </span>
      <span role="gridcell" className="row-cell">
        <button type="button" className="problem-member-open" tabIndex={-1} onClick={() => openPlace(view, place)}>
          {placeWord(place)}
        </button>
      </span>
    </div>
  );
}

export interface ProblemMembersProps {
  readonly label: string;
  readonly members: readonly Problem[];
  readonly nowMs: number;
  /** Folds the group. */
  readonly onClose: () => void;
}

/** Which member is selected: where it goes, the one that follows it. */
function useSelectedMember(members: readonly Problem[]): [string | undefined, (id: string) => void] {
  const [selected, select] = useState<string | undefined>(members[0]?.id);
  const former = useRef<readonly string[]>([]);
  const keys = members.map(keyOf);
  const isThere = selected !== undefined && keys.includes(selected);
  const shown = isThere || selected === undefined ? selected : neighbourOf(former.current, keys, selected);
  useEffect(() => {
    former.current = keys;
    if (shown !== selected) select(shown);
  });
  return [shown, select];
}

export function ProblemMembers({ label, members, nowMs, onClose }: ProblemMembersProps) {
  const { view } = useWorkbench();
  const list = useRef<HTMLDivElement>(null);
  const [selected, select] = useSelectedMember(members);
  const open = (id: string): void => {
    const problem = members.find((one) => one.id === id);
    if (problem !== undefined) openPlace(view, problem.place);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key !== 'Escape' && event.key !== 'ArrowLeft') return;
    event.preventDefault();
    event.stopPropagation();
    onClose();
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: keys of the list inside; Esc and ← fold the group.
    <div
      className="row-list-frame problem-members"
      style={{ height: `${Math.min(members.length, maxShownRows) * rowPx}px` }}
      data-member={selected}
      onKeyDown={onKeyDown}
    >
      <RowList
        label={label}
        className="problem-member-list"
        rows={members}
        keyOf={keyOf}
        nameOf={nameOf}
        rowPx={rowPx}
        selectedKey={selected}
        onSelect={select}
        onOpen={open}
        listRef={list}
        rowData={() => ({ 'data-testid': 'problem-member' })}
        data-testid="problem-members"
      >
        {(problem) => <Cells problem={problem} nowMs={nowMs} />}
      </RowList>
    </div>
  );
}
