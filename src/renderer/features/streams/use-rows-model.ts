/** The window's tables, and their versions as React state. */

import { useSyncExternalStore } from 'react';
import { afterPaint } from '../../ui/after-paint.ts';
import { useWorkbench, type Workbench } from '../../workbench.tsx';
import { createRowChecks } from './row-checks.ts';
import { createRowsModel, type RowsModel } from './rows-model.ts';
import { createStoredModel, type StoredModel } from './stored-model.ts';
import type { TableModel } from './table-model.ts';

/** The table of what is heard live, and the one over a stream. */
export interface TableModels {
  readonly live: RowsModel;
  readonly stored: StoredModel;
}

/** Rows, place and selection outlive the view: whoever comes back finds them. They go when the key store is locked. */
const models = new WeakMap<Workbench, TableModels>();

const after = (ms: number, run: () => void): (() => void) => {
  const timer = setTimeout(run, ms);
  return () => clearTimeout(timer);
};

/** The tables of this window. */
export function useTableModels(): TableModels {
  const workbench = useWorkbench();
  const known = models.get(workbench);
  if (known !== undefined) return known;
  const { client, mirror, openFeed, frameClock, whileOpen } = workbench;
  const held = () => mirror.getState()['streams.status'];
  const live = createRowsModel({ openFeed, frameClock, afterPaint, held });
  const stored = createStoredModel({
    ...{ openFeed, frameClock, afterPaint },
    page: (input, signal) => client.streams.page(input, { signal }),
  });
  whileOpen.add(live);
  whileOpen.add(stored);
  whileOpen.add(
    createRowChecks({
      model: live,
      check: (seqs, signal) => client.streams.check({ seqs: [...seqs] }, { signal }),
      after,
    }),
  );
  const created = { live, stored };
  models.set(workbench, created);
  return created;
}

/** Renders again with each version: once a frame at most. */
export function useRowsVersion(model: TableModel): number {
  return useSyncExternalStore(model.subscribe, model.getVersion);
}
