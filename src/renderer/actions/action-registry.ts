/** Everything that can be done, by id: the palette, the keys and the menus read it (product.md "Everywhere"). */
import { type Disposable, toDisposable } from '../../shared/base/disposer.ts';

export interface Action {
  /** `feature.verb`, e.g. `swarm.start`. */
  readonly id: string;
  /** Verb first, as on a button. */
  readonly title: string;
  /** Heading in the palette. */
  readonly group: string;
  /** `Mod+K`, `j`, `Shift+ArrowDown`; Mod is ⌘ on macOS, Ctrl elsewhere. */
  readonly keys?: readonly string[];
  /** Why it cannot be run now; undefined: it can. */
  readonly disabledReason?: () => string | undefined;
  /** Stands in the palette only when something is typed: one of many of its kind. */
  readonly isOneOfMany?: true;
  readonly run: () => void | Promise<void>;
}

export interface ActionRegistry {
  /** Adds actions until disposed; an id that stands already is a bug and throws. */
  register(actions: readonly Action[]): Disposable;
  all(): readonly Action[];
  /** Called when the set changes. */
  subscribe(listener: () => void): Disposable;
}

/** Creates an empty registry. */
export function createActionRegistry(): ActionRegistry {
  const actions = new Map<string, Action>();
  const listeners = new Set<() => void>();
  let list: readonly Action[] = [];
  const changed = (): void => {
    list = [...actions.values()];
    for (const listener of [...listeners]) listener();
  };
  return {
    register(added) {
      const ids = new Set(actions.keys());
      for (const { id } of added) {
        if (ids.has(id)) throw new Error(`action ${id} is registered twice`);
        ids.add(id);
      }
      for (const action of added) actions.set(action.id, action);
      changed();
      return toDisposable(() => {
        for (const action of added) actions.delete(action.id);
        changed();
      });
    },
    all: () => list,
    subscribe(listener) {
      listeners.add(listener);
      return toDisposable(() => listeners.delete(listener));
    },
  };
}
