import fc from 'fast-check';
import { expect, test } from 'vitest';
import { lineAt, membersOf, valueTextAt, withoutValueAt, withValueAt } from './json-text.ts';

const jsonText = fc
  .tuple(fc.dictionary(fc.string(), fc.jsonValue()), fc.constantFrom(undefined, 1, 2, '\t'))
  .map(([value, indent]) => JSON.stringify(value, null, indent));

test('settings: members of an object are found as JSON.parse finds them', () => {
  fc.assert(
    fc.property(jsonText, (text) => {
      const found = (membersOf(text) ?? []).map(({ name, valueText }) => [name, JSON.parse(valueText) as unknown]);
      expect(found).toEqual(Object.entries(JSON.parse(text) as object));
    }),
    { numRuns: 500 },
  );
});

test('settings: an edit changes what it names, and no character of the rest', () => {
  fc.assert(
    fc.property(jsonText, fc.string(), fc.jsonValue(), (text, name, value) => {
      const before = new Map((membersOf(text) ?? []).map((one) => [one.name, one.valueText]));
      const changed = withValueAt(text, [name], JSON.stringify(value)) as string;
      const after = new Map((membersOf(changed) ?? []).map((one) => [one.name, one.valueText]));
      expect(after).toEqual(new Map([...before, [name, JSON.stringify(value)]]));
      JSON.parse(changed);
      const without = new Map(
        (membersOf(withoutValueAt(changed, [name])) ?? []).map((one) => [one.name, one.valueText]),
      );
      after.delete(name);
      expect(without).toEqual(after);
    }),
    { numRuns: 500 },
  );
});

test('settings: numbers beyond a double, escapes, doubles and __proto__ survive an edit', () => {
  const text =
    '{ "big": 12345678901234567890.10, "\\u0061": "\\u00e9\\/", "__proto__": {"x": 1e999}, "d": 1, "d": [ 2 ] }';
  const changed = withValueAt(text, ['look', 'theme'], '"dark"') as string;
  for (const part of [
    '12345678901234567890.10',
    '"\\u0061": "\\u00e9\\/"',
    '"__proto__": {"x": 1e999}',
    '"d": 1',
    '"d": [ 2 ]',
  ]) {
    expect(changed).toContain(part);
  }
  expect(valueTextAt(changed, ['look', 'theme'])).toBe('"dark"');
  expect(valueTextAt(changed, ['d'])).toBe('[ 2 ]');
  expect(membersOf(withoutValueAt(changed, ['d']))?.map(({ name }) => name)).toEqual(['big', 'a', '__proto__', 'look']);
});

test('settings: a value on the way that is no object is not replaced; an object that was emptied goes', () => {
  expect(withValueAt('{"look": 5}', ['look', 'theme'], '"dark"')).toBeUndefined();
  expect(withValueAt('[1]', ['a'], '1')).toBeUndefined();
  expect(JSON.parse(withoutValueAt('{"a": {"b": {"c": 1}}, "e": {}}', ['a', 'b', 'c']))).toEqual({ e: {} });
  expect(withoutValueAt('{"a": 1}', ['b'])).toBe('{"a": 1}');
});

test('settings: the line of a key is found, of doubles the last one, also within a name that holds a brace', () => {
  const text = '{\n  "a{": { "x": 1,\n\n    "y": [1,\n 2] },\n  "z": "}", "z":\n  2\n}';
  expect(
    [['a{'], ['a{', 'x'], ['a{', 'y'], ['z'], ['a{', 'none'], ['none', 'x'], []].map((path) => lineAt(text, path)),
  ).toEqual([...[2, 2, 4, 6, undefined, undefined, undefined]]);
});
