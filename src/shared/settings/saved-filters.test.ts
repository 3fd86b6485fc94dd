import { expect, it } from 'vitest';
import { areSavedFilters, savedFiltersOf, withFilter, withName, withoutFilter } from './saved-filters.ts';

const listOf = (...names: readonly string[]) => names.map((name) => ({ name, filter: `peer:${name}` }));
const textOf = (result: ReturnType<typeof withFilter>): string | null => {
  if (typeof result === 'string') throw new Error(result);
  return result.text;
};

it('V9 filters are kept as they were typed, by name, and what is written is read again', () => {
  const text = textOf(
    withFilter(listOf('zoe', '__proto__x'), { name: 'big, "odd" é', filter: ' size>1MiB -type:"a b" ' }),
  );
  expect(areSavedFilters(text)).toBe(true);
  expect(savedFiltersOf(text)).toEqual([
    { name: '__proto__x', filter: 'peer:__proto__x' },
    { name: 'big, "odd" é', filter: 'size>1MiB -type:"a b"' },
    { name: 'zoe', filter: 'peer:zoe' },
  ]);
  expect(savedFiltersOf(null)).toEqual([]);
});

it('V9 a name stands once: saving under it again takes its place, renaming to it is refused', () => {
  const filters = listOf('a', 'b');
  expect(savedFiltersOf(textOf(withFilter(filters, { name: 'a', filter: 'new' })))).toEqual([
    { name: 'a', filter: 'new' },
    { name: 'b', filter: 'peer:b' },
  ]);
  expect(withName(filters, 'a', 'b')).toBe('another one has this name');
  expect(savedFiltersOf(textOf(withName(filters, 'a', 'c'))).map(({ name }) => name)).toEqual(['b', 'c']);
  expect(savedFiltersOf(textOf(withName(filters, 'a', 'a')))).toEqual(filters);
  expect(withName(filters, 'x', 'y')).toBe('it is gone');
  expect(withoutFilter(listOf('a'), 'a').text).toBeNull();
});

it.each([
  ['', 'give it a name'],
  [' a', 'take the space before or after it away'],
  ['a'.repeat(41), 'at most 40 characters'],
  ['a\u202eb', 'it has a character that is not seen'],
])('V9 %j is no name', (name, why) => {
  expect(withFilter([], { name, filter: 'x' })).toBe(why);
});

it('V9 a list is bounded, and says so', () => {
  const full = listOf(...Array.from({ length: 64 }, (_, at) => `${at}`));
  expect(withFilter(full, { name: 'one more', filter: 'x' })).toContain('64 already');
  expect(withFilter(listOf('a'), { name: 'b', filter: 'x'.repeat(2_048) })).toHaveProperty('text');
  const long = [...listOf('a'), { name: 'l', filter: 'x'.repeat(2_040) }];
  expect(withFilter(long, { name: 'm', filter: 'y'.repeat(2_048) })).toContain('4096 characters');
});

it.each(['', '[]', '"a"', '{"a":1}', '{"a":""}', '{"":"x"}', '{"a\\u202e":"x"}', 'x', null, 7])(
  'V9 %j is no list of filters, and none are read of it',
  (value) => {
    expect(areSavedFilters(value)).toBe(false);
    if (typeof value === 'string') expect(savedFiltersOf(value)).toEqual([]);
  },
);
