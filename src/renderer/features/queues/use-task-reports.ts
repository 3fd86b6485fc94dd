/** What became of the tasks of a queue, read again with each sample of the figures. */
import { useEffect, useRef, useState } from 'react';
import { isVakError } from '../../../shared/base/vak-error.ts';
import type { TaskReport } from '../../../shared/contract/queues-contract.ts';
import { useSnapshot, useWorkbench } from '../../workbench.tsx';

/** Most reports that are listed. */
export const maxReports = 500;

export interface TaskReports {
  /** Newest change first; undefined: not read yet. */
  readonly reports: readonly TaskReport[] | undefined;
  /** Why the last reading failed; the former reports stand. */
  readonly failure: { readonly error: unknown } | undefined;
}

export function useTaskReports(queue: string): TaskReports {
  const { client } = useWorkbench();
  const readAtMs = useSnapshot('queues.state')?.readAtMs ?? null;
  const [read, setRead] = useState<TaskReports & { readonly queue: string }>();
  const isReading = useRef(false);
  const isGone = useRef(false);
  useEffect(() => {
    isGone.current = false;
    return () => {
      isGone.current = true;
    };
  }, []);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another sample is the reason to read again.
  useEffect(() => {
    if (isReading.current) return;
    isReading.current = true;
    client.queues
      .tasks({ queue, limit: maxReports })
      .then(
        (reports) => !isGone.current && setRead({ queue, reports, failure: undefined }),
        (error: unknown) => {
          if (isGone.current || isVakError(error, 'aborted')) return;
          setRead((former) => ({
            queue,
            reports: former?.queue === queue ? former.reports : undefined,
            failure: { error },
          }));
        },
      )
      .finally(() => {
        isReading.current = false;
      });
  }, [client, queue, readAtMs]);
  return read?.queue === queue ? read : { reports: undefined, failure: undefined };
}
