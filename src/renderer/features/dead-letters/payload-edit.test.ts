import { expect, it } from 'vitest';
import { lineDiff } from '../../ui/line-diff.ts';
import { bytesOf, comparedLines, modesOf, textOf } from './payload-edit.ts';

const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text);

it('D9 JSON is laid out without a digit or escape lost', () => {
  const bytes = utf8('{"id":12345678901234567890,"a":[1.50,{}],"b":"\\u00e9"}');
  expect(modesOf(bytes)).toEqual(['json', 'text', 'hex']);
  expect(textOf(bytes, 'json')).toBe(
    '{\n  "id": 12345678901234567890,\n  "a": [\n    1.50,\n    {}\n  ],\n  "b": "\\u00e9"\n}',
  );
});

it('D9 bytes that a text field would change are edited as bytes alone', () => {
  for (const bytes of [Uint8Array.of(0xff, 0x00), utf8('a\r\nb'), utf8('a\0b')]) {
    expect(modesOf(bytes)).toEqual(['hex']);
    expect(bytesOf(textOf(bytes, 'hex'), 'hex')).toEqual({ bytes });
  }
  expect(modesOf(utf8('plain'))).toEqual(['text', 'hex']);
});

it('D9 what is wrong is said, and where', () => {
  expect(bytesOf('{"a":', 'json')).toMatchObject({ fault: expect.stringContaining('payload') });
  expect(bytesOf('0g', 'hex')).toMatchObject({ fault: expect.stringContaining('“g”') });
  expect(bytesOf('0', 'hex')).toMatchObject({ fault: expect.stringContaining('one digit') });
});

it('D9 a difference is told by its lines with what stands around', () => {
  const lines = lineDiff(['a', 'b', 'c', 'd', 'e', 'f'], ['a', 'b', 'c', 'd', 'x', 'f']);
  expect(lines.map(({ kind, text }) => `${kind[0]}${text}`)).toEqual(['sb', 'sc', 'sd', 're', 'ax', 'sf']);
  expect(lineDiff(['a'], ['a'])).toEqual([]);
  expect(lineDiff(comparedLines(utf8('{"a":1}')), comparedLines(utf8('{ "a": 1 }')))).toEqual([]);
});
