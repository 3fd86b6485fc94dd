/** Why the command or the worker of a session cannot be ended from here, if so. Pure. */
import type { SessionSummary } from '../../../shared/contract/sessions-contract.ts';
import type { WorkerSummary } from '../../../shared/contract/swarm-contract.ts';

/** A session as it was heard, and its worker if this app has started it. */
export interface SessionFacts {
  readonly summary: SessionSummary | undefined;
  readonly worker: WorkerSummary | undefined;
  /** Why nothing can be published now, if so. */
  readonly readOnly: string | undefined;
}

const isOver = ({ summary }: SessionFacts): boolean => summary?.state === 'ended';

/** Undefined: it can be cancelled. */
export function whyNoCancel(facts: SessionFacts): string | undefined {
  const { worker } = facts;
  // A worker is asked over the bus, our own ones, too.
  if (worker !== undefined) return worker.task === null ? 'no command is running' : facts.readOnly;
  if (isOver(facts)) return 'this session has ended';
  if (facts.summary === undefined || facts.summary.peer === null) return 'nobody has said yet whose session it is';
  return facts.readOnly;
}

/** Undefined: it can be killed. */
export function whyNoKill(facts: SessionFacts): string | undefined {
  const { worker } = facts;
  if (worker !== undefined) {
    const isGone = worker.pid === null || worker.state === 'dead' || worker.state === 'ended';
    return isGone ? 'its process has ended already' : undefined;
  }
  if (isOver(facts)) return 'this session has ended';
  return 'its worker was not started by this app, which cannot end the process; end it where it was started';
}
