/** What is said of streams and buckets that are made on a server. Pure. */
import type { ProvisioningPart } from '../../../shared/contract/provisioning-contract.ts';
import { formatBytes, formatCount } from '../../ui/format.ts';

const dayMs = 86_400_000;

/** `90 days`; without end. */
function ageWords(maxAgeMs: number | null): string {
  if (maxAgeMs === null) return 'without end';
  const days = Math.round(maxAgeMs / dayMs);
  return `${formatCount(days)} ${days === 1 ? 'day' : 'days'}`;
}

/** Its bounds: `90 days · 1.0 GiB, then drops oldest`. */
export function boundWords({ kind, maxAgeMs, maxBytes, whenFull, history }: ProvisioningPart): string {
  if (kind === 'key-value') return `the last ${formatCount(history ?? 1)} values of a key`;
  const full = whenFull === 'drop-old' ? 'drops oldest' : 'refuses new';
  const size = maxBytes === null ? 'any size' : `${formatBytes(maxBytes)}, then ${full}`;
  return `${ageWords(maxAgeMs)} · ${size}`;
}

const planned: Readonly<Record<ProvisioningPart['outcome'], string>> = {
  created: 'is created',
  updated: 'is changed',
  unchanged: 'is there',
};

/** What comes of it. */
export const outcomeWords = ({ outcome }: Pick<ProvisioningPart, 'outcome'>): string => planned[outcome];

/** Those that are made or changed. */
export function changedCount(parts: readonly ProvisioningPart[]): number {
  return parts.filter(({ outcome }) => outcome !== 'unchanged').length;
}
