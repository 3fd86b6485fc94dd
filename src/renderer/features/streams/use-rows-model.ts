/** The window's rows model, and its version as React state. */
import { useSyncExternalStore } from 'react';
import { useWorkbench, type Workbench } from '../../workbench.tsx';
import { createRowsModel, type RowsModel } from './rows-model.ts';

/** Rows, place and selection outlive the view: whoever comes back finds them. They go when the key store is locked. */
const models = new WeakMap<Workbench, RowsModel>();

/** A task of its own runs behind the paint of the frame that queued it. */
export const afterPaint = (run: () => void): void => {
  setTimeout(run, 0);
};

/** The rows model of this window. */
export function useRowsModel(): RowsModel {
  const workbench = useWorkbench();
  const known = models.get(workbench);
  if (known !== undefined) return known;
  const { openFeed, frameClock, whileOpen } = workbench;
  const created = createRowsModel({ openFeed, frameClock, afterPaint });
  whileOpen.add(created);
  models.set(workbench, created);
  return created;
}

/** Renders again with each version: once a frame at most. */
export function useRowsVersion(model: RowsModel): number {
  return useSyncExternalStore(model.subscribe, model.getVersion);
}
