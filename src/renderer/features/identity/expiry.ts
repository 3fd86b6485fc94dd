/** How far off an end is, in words. Pure; the caller gives the present. */
import { formatDateTime, formatRelative, type Zone } from '../../ui/format.ts';

/** What ends within this is said to. */
export const expiresSoonMs = 7 * 24 * 3600 * 1000;

export interface Expiry {
  /** `bad`: over. `wait`: within a week. */
  readonly tone: 'plain' | 'wait' | 'bad';
  /** `2026-11-29 14:03:07`; whole seconds, as cards and grants count them. */
  readonly at: string;
  /** `UTC`, for where no header says it. */
  readonly zone: string;
  /** `in 23 d`, `ended 2 h ago`. */
  readonly relative: string;
}

export function describeExpiry(endsAtMs: number, nowMs: number, zone: Zone): Expiry {
  const relative = formatRelative(endsAtMs, nowMs);
  const [at = '', zoneName = ''] = formatDateTime(endsAtMs, zone).split(/\.\d{3} /);
  const when = { at, zone: zoneName };
  if (endsAtMs <= nowMs) return { tone: 'bad', ...when, relative: `ended ${relative}` };
  return { tone: endsAtMs - nowMs < expiresSoonMs ? 'wait' : 'plain', ...when, relative };
}
