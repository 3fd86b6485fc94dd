import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { queueState } from '../../../../tests/support/queue-states.ts';
import type { QueueState } from '../../../shared/contract/queues-contract.ts';
import { holdOrder } from '../../ui/list-moves.ts';
import { filterQueues, heldQueues, nextOrder, orderOf, sortQueues } from './queue-order.ts';

const names = (queues: readonly QueueState[]): readonly string[] => queues.map(({ queue }) => queue);
const queues = [
  queueState('render-10', { lag: 3, oldestMs: 300, drainMs: 5000, health: 'ok', lastClaimMs: 900 }),
  queueState('Render-2', { lag: 3, oldestMs: 100, drainMs: null, health: 'stuck', lastClaimMs: null }),
  queueState('audit', { lag: 0, oldestMs: null, drainMs: null, health: 'paused', lastClaimMs: 500 }),
];

describe('the order of queues', () => {
  it.each([
    ['name', ['audit', 'Render-2', 'render-10']],
    ['-name', ['render-10', 'Render-2', 'audit']],
    // Equal figures are by name, whichever way the figures go.
    ['lag', ['audit', 'Render-2', 'render-10']],
    ['-lag', ['Render-2', 'render-10', 'audit']],
    ['-oldest', ['Render-2', 'render-10', 'audit']],
    ['-drain', ['Render-2', 'render-10', 'audit']],
    ['-state', ['Render-2', 'audit', 'render-10']],
    ['-claim', ['Render-2', 'audit', 'render-10']],
    ['-no-such-column', ['audit', 'Render-2', 'render-10']],
  ])('%s', (order, expected) => {
    expect(names(sortQueues(queues, orderOf(order)))).toEqual(expected);
  });

  it('is the same whatever order the figures came in', () => {
    const order = fc.constantFrom('name', '-lag', 'oldest', '-drain', 'state', '-claim', 'in');
    const rows = fc.uniqueArray(fc.record({ name: fc.string({ minLength: 1 }), lag: fc.nat({ max: 2 }) }), {
      selector: ({ name }) => name,
    });
    fc.assert(
      fc.property(rows, order, (made, text) => {
        const all = made.map(({ name, lag }) => queueState(name, { lag, inPerSec: lag }));
        expect(names(sortQueues(all, orderOf(text)))).toEqual(names(sortQueues([...all].reverse(), orderOf(text))));
      }),
    );
  });

  it('a click on a head takes the largest first, the next one turns it round; names begin at a', () => {
    expect(nextOrder(orderOf('name'), 'lag')).toBe('-lag');
    expect(nextOrder(orderOf('-lag'), 'lag')).toBe('lag');
    expect(nextOrder(orderOf('-lag'), 'name')).toBe('name');
    expect(nextOrder(orderOf('name'), 'name')).toBe('-name');
  });
});

describe('what is listed', () => {
  it('is found by name or state, in any case', () => {
    expect(names(filterQueues(queues, ' REND '))).toEqual(['render-10', 'Render-2']);
    expect(names(filterQueues(queues, 'stuck'))).toEqual(['Render-2']);
    expect(filterQueues(queues, '  ')).toBe(queues);
    expect(filterQueues(queues, 'nothing')).toEqual([]);
  });

  it('while it is held figures change, rows do not move, new ones come last and gone ones go', () => {
    const held = sortQueues(queues, orderOf('name'));
    const later = [queueState('new'), queueState('render-10', { lag: 99 }), queueState('audit', { lag: 7 })];
    const sorted = sortQueues(later, orderOf('-lag'));
    const shown = heldQueues(
      holdOrder(held, sorted, ({ queue }) => queue),
      sorted,
    );
    expect(names(shown)).toEqual(['audit', 'render-10', 'new']);
    expect(shown.map(({ lag }) => lag)).toEqual([7, 99, 0]);
  });
});
