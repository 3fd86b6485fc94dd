/**
 * The calls of the Trace view (docs/spec/trace.md).
 * Law: it reads, and changes nothing; each look begins anew, so that nothing is shown that is not there any more.
 */
import type { Services } from '../../shared/contract/define-contract.ts';
import type { traceContract } from '../../shared/contract/trace-contract.ts';
import type { Clock } from '../ports/clock.ts';
import { gatherTrace, type TraceGatheringDeps } from './trace-gathering.ts';
import { buildTrace } from './trace-model.ts';

export type TraceCalls = Services<{ readonly trace: typeof traceContract }>['trace'];

export interface TraceServiceDeps extends Omit<TraceGatheringDeps, 'rest' | 'signal'> {
  readonly clock: Pick<Clock, 'now' | 'defer'>;
}

/** Creates it. */
export function createTraceService({ clock, ...deps }: TraceServiceDeps): TraceCalls {
  const rest = (): Promise<void> => new Promise((resolve) => clock.defer(resolve));
  return {
    async read({ traceId }, { signal }) {
      const gathered = await gatherTrace(traceId, { ...deps, signal, rest });
      return buildTrace(traceId, gathered, clock.now());
    },
  };
}
