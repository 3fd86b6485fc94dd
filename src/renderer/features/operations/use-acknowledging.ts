/**
 * What was acknowledged of what is wrong: by its button, or by `a` for the line that has the focus, else the first that can be.
 * Law: the focus goes to the next line; it is never lost with the one that goes.
 */
import { useMemo, useRef } from 'react';
import type { Action } from '../../actions/action-registry.ts';
import { useActions, useViewState, useWorkbench } from '../../workbench.tsx';
import { type Problem, unacknowledged } from './problems.ts';

export interface Acknowledging {
  /** Those that are still to look at. */
  readonly open: readonly Problem[];
  readonly acknowledgedCount: number;
  readonly acknowledge: (id: string) => void;
  /** Lists what was acknowledged again. */
  readonly takeBack: () => void;
}

/** The line that has the focus; undefined: none has. */
function focusedId(): string | undefined {
  return document.activeElement?.closest('[data-problem]')?.getAttribute('data-problem') ?? undefined;
}

/** Moves the focus to a button of the line that stands at this place, once it is drawn; without lines to the view. */
function focusLine(index: number): void {
  requestAnimationFrame(() => {
    const lines = document.querySelectorAll<HTMLElement>('[data-problem]');
    const line = lines[Math.min(index, lines.length - 1)];
    const target =
      line?.querySelector('button') ?? document.querySelector<HTMLElement>('[data-focus-home]:not([hidden])');
    target?.focus({ preventScroll: true });
  });
}

/** Keeps what was acknowledged of these, and registers the key. */
export function useAcknowledging(problems: readonly Problem[]): Acknowledging {
  const { view } = useWorkbench();
  const acknowledged = useViewState((state) => state.acknowledged);
  const open = unacknowledged(problems, acknowledged);
  const latest = useRef(open);
  latest.current = open;
  const { acknowledge, actions } = useMemo(() => {
    const events = () => latest.current.filter(({ lasting }) => lasting.kind === 'event');
    const take = (id: string | undefined): void => {
      const index = latest.current.findIndex((one) => one.id === id);
      const lasting = latest.current[index]?.lasting;
      if (id === undefined || lasting?.kind !== 'event') return;
      const hadFocus = focusedId() === id;
      view.setState({ acknowledged: { ...view.getState().acknowledged, [id]: lasting.mark } });
      if (hadFocus) focusLine(index);
    };
    /** What the key is for: the line with the focus, whose condition may stand; else the first event. */
    const chosen = (): Problem | undefined => {
      const focused = latest.current.find(({ id }) => id === focusedId());
      return focused ?? events()[0];
    };
    const action: Action = {
      id: 'operations.acknowledge',
      title: 'Acknowledge what has happened',
      group: 'Operations',
      keys: ['a'],
      disabledReason() {
        const lasting = chosen()?.lasting;
        if (lasting === undefined) return 'nothing waits for it';
        return lasting.kind === 'standing' ? `it ${lasting.until}` : undefined;
      },
      run: () => take(chosen()?.id),
    };
    return { acknowledge: take, actions: [action] };
  }, [view]);
  useActions(actions);
  return {
    open,
    acknowledgedCount: problems.length - open.length,
    acknowledge,
    takeBack: () => view.setState({ acknowledged: {} }),
  };
}
