import { expect, it } from 'vitest';
import { unitSpace } from './format.ts';
import { drainWords } from './queue-health-words.ts';

it('W9 time to drain is never, or nothing to drain', () => {
  expect(drainWords({ lag: 0, drainMs: null })).toBe('–');
  expect(drainWords({ lag: 5, drainMs: null })).toBe('never');
  expect(drainWords({ lag: 5, drainMs: 41_200 })).toBe(`41${unitSpace}s`);
});
