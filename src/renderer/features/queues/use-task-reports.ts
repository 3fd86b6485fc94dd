/** What became of the tasks of a queue, read again when its figures say that more was heard of one. */
import { useEffect, useRef, useState } from 'react';
import type { QueueState, TaskReport } from '../../../shared/contract/queues-contract.ts';
import { useWorkbench } from '../../workbench.tsx';
import { createReportReader, type ReportReader } from './report-reader.ts';

/** Most reports that are listed. */
export const maxReports = 500;

export interface TaskReports {
  /** Newest change first; undefined: not read yet. */
  readonly reports: readonly TaskReport[] | undefined;
  /** Why the last reading failed; the former reports stand. */
  readonly failure: { readonly error: unknown } | undefined;
}

/** Differs whenever a receipt, a dead letter or a task was heard of. */
function heardOf({ outcomes, redeliveredCount, inFlightCount, workers }: QueueState): string {
  const worked = workers.map(({ doneCount, failedCount }) => doneCount + failedCount);
  return [...Object.values(outcomes), redeliveredCount, inFlightCount, ...worked].join(' ');
}

export function useTaskReports(state: QueueState): TaskReports {
  const { client } = useWorkbench();
  const { queue } = state;
  const heard = heardOf(state);
  const [read, setRead] = useState<TaskReports & { readonly queue: string }>();
  const reader = useRef<ReportReader | undefined>(undefined);
  useEffect(() => {
    const created = createReportReader({
      read: (signal) => client.queues.tasks({ queue, limit: maxReports }, { signal }),
      onReports: (reports) => setRead({ queue, reports, failure: undefined }),
      onFailure: (error) =>
        setRead((former) => ({
          queue,
          reports: former?.queue === queue ? former.reports : undefined,
          failure: { error },
        })),
    });
    reader.current = created;
    return () => created.dispose();
  }, [client, queue]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: more that was heard is the reason to read again.
  useEffect(() => void reader.current?.read(), [client, queue, heard]);
  return read?.queue === queue ? read : { reports: undefined, failure: undefined };
}
