/** The bundle that is open in this opening of the window: view, dialog and palette share it. */
import { useStore } from 'zustand';
import type { BundleReport } from '../../../shared/contract/bundles-contract.ts';
import { useSnapshot, useWorkbench, type Workbench } from '../../workbench.tsx';
import { type BundleWork, type BundleWorkState, createBundleWork } from './bundle-work.ts';

const works = new WeakMap<Workbench, BundleWork>();

export function useBundleWork(): BundleWork {
  const workbench = useWorkbench();
  const known = works.get(workbench);
  if (known !== undefined) return known;
  const { client, view, reportError } = workbench;
  const showView = (): void => view.setState({ view: 'dead-letters' });
  const created = createBundleWork({ client: client.bundles, reportError, showView });
  works.set(workbench, created);
  return created;
}

/** Part of its state. */
export function useBundleWorkState<T>(select: (state: BundleWorkState) => T): T {
  return useStore(useBundleWork().store, select);
}

/** The bundle that this window and main both have open. */
export function useOpenBundle(): BundleReport | null {
  const bundle = useBundleWorkState((state) => state.bundle);
  const mains = useSnapshot('bundles.state')?.bundleId;
  return bundle !== null && bundle.bundleId === mains ? bundle : null;
}
