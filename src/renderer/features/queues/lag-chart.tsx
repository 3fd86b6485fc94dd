/** The lag of one queue over the last minutes, with the figure under the pointer, else the last one. */
import { useCallback, useMemo, useState } from 'react';
import type { QueueState, QueuesState } from '../../../shared/contract/queues-contract.ts';
import { formatCount, formatTimeOfDay, formatZone } from '../../ui/format.ts';
import { TimeChart } from '../../ui/time-chart.tsx';
import { useViewState } from '../../workbench.tsx';
import { TrendMark } from './queue-row.tsx';

/** The engine's history is as long. */
const spanSeconds = 300;
const steps = Array.from({ length: 9 }, (_, power) => [1, 2, 5].map((step) => step * 10 ** power)).flat();
const countText = (value: number): string => formatCount(value);

export interface LagChartProps extends Pick<QueuesState, 'sampleMs'> {
  readonly queue: QueueState;
  readonly readAtMs: number;
}

export function LagChart({ queue, readAtMs, sampleMs }: LagChartProps) {
  const zone = useViewState((state) => state.timeZone);
  const [hovered, setHovered] = useState<number | undefined>();
  const onHover = useCallback((index: number | undefined) => setHovered(index), []);
  const { lagHistory, trend } = queue;
  const last = lagHistory.length - 1;
  const times = useMemo(
    () => lagHistory.map((_, at) => (readAtMs - (lagHistory.length - 1 - at) * sampleMs) / 1000),
    [lagHistory, readAtMs, sampleMs],
  );
  const at = hovered !== undefined && hovered <= last ? hovered : undefined;
  // Between two samples the count goes on; the line does not.
  const lag = formatCount(at === undefined ? queue.lag : (lagHistory[at] as number));
  const atMs = at === undefined ? readAtMs : (times[at] as number) * 1000;
  return (
    <div className="queue-chart">
      <p className="queue-chart-readout">
        <span className="dim">Lag</span> <span className="data">{lag}</span> <TrendMark trend={trend} />
        <span className="dim queue-chart-time">
          {at === undefined ? 'last' : 'at'} {formatTimeOfDay(atMs, zone)} {formatZone(zone, atMs)}
        </span>
      </p>
      <TimeChart
        cursorKey="queue"
        minSpanSeconds={spanSeconds}
        label={`Lag, ${lag} tasks, ${trend}`}
        times={times}
        values={lagHistory}
        format={countText}
        steps={steps}
        least={4}
        colour="--accent"
        isFilled={false}
        hasTimeAxis
        zone={zone}
        onHover={onHover}
      />
    </div>
  );
}
