/**
 * Reads what became of tasks, whenever more was heard.
 * Law: one reading at a time; what was heard meanwhile is read after it, once; nothing comes after it was left.
 */
import { isVakError } from '../../../shared/base/vak-error.ts';
import type { TaskReport } from '../../../shared/contract/queues-contract.ts';

export interface ReportReader {
  /** Reads now, or as soon as the present reading has ended. */
  read(): Promise<void>;
  dispose(): void;
}

export interface ReportReaderDeps {
  readonly read: (signal: AbortSignal) => Promise<readonly TaskReport[]>;
  readonly onReports: (reports: readonly TaskReport[]) => void;
  readonly onFailure: (error: unknown) => void;
}

export function createReportReader({ read, onReports, onFailure }: ReportReaderDeps): ReportReader {
  const calls = new AbortController();
  let isReading = false;
  let isWanted = false;

  async function readOnce(): Promise<void> {
    try {
      const reports = await read(calls.signal);
      if (!calls.signal.aborted) onReports(reports);
    } catch (error) {
      if (!calls.signal.aborted && !isVakError(error, 'aborted')) onFailure(error);
    }
  }

  return {
    async read() {
      isWanted = true;
      if (isReading) return;
      isReading = true;
      while (isWanted && !calls.signal.aborted) {
        isWanted = false;
        await readOnce();
      }
      isReading = false;
    },
    dispose: () => calls.abort(),
  };
}
