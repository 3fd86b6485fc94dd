/** Runs actions so that nothing ends in silence: a reason is said, a failure is reported. */
import type { Workbench } from '../workbench.tsx';
import type { Action } from './action-registry.ts';

export type RunAction = (action: Action) => Promise<void>;

/** Creates the runner; its promise never rejects. */
export function createActionRunner({ refuse, reportError }: Pick<Workbench, 'refuse' | 'reportError'>): RunAction {
  const running = new Set<string>();
  return async (action) => {
    // A second press while it is under way means the same.
    if (running.has(action.id)) return;
    const doing = action.title.replace(/…$/, '');
    const reason = action.disabledReason?.();
    if (reason !== undefined) {
      refuse(`${doing}: ${reason}`);
      return;
    }
    running.add(action.id);
    try {
      await action.run();
    } catch (error) {
      reportError(doing, error);
    } finally {
      running.delete(action.id);
    }
  };
}
