/** The window's rows model, and its version as React state. */

import { useSyncExternalStore } from 'react';
import { afterPaint } from '../../ui/after-paint.ts';
import { useWorkbench, type Workbench } from '../../workbench.tsx';
import { createRowChecks } from './row-checks.ts';
import { createRowsModel, type RowsModel } from './rows-model.ts';

/** Rows, place and selection outlive the view: whoever comes back finds them. They go when the key store is locked. */
const models = new WeakMap<Workbench, RowsModel>();

const after = (ms: number, run: () => void): (() => void) => {
  const timer = setTimeout(run, ms);
  return () => clearTimeout(timer);
};

/** The rows model of this window. */
export function useRowsModel(): RowsModel {
  const workbench = useWorkbench();
  const known = models.get(workbench);
  if (known !== undefined) return known;
  const { client, mirror, openFeed, frameClock, whileOpen } = workbench;
  const held = () => mirror.getState()['streams.status'];
  const created = createRowsModel({ openFeed, frameClock, afterPaint, held });
  whileOpen.add(created);
  whileOpen.add(
    createRowChecks({
      model: created,
      check: (seqs, signal) => client.streams.check({ seqs: [...seqs] }, { signal }),
      after,
    }),
  );
  models.set(workbench, created);
  return created;
}

/** Renders again with each version: once a frame at most. */
export function useRowsVersion(model: RowsModel): number {
  return useSyncExternalStore(model.subscribe, model.getVersion);
}
