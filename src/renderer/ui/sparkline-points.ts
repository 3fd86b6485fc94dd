/** The line of a small chart without axes. Pure. */

export interface SparklineBox {
  readonly width: number;
  readonly height: number;
}

/** `points` of an SVG polyline: the values from left to right, 0 at the bottom, the largest at the top. Fewer than two draw nothing. */
export function sparklinePoints(values: readonly number[], { width, height }: SparklineBox): string {
  if (values.length < 2) return '';
  const most = Math.max(1, ...values);
  const round = (value: number): number => Math.round(value * 10) / 10;
  return values
    .map((value, at) => `${round((at / (values.length - 1)) * width)},${round(height - (value / most) * height)}`)
    .join(' ');
}
