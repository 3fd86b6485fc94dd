/** One line over time (uPlot, drawn on canvas with the tokens' colours). */
import { useEffect, useRef } from 'react';
import uPlot from 'uplot';
import type { Zone } from './format.ts';
import { readToken, useThemeVersion } from './use-theme.ts';
import 'uplot/dist/uPlot.min.css';
import './time-chart.css';

export interface TimeChartProps {
  /** Charts with the same key share their cursor. */
  readonly cursorKey: string;
  readonly label: string;
  readonly times: readonly number[];
  readonly values: readonly number[];
  readonly format: (value: number) => string;
  /** Distances between the lines of the value axis, smallest first. */
  readonly steps: readonly number[];
  /** Least upper end of the scale. */
  readonly least: number;
  readonly colour: '--accent' | '--text';
  readonly isFilled: boolean;
  /** Shortest time that the axis spans, in seconds. */
  readonly minSpanSeconds: number;
  /** Whether the time axis is printed below. */
  readonly hasTimeAxis: boolean;
  readonly zone: Zone;
  /** A time that is marked by a line, ms since the epoch. */
  readonly markMs?: number | undefined;
  /** Place under the pointer, in any chart of the view; undefined: none. */
  readonly onHover: (index: number | undefined) => void;
}

const valueAxisPx = 64;
const timeAxisPx = 22;
/** Seconds between the lines of the time axis. */
const timeSteps = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 1800, 3600];

function axis(element: Element, over: uPlot.Axis): uPlot.Axis {
  const line = readToken(element, '--line');
  return {
    stroke: readToken(element, '--dim'),
    font: `11px ${readToken(element, '--font-data')}`,
    grid: { stroke: line, width: 1 },
    ticks: { show: false },
    gap: 6,
    ...over,
  };
}

/** Draws the line of the marked time, if it lies in the chart. */
function drawMark(plot: uPlot, markMs: number | undefined, colour: string): void {
  const { left, top, width, height } = plot.bbox;
  const at = markMs === undefined ? Number.NaN : Math.round(plot.valToPos(markMs / 1000, 'x', true));
  if (!(at >= left && at <= left + width)) return;
  plot.ctx.save();
  plot.ctx.strokeStyle = colour;
  plot.ctx.lineWidth = devicePixelRatio;
  plot.ctx.beginPath();
  plot.ctx.moveTo(at, top);
  plot.ctx.lineTo(at, top + height);
  plot.ctx.stroke();
  plot.ctx.restore();
}

function optionsOf(element: HTMLElement, props: TimeChartProps, mark: () => number | undefined): uPlot.Options {
  const colour = readToken(element, props.colour);
  return {
    width: element.clientWidth,
    height: element.clientHeight,
    padding: [8, 30, props.hasTimeAxis ? 0 : 6, 0],
    legend: { show: false },
    cursor: { sync: { key: props.cursorKey }, y: false, drag: { x: false, y: false }, points: { size: 6 } },
    tzDate: (seconds) => {
      const date = new Date(seconds * 1000);
      return props.zone === 'utc' ? uPlot.tzDate(date, 'Etc/UTC') : date;
    },
    scales: {
      x: { time: true, range: (_plot, min, max) => [Math.min(min, max - props.minSpanSeconds), max] },
      y: { range: (_plot, _min, max) => [0, Math.max(props.least, max * 1.1)] },
    },
    axes: [
      axis(
        element,
        props.hasTimeAxis
          ? {
              size: timeAxisPx,
              space: 80,
              incrs: timeSteps,
              values: [[1, '{HH}:{mm}:{ss}', null, null, null, null, null, null, 0]],
            }
          : { size: 0, values: () => [] },
      ),
      axis(element, {
        size: valueAxisPx,
        space: 24,
        incrs: [...props.steps],
        values: (_plot, splits) => splits.map(props.format),
      }),
    ],
    series: [
      {},
      {
        label: props.label,
        stroke: colour,
        width: 1.5,
        points: { show: false },
        ...(props.isFilled ? { fill: `color-mix(in srgb, ${colour} 16%, transparent)` } : {}),
      },
    ],
    hooks: {
      setCursor: [(plot) => props.onHover(plot.cursor.idx ?? undefined)],
      draw: [(plot) => drawMark(plot, mark(), readToken(element, '--accent'))],
    },
  };
}

export function TimeChart(props: TimeChartProps) {
  const home = useRef<HTMLDivElement>(null);
  const chart = useRef<uPlot | null>(null);
  const latest = useRef(props);
  latest.current = props;
  const theme = useThemeVersion();
  const { zone, times, values, markMs } = props;
  // biome-ignore lint/correctness/useExhaustiveDependencies: another theme or zone is drawn anew; the data comes by setData.
  useEffect(() => {
    const element = home.current;
    if (element === null) return;
    const data: uPlot.AlignedData = [[...latest.current.times], [...latest.current.values]];
    const plot = new uPlot(
      optionsOf(element, latest.current, () => latest.current.markMs),
      data,
      element,
    );
    chart.current = plot;
    const observer = new ResizeObserver(() =>
      plot.setSize({ width: element.clientWidth, height: element.clientHeight }),
    );
    observer.observe(element);
    return () => {
      observer.disconnect();
      chart.current = null;
      plot.destroy();
    };
  }, [theme, zone]);
  useEffect(() => chart.current?.setData([[...times], [...values]]), [times, values]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the line is read while the chart is drawn.
  useEffect(() => chart.current?.redraw(false), [markMs]);
  return <div ref={home} className="time-chart" role="img" aria-label={props.label} />;
}
