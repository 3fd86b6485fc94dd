/** A small line without axes, for a row of a table; the last value stands beside it. */
import { sparklinePoints } from './sparkline-points.ts';
import './sparkline.css';

export interface SparklineProps {
  readonly values: readonly number[];
  /** What a screen reader says of it: "lag over 5 min, rising". */
  readonly label: string;
}

/** Units of the drawing; it is stretched to its place. */
const box = { width: 150, height: 18 };

export function Sparkline({ values, label }: SparklineProps) {
  return (
    <svg
      className="sparkline"
      role="img"
      aria-label={label}
      viewBox={`0 -1 ${box.width} ${box.height + 2}`}
      preserveAspectRatio="none"
    >
      <polyline points={sparklinePoints(values, box)} />
    </svg>
  );
}
