/** Which part of a trace's time is in sight, and where a time lies in it. Pure. */

/** Parts of the whole, from 0 to 1. */
export interface TraceZoom {
  readonly from: number;
  readonly to: number;
}

export const wholeTrace: TraceZoom = { from: 0, to: 1 };
/** The least that is shown, of the whole: a trace of an hour down to 4 ms. */
const least = 1e-6;

/** Shows less or more by a factor, around a place from 0 to 1 of the whole. */
export function zoomBy({ from, to }: TraceZoom, factor: number, around: number): TraceZoom {
  const size = Math.min(1, Math.max(least, (to - from) * factor));
  const centre = Math.min(to, Math.max(from, around));
  const share = (centre - from) / (to - from);
  const begin = Math.min(1 - size, Math.max(0, centre - size * share));
  return { from: begin, to: begin + size };
}

/** Moves what is in sight by a part of itself. */
export function moveBy({ from, to }: TraceZoom, part: number): TraceZoom {
  const size = to - from;
  const begin = Math.min(1 - size, Math.max(0, from + size * part));
  return { from: begin, to: begin + size };
}

export interface TraceSpan {
  readonly fromMs: number;
  readonly toMs: number;
}

/** The times that are in sight. */
export function timesIn({ fromMs, toMs }: TraceSpan, { from, to }: TraceZoom): TraceSpan {
  const wholeMs = Math.max(1, toMs - fromMs);
  return { fromMs: fromMs + wholeMs * from, toMs: fromMs + wholeMs * to };
}

/** Left end and width in percent of what is in sight; undefined: it lies beside it. A moment has no width. */
export function barIn({ fromMs, toMs }: TraceSpan, span: TraceSpan): { left: number; width: number } | undefined {
  if (toMs < span.fromMs || fromMs > span.toMs) return undefined;
  const wholeMs = span.toMs - span.fromMs;
  const left = Math.max(0, (fromMs - span.fromMs) / wholeMs);
  return { left: left * 100, width: (Math.min(1, (toMs - span.fromMs) / wholeMs) - left) * 100 };
}

/** Times for the scale: at most five, on round steps, from the trace's beginning. */
export function ticksIn({ fromMs, toMs }: TraceSpan, beginMs: number): number[] {
  const aim = (toMs - fromMs) / 4;
  const power = 10 ** Math.floor(Math.log10(Math.max(aim, 1e-3)));
  const step = [1, 2, 5, 10].map((one) => one * power).find((one) => one >= aim) ?? power * 10;
  const first = Math.ceil((fromMs - beginMs) / step);
  return Array.from({ length: 5 }, (_, at) => (first + at) * step).filter((ms) => ms + beginMs <= toMs);
}
