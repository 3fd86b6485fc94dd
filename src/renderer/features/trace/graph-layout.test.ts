import { expect, test } from 'vitest';
import type { TraceRow } from '../../../shared/contract/trace-contract.ts';
import { layOutGraph } from './graph-layout.ts';

const row = (id: string, parentId: string | null) => ({ id, parentId }) as TraceRow;

test('T5 the first effect is on the line of its cause, others below it, and no two nodes share a place', () => {
  const rows = [row('a', null), row('b', 'a'), row('c', 'a'), row('d', 'c'), row('e', null)];
  const { nodes, columns, lines } = layOutGraph(rows);
  expect(nodes.map(({ row: { id }, column, line, causeLine }) => [id, column, line, causeLine])).toEqual([
    ['a', 0, 0, null],
    ['b', 1, 0, 0],
    ['c', 1, 1, 0],
    ['d', 2, 1, 1],
    ['e', 0, 2, null],
  ]);
  expect([columns, lines]).toEqual([3, 3]);
});
