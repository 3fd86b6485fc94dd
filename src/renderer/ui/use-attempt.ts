/** One call at a time with its outcome in place: busy, failed with a report, or done. Closing a window of main's is no failure. */
import { useState } from 'react';
import { isVakError } from '../../shared/base/vak-error.ts';
import { describeError, type ErrorReport } from './describe-error.ts';

export interface Attempt {
  readonly isBusy: boolean;
  /** Why the last one failed. */
  readonly report: ErrorReport | undefined;
  /** Begins a call unless one is under way. `doing`: as on its button. Answers whether it was done. */
  readonly run: (doing: string, call: () => Promise<unknown>) => Promise<boolean>;
  readonly clear: () => void;
}

export function useAttempt(): Attempt {
  const [isBusy, setIsBusy] = useState(false);
  const [report, setReport] = useState<ErrorReport | undefined>();
  const run = async (doing: string, call: () => Promise<unknown>): Promise<boolean> => {
    if (isBusy) return false;
    setIsBusy(true);
    setReport(undefined);
    try {
      await call();
      return true;
    } catch (error) {
      if (!isVakError(error, 'aborted')) setReport(describeError(doing, error));
      return false;
    } finally {
      setIsBusy(false);
    }
  };
  return { isBusy, report, run, clear: () => setReport(undefined) };
}
