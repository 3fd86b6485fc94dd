/** "What is wrong now": one line a problem, those that were acknowledged below on request, or one line that says that there is none. */
import { CircleCheck } from 'lucide-react';
import { type KeyboardEvent, useRef } from 'react';
import { moveInList } from '../../ui/list-moves.ts';
import { useNow } from '../../ui/use-now.ts';
import { ProblemLine } from './problem-line.tsx';
import type { Problem } from './problems.ts';
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

export function ProblemList({ acknowledging, showsAcknowledged }: ProblemListProps) {
  const { open, acknowledged, acknowledge, takeBack } = acknowledging;
  const nowMs = useNow();
  const list = useRef<HTMLUListElement>(null);
  const line = (problem: Problem, isAcknowledged: boolean) => (
    <ProblemLine
      key={problem.id}
      problem={problem}
      nowMs={nowMs}
      isAcknowledged={isAcknowledged}
      onAcknowledge={acknowledge}
      onTakeBack={takeBack}
    />
  );
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey || !(event.target instanceof Element)) return;
    const lines = [...(list.current?.querySelectorAll('[data-problem]') ?? [])];
    const keys = lines.map((one) => one.getAttribute('data-problem') ?? '');
    const selectedKey = event.target.closest('[data-problem]')?.getAttribute('data-problem') ?? undefined;
    const next = moveInList({ keys, selectedKey, pageRows }, event.key);
    // A menu that stands over the list has keys of its own.
    if (next === undefined || selectedKey === undefined) return;
    event.preventDefault();
    lines[next]?.querySelector('button')?.focus();
    lines[next]?.scrollIntoView({ block: 'nearest' });
  };
  return (
    <>
      {open.length === 0 && <NothingOpen acknowledgedCount={acknowledged.length} />}
      <ul ref={list} className="problem-list" onKeyDown={onKeyDown}>
        {open.map((problem) => line(problem, false))}
        {showsAcknowledged && acknowledged.map((problem) => line(problem, true))}
      </ul>
    </>
  );
}
