/** Where a key leads in the list of what is wrong. Pure. */

/** Index of the line that the key goes to; undefined: it is no key of the list. */
export function moveInProblems(index: number, count: number, key: string): number | undefined {
  const steps = new Map([
    ['j', index + 1],
    ['ArrowDown', index + 1],
    ['k', index - 1],
    ['ArrowUp', index - 1],
    ['Home', 0],
    ['End', count - 1],
  ]);
  const next = steps.get(key);
  return next === undefined || count === 0 ? undefined : Math.max(0, Math.min(count - 1, next));
}
