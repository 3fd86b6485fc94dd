/**
 * An operator ends an operation that another process works on, or nobody any more (docs/spec/triage.md D8).
 * Law: it is on record, signed, or it was not said; whoever works on the operation follows it, also after the next start.
 */
import { VakError } from '../../shared/base/vak-error.ts';
import { startTrace } from '../../shared/protocol/trace-context.ts';
import { settlesWithin } from '../wait.ts';
import { draftAction } from '../work/purge-records.ts';
import { cancelAction } from './campaign-audit.ts';
import type { CampaignPlace, CampaignPorts } from './campaign-place.ts';
import { claimMs, createLetterClaims, type LetterClaims } from './letter-claims.ts';

export type CancelPorts = Pick<CampaignPorts, 'workspace' | 'judge' | 'basis' | 'clock' | 'randomness'>;

const storedMs = 15_000;
const pageLimit = 128;
/** Clocks may differ by so much, ms. */
const clockSkewMs = 3_600_000;

/** What is on record of operations that may still run. */
export function createRunningClaims(
  { durable }: Pick<CampaignPlace, 'durable'>,
  { workspace, judge, basis, clock }: CancelPorts,
): LetterClaims {
  const rest = (): Promise<void> => new Promise((resolve) => clock.defer(resolve));
  const sinceMs = clock.now() - claimMs - clockSkewMs;
  return createLetterClaims({ workspace, durable, judge, sinceMs, pace: { pageLimit, basis, rest } });
}

export interface CancelRequest {
  readonly operationId: string;
  readonly reason?: string | undefined;
  /** Whose it is, where that is known although it is not on record yet. */
  readonly knownBy?: string | undefined;
}

/**
 * Puts it on record; resolves when that is stored, or somebody has said it before. Throws `not-found`, `conflict` (it has ended),
 * `timeout` (it waits in the outbox), and what reading and publishing throw.
 */
export async function requestCancel(
  { operationId, reason, knownBy }: CancelRequest,
  {
    place,
    claims,
    ports,
  }: { readonly place: CampaignPlace; readonly claims: LetterClaims; readonly ports: CancelPorts },
): Promise<void> {
  const { workspace, clock, randomness } = ports;
  await claims.read();
  const known = claims.operationOf(operationId);
  const by = known?.by ?? knownBy;
  if (by === undefined) {
    const message = `cancel ${operationId}: no operation of the last ${Math.round(claimMs / 3_600_000)} h is on record under it; look at the list`;
    throw new VakError('not-found', message);
  }
  if (known?.end !== undefined) {
    throw new VakError(
      'conflict',
      `cancel ${operationId}: it has ended before, as ${known.end}; nothing of it is left to stop`,
    );
  }
  if (claims.cancelOf(operationId) !== undefined) return;
  const trace = startTrace(randomness.bytes);
  const draft = draftAction(cancelAction(operationId, { by, reason }), { workspace, peer: place.peer, trace });
  const { stored } = await place.publish(draft);
  stored.catch(() => undefined);
  if (await settlesWithin(clock, storedMs, stored)) {
    await stored;
    return;
  }
  const message = `cancel ${operationId}: it is not acknowledged by the audit stream yet; it waits in the outbox, and holds when it is stored`;
  throw new VakError('timeout', message, { retryable: true });
}
