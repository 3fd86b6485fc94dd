/**
 * The sizes in which the window is shown, in percent.
 * Law: a step leads to the next size of the list, also from a size between two; beyond the ends it stays.
 */

/** As browsers have them, within what the layout is made for. */
const steps = [50, 67, 75, 80, 90, 100, 110, 125, 150, 175, 200] as const;

export const leastZoomPercent = steps[0];
export const mostZoomPercent = 200;
export const plainZoomPercent = 100;

export type ZoomStep = 'in' | 'out' | 'actual';

/** The size after a step from `percent`. */
export function zoomAfter(percent: number, step: ZoomStep): number {
  if (step === 'actual') return plainZoomPercent;
  if (step === 'in') return steps.find((size) => size > percent) ?? mostZoomPercent;
  return steps.findLast((size) => size < percent) ?? leastZoomPercent;
}
