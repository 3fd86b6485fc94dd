/**
 * What the streams of the workspace keep and hold, for people (protocol.md §1).
 * Law: it is read from the engine in use, never remembered; what cannot be read is said, with why.
 */
import { isVakError } from '../../shared/base/vak-error.ts';
import type { Holdings, KeptLimits, StreamHolding } from '../../shared/contract/settings-contract.ts';
import type { StreamSpec } from '../../shared/protocol/stream-table.ts';
import { keptStreamsOf, streamKindOf } from '../../shared/settings/kept-streams.ts';
import type { Settings } from '../../shared/settings/settings-schema.ts';
import type { DurablePlane } from '../bus/durable.ts';
import { stateIfThere } from '../bus/stream-state.ts';

export interface HoldingsQuestion {
  /** The engine in use; undefined: none is there. */
  readonly durable: Pick<DurablePlane, 'stream'> | undefined;
  readonly workspace: string;
  readonly retention: Settings['retention'];
}

function limitsOf({ retention, maxAgeMs, maxBytes, whenFull }: StreamSpec): KeptLimits {
  return { retention: retention === 'limits' ? 'limits' : 'until-done', maxAgeMs, maxBytes, whenFull };
}

/** Looks. Rejects with what is no VakError. */
export async function lookAtHoldings({
  durable,
  workspace,
  retention,
}: HoldingsQuestion): Promise<Pick<Holdings, 'streams' | 'why'>> {
  if (durable === undefined) return { streams: null, why: 'there is no connection yet' };
  try {
    const looking = keptStreamsOf(workspace, retention).map(async (spec): Promise<StreamHolding> => {
      const state = await stateIfThere(durable, spec.name);
      return {
        ...{ kind: streamKindOf(spec, workspace), name: spec.name, asked: limitsOf(spec) },
        kept: state === undefined ? null : limitsOf(state.spec),
        ...{ messageCount: state?.messageCount ?? 0, bytes: state?.bytes ?? 0 },
      };
    });
    return { streams: await Promise.all(looking), why: null };
  } catch (error) {
    if (!isVakError(error)) throw error;
    return { streams: null, why: error.message };
  }
}
