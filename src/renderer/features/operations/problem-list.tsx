/** "What is wrong now": one line a problem, those that were acknowledged below on request, or one line that says that there is none. */
import { CircleCheck } from 'lucide-react';
import { type KeyboardEvent, useRef, useState } from 'react';
import { moveInList } from '../../ui/list-moves.ts';
import { useMainListFocus, useMainListKeys } from '../../ui/use-list-keys.ts';
import { useNow } from '../../ui/use-now.ts';
import type { ProblemEntry } from './problem-groups.ts';
import { ProblemLine } from './problem-line.tsx';
import type { Acknowledging } from './use-acknowledging.ts';
import './problem-list.css';

/** Lines that a page key moves by. */
const pageRows = 8;

export interface ProblemListProps {
  readonly acknowledging: Acknowledging;
  /** Whether those that were acknowledged are listed, too. */
  readonly showsAcknowledged: boolean;
}

function NothingOpen({ acknowledgedCount }: { readonly acknowledgedCount: number }) {
  return (
    <p className="problem-none" data-testid="problems-none">
      <CircleCheck aria-hidden="true" />
      {acknowledgedCount === 0
        ? 'Nothing has failed, and nothing waits too long.'
        : 'Nothing else has happened since you acknowledged what there was.'}
    </p>
  );
}

/** The stops of the keys: each line, and below an unfolded group the list of its members. */
const stopsOf = (list: Element | null): readonly HTMLElement[] => [
  ...(list?.querySelectorAll<HTMLElement>('.problem, .problem-members') ?? []),
];

/** Gives the focus to a line's first button, or to a list of members. */
function focusStop(stop: HTMLElement | undefined): void {
  stop?.querySelector<HTMLElement>('.problem-fold, button, [role=grid]')?.focus({ preventScroll: true });
  stop?.scrollIntoView({ block: 'nearest' });
}

/** Whether the key leaves a list of members: up from its first row, down from its last. */
function leavesMembers(stop: HTMLElement | undefined, key: string): boolean {
  const grid = stop?.querySelector('[role=grid]');
  if (grid === null || grid === undefined) return true;
  const rows = Number(grid.getAttribute('aria-rowcount'));
  const at = Number(grid.querySelector('[aria-selected=true]')?.getAttribute('aria-rowindex') ?? 0);
  return ((key === 'k' || key === 'ArrowUp') && at <= 1) || ((key === 'j' || key === 'ArrowDown') && at >= rows);
}

/** Moves the focus from where it is by a key of lists; tells whether it did. */
function moveBy(list: Element | null, key: string): boolean {
  const stops = stopsOf(list);
  const index = stops.findIndex((stop) => stop.contains(document.activeElement));
  if (index >= 0 && !leavesMembers(stops[index], key)) return false;
  const keys = stops.map((_, at) => String(at));
  const next = moveInList({ keys, selectedKey: index < 0 ? undefined : String(index), pageRows }, key);
  if (next === undefined) return false;
  focusStop(stops[next]);
  return true;
}

const mainList = { group: 'Operations', noun: 'problem', isPartOfPage: true } as const;

export function ProblemList({ acknowledging, showsAcknowledged }: ProblemListProps) {
  const { open, acknowledged, acknowledge, takeBack } = acknowledging;
  const nowMs = useNow();
  const list = useRef<HTMLUListElement>(null);
  const [unfolded, setUnfolded] = useState<ReadonlySet<string>>(() => new Set());
  useMainListFocus(list, open.length > 0);
  useMainListKeys(mainList, (key) => void moveBy(list.current, key));
  const unfold = (id: string, isOpen: boolean): void => {
    const line = list.current?.querySelector<HTMLElement>(`[data-problem="${CSS.escape(id)}"] .problem`);
    // Its list goes with the focus that it may have.
    if (!isOpen) focusStop(line ?? undefined);
    const next = new Set(unfolded);
    if (isOpen) next.add(id);
    else next.delete(id);
    setUnfolded(next);
  };
  const line = (entry: ProblemEntry, isAcknowledged: boolean) => {
    const key = `${isAcknowledged ? 'acknowledged' : 'open'} ${entry.problem.id}`;
    return (
      <ProblemLine
        key={key}
        entry={entry}
        nowMs={nowMs}
        isAcknowledged={isAcknowledged}
        isOpen={unfolded.has(entry.problem.id)}
        onOpen={unfold}
        onAcknowledge={acknowledge}
        onTakeBack={takeBack}
      />
    );
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const isPlain = !(event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented);
    // A menu that stands over the list has keys of its own.
    const isInside = event.target instanceof Element && list.current?.contains(event.target) === true;
    if (isPlain && isInside && moveBy(list.current, event.key)) event.preventDefault();
  };
  return (
    <>
      {open.length === 0 && <NothingOpen acknowledgedCount={acknowledged.length} />}
      <ul
        ref={list}
        className="problem-list"
        aria-label="What is wrong, worst first"
        tabIndex={-1}
        data-list-home
        onKeyDownCapture={onKeyDown}
      >
        {open.map((entry) => line(entry, false))}
        {showsAcknowledged && acknowledged.map((entry) => line(entry, true))}
      </ul>
    </>
  );
}
