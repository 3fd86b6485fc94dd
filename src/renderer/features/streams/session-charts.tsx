/** CPU and memory of a session, one above the other over the same time. */
import { useCallback, useState } from 'react';
import { formatBytes, formatPercent, formatTimeOfDay, formatZone } from '../../ui/format.ts';
import { TimeChart } from '../../ui/time-chart.tsx';
import { useViewState } from '../../workbench.tsx';
import { figureAt } from './session-moments.ts';
import type { TelemetrySeries } from './telemetry-series.ts';

const leastCpuPercent = 100;
const leastRssBytes = 1_048_576;
const cpuSteps = [1, 2, 5, 10, 25, 50, 100, 200, 500, 1000, 2000, 5000];
const rssSteps = Array.from({ length: 32 }, (_, at) => 2 ** (at + 10));
const cpuText = (value: number): string => formatPercent(value);
const rssText = (value: number): string => formatBytes(value);

interface ReadoutProps {
  readonly cpu: string;
  readonly rss: string;
  readonly timeMs: number;
  readonly isLast: boolean;
}

/** The figures at one time. */
function Readout({ cpu, rss, timeMs, isLast }: ReadoutProps) {
  const zone = useViewState((state) => state.timeZone);
  return (
    <p className="session-readout" data-testid="telemetry-readout">
      <span>
        <span className="dim">CPU</span> <span className="data">{cpu}</span>
      </span>
      <span>
        <span className="dim">RSS</span> <span className="data">{rss}</span>
      </span>
      <span className="dim session-readout-time">
        {isLast ? 'last' : 'at'} {formatTimeOfDay(timeMs, zone)} {formatZone(zone, timeMs)}
      </span>
    </p>
  );
}

export interface SessionChartsProps {
  readonly series: TelemetrySeries;
  /** The time that the view shows, ms since the epoch; undefined: now. */
  readonly cursorMs: number | undefined;
}

export function SessionCharts({ series, cursorMs }: SessionChartsProps) {
  const zone = useViewState((state) => state.timeZone);
  const [hovered, setHovered] = useState<number | undefined>();
  const onHover = useCallback((index: number | undefined) => setHovered(index), []);
  const { times, cpuPercent, rssBytes } = series;
  if (times.length === 0)
    return <p className="session-hint dim">No CPU or memory figures of this session are in the buffer.</p>;
  // Before the first figure the first stands for what is known.
  const at = hovered !== undefined && hovered < times.length ? hovered : Math.max(0, figureAt(series, cursorMs));
  const timeMs = (times[at] as number) * 1000;
  const cpu = cpuText(cpuPercent[at] as number);
  const rss = rssText(rssBytes[at] as number);
  const shared = { times, zone, onHover, cursorKey: 'session', minSpanSeconds: 30, markMs: cursorMs } as const;
  return (
    <>
      <Readout {...{ cpu, rss, timeMs }} isLast={hovered === undefined && cursorMs === undefined} />
      <TimeChart
        {...shared}
        label={`CPU, ${cpu}`}
        values={cpuPercent}
        format={cpuText}
        steps={cpuSteps}
        least={leastCpuPercent}
        colour="--accent"
        isFilled
        hasTimeAxis={false}
      />
      <TimeChart
        {...shared}
        label={`Memory (RSS), ${rss}`}
        values={rssBytes}
        format={rssText}
        steps={rssSteps}
        least={leastRssBytes}
        colour="--text"
        isFilled={false}
        hasTimeAxis
      />
    </>
  );
}
