/**
 * What was acknowledged of what is wrong: by its button, or by `a` for the line that has the focus, else the first that can be.
 * Law: the focus goes to the next line; it is never lost with the one that goes.
 */
import { useLayoutEffect, useMemo, useRef } from 'react';
import type { Action } from '../../actions/action-registry.ts';
import { useActions, useViewState, useWorkbench, type Workbench } from '../../workbench.tsx';
import { isAcknowledged, type Problem } from './problems.ts';

export interface Acknowledging {
  /** Those that are still to look at. */
  readonly open: readonly Problem[];
  readonly acknowledged: readonly Problem[];
  readonly acknowledge: (id: string) => void;
  /** Opens one again. */
  readonly takeBack: (id: string) => void;
}

/** The line that has the focus; undefined: none has. */
function focusedId(): string | undefined {
  return document.activeElement?.closest('[data-problem]')?.getAttribute('data-problem') ?? undefined;
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

/** What the engine knows it changes itself; the rest is this window's. */
function createChanges({ client, view, reportError }: Workbench, find: (id: string) => Problem | undefined): Changes {
  return {
    acknowledge(id) {
      const problem = find(id);
      if (problem?.lasting.kind !== 'event') return;
      const { incident, lasting } = problem;
      if (incident === null) view.setState({ acknowledged: { ...view.getState().acknowledged, [id]: lasting.mark } });
      else {
        client.operations
          .acknowledge({ id: incident.id })
          .catch((error: unknown) => reportError(`Acknowledge: ${problem.title}`, error));
      }
    },
    takeBack(id) {
      const problem = find(id);
      if (problem === undefined) return;
      const { incident, title } = problem;
      if (incident === null) {
        const { [id]: _open, ...rest } = view.getState().acknowledged;
        view.setState({ acknowledged: rest });
      } else {
        client.operations
          .takeBack({ id: incident.id })
          .catch((error: unknown) => reportError(`Open again: ${title}`, error));
      }
    },
  };
}

function createAction(open: () => readonly Problem[], acknowledge: (id: string) => void): Action {
  /** What the key is for: the line with the focus, whose condition may stand; else the first event. */
  const chosen = (): Problem | undefined => {
    const focused = focusedId();
    return open().find(({ id }) => id === focused) ?? open().find(({ lasting }) => lasting.kind === 'event');
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

/** Parts these in open and acknowledged ones, and registers the key. */
export function useAcknowledging(problems: readonly Problem[]): Acknowledging {
  const workbench = useWorkbench();
  const marks = useViewState((state) => state.acknowledged);
  const open = problems.filter((problem) => !isAcknowledged(problem, marks));
  const acknowledged = problems.filter((problem) => isAcknowledged(problem, marks));
  const latest = useRef({ problems, open });
  latest.current = { problems, open };
  /** The line with the focus, which goes as soon as the engine has said so. */
  const leaving = useRef<{ readonly id: string; readonly index: number } | undefined>(undefined);
  useLayoutEffect(() => {
    const left = leaving.current;
    if (left === undefined || open.some(({ id }) => id === left.id)) return;
    leaving.current = undefined;
    focusLine(left.index);
  });
  const { changes, actions } = useMemo(() => {
    const own = createChanges(workbench, (wanted) => latest.current.problems.find(({ id }) => id === wanted));
    const acknowledge = (id: string): void => {
      const index = latest.current.open.findIndex((one) => one.id === id);
      if (focusedId() === id) leaving.current = { id, index };
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
