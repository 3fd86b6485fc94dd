import { expect, it } from 'vitest';
import { badgedTitle } from './badged-title.ts';

it('product.md what waits stands before the title, up to 99', () => {
  expect([0, 3, 99, 100, -1].map((count) => badgedTitle('Streams', count))).toEqual([
    ...['Streams', '(3) Streams', '(99) Streams', '(99+) Streams', 'Streams'],
  ]);
});
