/**
 * The calls of the Trace view (docs/spec/trace.md).
 * Law: it reads, and changes nothing; each look begins anew, so that nothing is shown that is not there any more.
 */
import type { Services } from '../../shared/contract/define-contract.ts';
import type { traceContract } from '../../shared/contract/trace-contract.ts';
import type { Clock } from '../ports/clock.ts';
import type { ChainJudging } from './chain-record.ts';
import { type ChainServiceDeps, createChainService } from './chain-service.ts';
import { findTraceOf } from './trace-finding.ts';
import { gatherTrace, type TraceGatheringDeps } from './trace-gathering.ts';
import { buildTrace } from './trace-model.ts';

export type TraceCalls = Services<{ readonly trace: typeof traceContract }>['trace'];

export interface TraceServiceDeps
  extends Omit<TraceGatheringDeps, 'rest' | 'signal'>,
    ChainJudging,
    Pick<ChainServiceDeps, 'prompt' | 'rootOf' | 'grants'> {
  readonly clock: Pick<Clock, 'now' | 'defer'>;
}

/** Creates it. */
export function createTraceService({ clock, prompt, rootOf, grants, ...deps }: TraceServiceDeps): TraceCalls {
  const rest = (): Promise<void> => new Promise((resolve) => clock.defer(resolve));
  const looking = (signal: AbortSignal) => ({ ...deps, signal, rest });
  const { workspace } = deps;
  return {
    async read({ traceId }, { signal }) {
      const gathered = await gatherTrace(traceId, looking(signal));
      return buildTrace(traceId, gathered, clock.now());
    },
    async find({ envelopeId }, { signal }) {
      return { traceId: await findTraceOf(envelopeId, looking(signal)) };
    },
    ...createChainService({ looking, now: () => clock.now(), prompt, workspace, rootOf, grants }),
  };
}
