import { expect, test } from 'vitest';
import { textTable } from './text-table.ts';

test('vak: a table has its columns below each other, numbers to the right, and hides nothing', () => {
  const rows = [
    ['QUEUE', 'LAG', 'STATE'],
    ['q', '1', 'ok'],
    ['a\u001b[2Jb', '1200', ''],
  ];
  expect(textTable(rows, (column) => column === 1)).toBe('QUEUE    LAG  STATE\nq          1  ok\na␛[2Jb  1200\n');
  expect(textTable([['A', 'B']])).toBe('A  B\n');
});
