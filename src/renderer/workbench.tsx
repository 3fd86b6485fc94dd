/** What every view is given: the engine's client, feeds, mirrored snapshots, this window's state, actions, notices. */
import { createContext, useContext, useEffect } from 'react';
import { useStore } from 'zustand';
import type { StoreApi } from 'zustand/vanilla';
import type { Disposer } from '../shared/base/disposer.ts';
import type { AppContract } from '../shared/contract/app-contract.ts';
import type { Client, SnapshotName, SnapshotValue } from '../shared/contract/define-contract.ts';
import type { Action, ActionRegistry } from './actions/action-registry.ts';
import type { OpenFeed } from './bridge/client.ts';
import type { FrameClock } from './state/frame-clock.ts';
import type { SetLook } from './state/look-settings.ts';
import type { Mirror } from './state/mirror-store.ts';
import type { ViewState } from './state/view-store.ts';
import type { Zoom } from './state/zoom.ts';
import type { NoticeStore } from './ui/notice-store.ts';

export interface Workbench {
  readonly client: Client<AppContract>;
  readonly openFeed: OpenFeed<AppContract>;
  readonly mirror: StoreApi<Mirror>;
  readonly view: StoreApi<ViewState>;
  readonly actions: ActionRegistry;
  readonly frameClock: FrameClock;
  /** Shows what went wrong: what, why, what next, with "copy details". */
  readonly reportError: (doing: string, error: unknown) => void;
  /** Says in a line that something was done, and offers what it leads to; goes by itself. */
  readonly notify: NoticeStore['notify'];
  /** Says in a line that something cannot be done, and why; goes by itself. */
  readonly refuse: NoticeStore['refuse'];
  /** Says what went otherwise than expected and lost nothing; stays until dismissed. Gives what takes it away. */
  readonly advise: (text: string) => () => void;
  /** Changes theme or time zone: shown at once, kept in the settings file. */
  readonly setLook: SetLook;
  /** The size of the window. */
  readonly zoom: Zoom;
  /** Released when the key store is locked: whatever holds something of the stream belongs to it. */
  readonly whileOpen: Disposer;
}

const WorkbenchContext = createContext<Workbench | null>(null);
export const WorkbenchProvider = WorkbenchContext.Provider;

/** The workbench of this window. */
export function useWorkbench(): Workbench {
  const workbench = useContext(WorkbenchContext);
  if (workbench === null) throw new Error('useWorkbench: no WorkbenchProvider above');
  return workbench;
}

/** A mirrored snapshot; undefined until its first value came. */
export function useSnapshot<N extends SnapshotName<AppContract>>(name: N): SnapshotValue<AppContract, N> | undefined {
  return useStore(useWorkbench().mirror, (mirror) => mirror[name] as SnapshotValue<AppContract, N> | undefined);
}

/** Part of this window's own state. */
export function useViewState<T>(select: (state: ViewState) => T): T {
  return useStore(useWorkbench().view, select);
}

const ShownContext = createContext(true);
/** Around a view that stays mounted while another one is shown. */
export const ShownProvider = ShownContext.Provider;

/** Registers actions while the component's view is shown; `actions` must be stable (useMemo). */
export function useActions(actions: readonly Action[]): void {
  const { actions: registry } = useWorkbench();
  const isShown = useContext(ShownContext);
  useEffect(() => {
    if (!isShown) return;
    const registration = registry.register(actions);
    return () => registration.dispose();
  }, [registry, actions, isShown]);
}
