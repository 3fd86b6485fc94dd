/** The work on chains of this opening of the window. */
import { useEffect } from 'react';
import { useStore } from 'zustand';
import { useViewState, useWorkbench, type Workbench } from '../../workbench.tsx';
import { type ChainWork, type ChainWorkState, createChainWork } from './chain-work.ts';

const works = new WeakMap<Workbench, ChainWork>();

export function useChainWork(): ChainWork {
  const workbench = useWorkbench();
  const known = works.get(workbench);
  if (known !== undefined) return known;
  const created = createChainWork(workbench.client.trace);
  works.set(workbench, created);
  workbench.whileOpen.add({ dispose: () => created.stop() });
  return created;
}

/** Part of its state. */
export function useChainState<T>(select: (state: ChainWorkState) => T): T {
  return useStore(useChainWork().store, select);
}

/** Reads the sources when the page opens, and the chain that is asked for. */
export function useShownChain(): void {
  const work = useChainWork();
  const selected = useViewState((state) => state.selectedChain);
  useEffect(() => void work.list(), [work]);
  useEffect(() => {
    if (selected !== null) void work.show(selected);
  }, [work, selected]);
}
