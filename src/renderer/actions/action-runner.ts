/** Runs actions so that nothing ends in silence: a reason is said, a failure is reported. */
import type { Workbench } from '../workbench.tsx';
import type { Action } from './action-registry.ts';

export type RunAction = (action: Action) => Promise<void>;

/** Creates the runner; its promise never rejects. */
export function createActionRunner({ notify, reportError }: Pick<Workbench, 'notify' | 'reportError'>): RunAction {
  return async (action) => {
    const reason = action.disabledReason?.();
    if (reason !== undefined) {
      notify(`${action.title}: ${reason}`);
      return;
    }
    try {
      await action.run();
    } catch (error) {
      reportError(action.title.replace(/…$/, ''), error);
    }
  };
}
