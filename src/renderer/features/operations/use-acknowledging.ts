/**
 * What was acknowledged of what is wrong: by its button, or by `a` for the line that has the focus, else the first that can be.
 * Law: the focus goes to the next line; it is never lost with the one that goes.
 */
import { useLayoutEffect, useMemo, useRef } from 'react';
import type { Action } from '../../actions/action-registry.ts';
import { useActions, useSnapshot, useWorkbench, type Workbench } from '../../workbench.tsx';
import { groupProblems, type ProblemEntry } from './problem-groups.ts';
import { isAcknowledged, type Problem } from './problems.ts';

export interface Acknowledging {
  /** Those that are still to look at; those of one kind in one line where there are many. */
  readonly open: readonly ProblemEntry[];
  readonly acknowledged: readonly ProblemEntry[];
  /** One problem, or all of a group, by its id. */
  readonly acknowledge: (id: string) => void;
  /** Opens it again. */
  readonly takeBack: (id: string) => void;
}

/** The line that has the focus, or the row of a group that is selected there; undefined: none has. */
function focusedId(): string | undefined {
  const active = document.activeElement;
  const member = active?.closest('[data-member]')?.getAttribute('data-member');
  return member ?? active?.closest('[data-problem]')?.getAttribute('data-problem') ?? undefined;
}

/** The problems that an id stands for: a line's, or one member's. */
function membersOf(entries: readonly ProblemEntry[], id: string): readonly Problem[] {
  const entry = entries.find(({ problem }) => problem.id === id);
  return entry?.members ?? entries.flatMap(({ members }) => members).filter((one) => one.id === id);
}

/** Moves the focus to a button of the line that stands at this place; without lines to the view. */
function focusLine(index: number): void {
  const lines = document.querySelectorAll<HTMLElement>('[data-problem]');
  const line = lines[Math.min(index, lines.length - 1)];
  const target =
    line?.querySelector('button') ?? document.querySelector<HTMLElement>('[data-focus-home]:not([hidden])');
  target?.focus({ preventScroll: true });
}

type Changes = Pick<Acknowledging, 'acknowledge' | 'takeBack'>;

/** The id by which the engine knows it. */
const engineId = ({ id, incident }: Problem): string => incident?.id ?? id;

function createChanges({ client, reportError }: Workbench, find: (id: string) => readonly Problem[]): Changes {
  function acknowledge(problem: Problem): void {
    const { lasting, incident, title } = problem;
    if (lasting.kind !== 'event') return;
    client.operations
      .acknowledge({ id: engineId(problem), ...(incident === null ? { mark: lasting.mark } : {}) })
      .catch((error: unknown) => reportError(`Acknowledge: ${title}`, error));
  }
  function takeBack(problem: Problem): void {
    client.operations
      .takeBack({ id: engineId(problem) })
      .catch((error: unknown) => reportError(`Open again: ${problem.title}`, error));
  }
  return { acknowledge: (id) => find(id).forEach(acknowledge), takeBack: (id) => find(id).forEach(takeBack) };
}

function createAction(open: () => readonly ProblemEntry[], acknowledge: (id: string) => void): Action {
  /** What the key is for: the line with the focus, whose condition may stand; else the first event. */
  const chosen = (): Problem | undefined => {
    const focused = focusedId();
    const all = open().flatMap(({ problem, members }) => [problem, ...members]);
    return all.find(({ id }) => id === focused) ?? all.find(({ lasting }) => lasting.kind === 'event');
  };
  return {
    id: 'operations.acknowledge',
    title: 'Acknowledge what has happened',
    group: 'Operations',
    keys: ['a'],
    disabledReason() {
      const lasting = chosen()?.lasting;
      if (lasting === undefined) return 'nothing waits for it';
      return lasting.kind === 'standing' ? `it ${lasting.until}` : undefined;
    },
    run() {
      const problem = chosen();
      if (problem !== undefined) acknowledge(problem.id);
    },
  };
}

const noMarks: Readonly<Record<string, string>> = {};

/** Parts these in open and acknowledged ones, and registers the key. */
export function useAcknowledging(problems: readonly Problem[]): Acknowledging {
  const workbench = useWorkbench();
  const marks = useSnapshot('operations.state')?.acknowledgedMarks ?? noMarks;
  const open = groupProblems(problems.filter((problem) => !isAcknowledged(problem, marks)));
  const acknowledged = groupProblems(problems.filter((problem) => isAcknowledged(problem, marks)));
  const latest = useRef({ open, acknowledged });
  latest.current = { open, acknowledged };
  /** The line with the focus, which goes as soon as the engine has said so. */
  const leaving = useRef<{ readonly id: string; readonly index: number } | undefined>(undefined);
  useLayoutEffect(() => {
    const left = leaving.current;
    if (left === undefined || membersOf(open, left.id).length > 0) return;
    leaving.current = undefined;
    const active = document.activeElement;
    // The next row of a group has it already.
    if (active === null || active === document.body) focusLine(left.index);
  });
  const { changes, actions } = useMemo(() => {
    const own = createChanges(workbench, (wanted) =>
      membersOf([...latest.current.open, ...latest.current.acknowledged], wanted),
    );
    const acknowledge = (id: string): void => {
      const holds = ({ problem, members }: ProblemEntry): boolean =>
        problem.id === id || members.some((one) => one.id === id);
      if (focusedId() === id) leaving.current = { id, index: latest.current.open.findIndex(holds) };
      own.acknowledge(id);
    };
    return {
      changes: { ...own, acknowledge },
      actions: [createAction(() => latest.current.open, acknowledge)],
    };
  }, [workbench]);
  useActions(actions);
  return { open, acknowledged, ...changes };
}
