/** The registry as React state. */
import { useCallback, useMemo, useSyncExternalStore } from 'react';
import { useStore } from 'zustand';
import { useWorkbench } from '../workbench.tsx';
import type { Action } from './action-registry.ts';
import { createActionRunner, type RunAction } from './action-runner.ts';

/** All registered actions. */
export function useAllActions(): readonly Action[] {
  const { actions } = useWorkbench();
  const subscribe = useCallback(
    (onChange: () => void) => {
      const subscription = actions.subscribe(onChange);
      return () => subscription.dispose();
    },
    [actions],
  );
  return useSyncExternalStore(subscribe, actions.all);
}

/** Runs an action of the registry, with its reason or failure said. */
export function useRunAction(): RunAction {
  const { refuse, reportError } = useWorkbench();
  return useMemo(() => createActionRunner({ refuse, reportError }), [refuse, reportError]);
}

/** Why an action cannot run now; looked up again whenever a snapshot or this window's state changes. */
export function useDisabledReason(action: Action | undefined): string | undefined {
  const { mirror, view } = useWorkbench();
  const read = (): string | undefined => action?.disabledReason?.();
  const ofMirror = useStore(mirror, read);
  const ofView = useStore(view, read);
  return ofMirror ?? ofView;
}
