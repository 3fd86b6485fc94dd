/** What can be done with dead letters; the palette, the keys and the buttons share it. */
import type { Action } from '../../actions/action-registry.ts';
import type { Workbench } from '../../workbench.tsx';
import { type LetterSituation, whyNotAct, whyNotChange, whyNotEdit, whyNotSay } from './letter-reasons.ts';
import type { LetterScope } from './letter-scope.ts';
import type { LetterWork, PlannedAction, SaidCause } from './letter-work.ts';

const group = 'Dead letters';

/** What an action would be about, as it is shown. */
export interface ActedOn {
  readonly scope: LetterScope | undefined;
  readonly cause: SaidCause | undefined;
  /** Why the task of the letter cannot be opened; undefined or null: it may. */
  readonly closedWhy: string | null | undefined;
}

export interface LetterActionsDeps extends Pick<Workbench, 'mirror' | 'notify'> {
  readonly work: LetterWork;
}

function situationOf({ mirror }: Pick<Workbench, 'mirror'>, { scope, cause }: ActedOn): LetterSituation {
  return { connection: mirror.getState()['connections.state'], scope, cause: cause?.fingerprint ?? null };
}

/** What changes something. */
export function createChangeActions(deps: LetterActionsDeps, acted: ActedOn): readonly Action[] {
  const { work, notify } = deps;
  const { scope, cause, closedWhy } = acted;
  const situation = (): LetterSituation => situationOf(deps, acted);
  const planned = (id: PlannedAction, title: string, key: string): Action => ({
    ...{ id: `letters.${id}`, title, group, keys: [key] },
    disabledReason: () => whyNotAct(situation()),
    run: async () => {
      if (scope !== undefined) await work.plan(id, scope);
    },
  });
  return [
    planned('retry', 'Retry the letters…', 'r'),
    {
      ...{ id: 'letters.edit', title: 'Edit & retry the letter…', group, keys: ['e'] },
      disabledReason: () => whyNotEdit(situation(), closedWhy),
      run: async () => {
        const seq = scope === undefined || scope.kind === 'matching' ? undefined : scope.seqs[0];
        if (seq !== undefined) await work.edit(seq);
      },
    },
    planned('archive', 'Archive the letters…', 'Delete'),
    {
      ...{ id: 'letters.restore', title: 'Undo the last archive, or restore archived letters', group, keys: ['u'] },
      disabledReason: () =>
        work.store.getState().undoable === null ? whyNotAct(situation()) : whyNotChange(situation()),
      run: () => work.restore(scope),
    },
    planned('export', 'Export the letters as an incident bundle…', 'b'),
    {
      ...{ id: 'letters.acknowledge', title: 'Acknowledge the cause', group, keys: ['a'] },
      disabledReason: () =>
        whyNotSay(situation()) ?? (cause?.state === 'acknowledged' ? 'it is acknowledged already' : undefined),
      run: async () => {
        if (cause === undefined) return;
        await work.setGroup(cause, { state: 'acknowledged' });
        notify('Acknowledged: a letter of this cause that comes later opens it again.');
      },
    },
    {
      ...{ id: 'letters.say', title: 'State, assignee, note…', group, keys: ['s'] },
      disabledReason: () => whyNotSay(situation()),
      run: () => {
        if (cause !== undefined) work.say(cause);
      },
    },
  ];
}

/** How the view is gone through. */
export interface LetterMoves {
  /** Of the list that has the cursor. */
  readonly move: (key: 'j' | 'k' | 'Home' | 'End') => void;
  readonly open: () => void;
  readonly pick: () => void;
  readonly pickAll: () => void;
  readonly back: () => void;
  readonly focusFilter: () => void;
  readonly showNew: () => void;
}

const go = (id: string, title: string, keys: readonly string[]) => ({ id: `letters.${id}`, title, group, keys });

/** While they are read for the first time: what is to be looked for can be typed. */
export function createWaitingActions({ focusFilter }: Pick<LetterMoves, 'focusFilter'>): readonly Action[] {
  return [{ ...go('filter', 'Filter the dead letters', ['/']), run: focusFilter }];
}

export function createMoveActions(moves: LetterMoves): readonly Action[] {
  return [
    { ...go('next', 'Go to the next row', ['j', 'ArrowDown']), run: () => moves.move('j') },
    { ...go('previous', 'Go to the previous row', ['k', 'ArrowUp']), run: () => moves.move('k') },
    { ...go('first', 'Go to the first row', ['Home']), run: () => moves.move('Home') },
    { ...go('last', 'Go to the last row', ['End']), run: () => moves.move('End') },
    { ...go('open', 'Open the group or letter', ['Enter']), run: moves.open },
    { ...go('pick', 'Select the letter', ['x']), run: moves.pick },
    { ...go('pickAll', 'Select all that match', ['Shift+X']), run: moves.pickAll },
    { ...go('back', 'Go back: selection, letter, groups', ['Escape']), run: moves.back },
    ...createWaitingActions(moves),
    { ...go('new', 'Show the letters that came since', ['n']), run: moves.showNew },
  ];
}
