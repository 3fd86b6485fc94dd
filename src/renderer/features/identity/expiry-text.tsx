/** An end in absolute and relative time; what is over or near says so with a sign beside it. */
import { CircleX, Clock } from 'lucide-react';
import { useViewState } from '../../workbench.tsx';
import { describeExpiry } from './expiry.ts';

export interface ExpiryTextProps {
  readonly endsAtMs: number;
  readonly nowMs: number;
  /** The column's header says the zone. */
  readonly isZoneSaid?: boolean;
}

export function ExpiryText({ endsAtMs, nowMs, isZoneSaid = false }: ExpiryTextProps) {
  const zone = useViewState((state) => state.timeZone);
  const { tone, at, zone: zoneName, relative } = describeExpiry(endsAtMs, nowMs, zone);
  return (
    <span className="identity-expiry">
      <span className="data">{isZoneSaid ? at : `${at} ${zoneName}`}</span>
      <span className={tone === 'plain' ? 'dim' : `identity-state identity-${tone}`}>
        {tone === 'bad' && <CircleX size={14} aria-hidden="true" />}
        {tone === 'wait' && <Clock size={14} aria-hidden="true" />}
        {relative}
      </span>
    </span>
  );
}
