/** A small bar for a part of a whole; the number stands beside it, the bar only helps the eye. */
import './gauge.css';

export interface GaugeProps {
  /** Accessible name: "Message buffer". */
  readonly label: string;
  readonly value: number;
  readonly max: number;
  /** What a screen reader says: "3.1 of 64 MiB". */
  readonly valueText: string;
  /** `wait` when fullness will lose something soon. */
  readonly tone?: 'plain' | 'wait' | 'bad';
}

export function Gauge({ label, value, max, valueText, tone = 'plain' }: GaugeProps) {
  const share = max > 0 ? Math.min(1, Math.max(0, value / max)) : 0;
  return (
    <div
      className={`gauge gauge-${tone}`}
      role="meter"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={max}
      aria-valuenow={Math.min(value, max)}
      aria-valuetext={valueText}
    >
      <div className="gauge-fill" style={{ transform: `scaleX(${share})` }} />
    </div>
  );
}
