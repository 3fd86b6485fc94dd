/** CPU and memory of one session over the last minutes. Law: bounded in time and in points. */
import type { TelemetryPoint } from './session-payloads.ts';

/** How far it reaches back unless the settings say otherwise. */
export const seriesSpanMs = 10 * 60_000;
/** Twice what a session sends in a minute. */
const maxPointsPerMinute = 240;

/** Columns as uPlot takes them; times in seconds since the epoch. */
export interface TelemetrySeries {
  readonly times: readonly number[];
  readonly cpuPercent: readonly number[];
  readonly rssBytes: readonly number[];
}

export const emptySeries: TelemetrySeries = { times: [], cpuPercent: [], rssBytes: [] };

/** Appends points; what is older than `spanMs` before the newest is left out. */
export function appendPoints(
  series: TelemetrySeries,
  points: readonly (TelemetryPoint & { readonly atMs: number })[],
  spanMs = seriesSpanMs,
): TelemetrySeries {
  const times = [...series.times, ...points.map((point) => point.atMs / 1000)];
  const oldest = (times.at(-1) ?? 0) - spanMs / 1000;
  const isRecent = times.findIndex((time) => time >= oldest);
  const from = Math.max(isRecent, times.length - (maxPointsPerMinute * spanMs) / 60_000, 0);
  return {
    times: times.slice(from),
    cpuPercent: [...series.cpuPercent, ...points.map((point) => point.cpuPercent)].slice(from),
    rssBytes: [...series.rssBytes, ...points.map((point) => point.rssBytes)].slice(from),
  };
}
