/** What is said of the workspace's secrets: what each does now, why it cannot be changed, what a change comes to. Pure. */
import type { WorkspaceSecretStatus } from '../../../shared/contract/settings-contract.ts';
import { formatCount, formatDateTime, type Zone } from '../../ui/format.ts';

/** `ended`: its time to open is over. */
export type SecretStanding = 'active' | 'open-only' | 'ended' | 'revoked';

export function standingOfSecret(
  { state, openOnlyUntilMs }: Pick<WorkspaceSecretStatus, 'state' | 'openOnlyUntilMs'>,
  nowMs: number,
): SecretStanding {
  const isOver = state === 'open-only' && openOnlyUntilMs !== null && openOnlyUntilMs <= nowMs;
  return isOver ? 'ended' : state;
}

/** `opens what is old until 2026-12-01 10:00 UTC, seals nothing`. */
export function standingWords(secret: WorkspaceSecretStatus, nowMs: number, zone: Zone): string {
  const { openOnlyUntilMs } = secret;
  const until = openOnlyUntilMs === null ? '' : ` until ${formatDateTime(openOnlyUntilMs, zone).slice(0, 16)}`;
  switch (standingOfSecret(secret, nowMs)) {
    case 'active':
      return secret.isSealing ? 'seals what is sent now, and opens' : 'active: opens; a newer one seals';
    case 'open-only':
      return `open only: opens what is old${until}, seals nothing`;
    case 'ended':
      return `ended: opened what is old${until}, and nothing any more`;
    case 'revoked':
      return 'revoked: neither seals nor opens';
  }
}

/** Those that could seal if `id` did not. */
function otherActive(secrets: readonly WorkspaceSecretStatus[], id: string): WorkspaceSecretStatus | undefined {
  return secrets.findLast((one) => one.id !== id && one.state === 'active');
}

/** Who seals once `id` does not. */
function successorWords(secrets: readonly WorkspaceSecretStatus[], id: string): string {
  const next = otherActive(secrets, id);
  if (next !== undefined) return `${next.id} seals what is sent from then on.`;
  return 'No other secret is active: nothing can be sealed until you add one, and workers of the local swarm end.';
}

const fixedReason = ({ source, state }: WorkspaceSecretStatus): string | undefined => {
  if (source === 'environment') return 'it comes from the environment; change it there';
  return state === 'revoked' ? 'it was revoked, and that is for good' : undefined;
};

export const whyNotOpenOnly = fixedReason;
export const whyNotRevoke = fixedReason;

/** Why it cannot be made to seal again. */
export function whyNotActive(secret: WorkspaceSecretStatus): string | undefined {
  return fixedReason(secret) ?? (secret.state === 'active' ? 'it is active already' : undefined);
}

/** What happens when it only opens. */
export function openOnlyConsequence(secrets: readonly WorkspaceSecretStatus[], secret: WorkspaceSecretStatus): string {
  const sealing = secret.isSealing ? ` ${successorWords(secrets, secret.id)}` : '';
  return `It seals nothing more, and opens what it has sealed until its time is over.${sealing}`;
}

/** How much of what is shown it has sealed. */
export interface SecretReach {
  readonly sealedCount: number;
  readonly bufferedCount: number;
}

/** What will not open any more once it is revoked. */
export function revokeConsequence(
  secrets: readonly WorkspaceSecretStatus[],
  { id, isSealing }: WorkspaceSecretStatus,
  { sealedCount, bufferedCount }: SecretReach,
): string {
  const shown =
    sealedCount === 0
      ? ''
      : ` In Streams that closes ${formatCount(sealedCount)} of ${formatCount(bufferedCount)} messages.`;
  const sealing = isSealing ? ` ${successorWords(secrets, id)}` : '';
  return `Nothing that was sealed under ${id} opens any more, for you and for every peer that this profile starts.${shown} Tasks that wait under it are refused; dead letters and receipts under it stay closed. It cannot be undone.${sealing}`;
}

/** `The key of today has sealed 12 of 268 435 456 messages`. */
export function sealingKeyWords({
  sealedCount,
  limitCount,
}: {
  readonly sealedCount: number;
  readonly limitCount: number;
}): string {
  const left = formatCount(Math.max(0, limitCount - sealedCount));
  return `your key of today has sealed ${formatCount(sealedCount)} ${sealedCount === 1 ? 'message' : 'messages'} and may seal ${left} more; then, and each day, another is derived`;
}

/** The time of an end as it is typed: `2026-12-01 10:00` in UTC. */
export function endText(ms: number): string {
  return new Date(ms).toISOString().slice(0, 16).replace('T', ' ');
}

/** Reads it; a text says what is wrong. */
export function readEnd(text: string, nowMs: number): number | string {
  const typed = text.trim();
  const ms = /^\d{4}-\d{2}-\d{2}[ T]\d{2}:\d{2}$/.test(typed)
    ? Date.parse(`${typed.replace(' ', 'T')}:00Z`)
    : Number.NaN;
  if (Number.isNaN(ms) || endText(ms) !== typed.replace('T', ' ')) return 'Type a time as 2026-12-01 10:00, in UTC.';
  return ms > nowMs ? ms : 'That time is past; to end it now, revoke it.';
}
