import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { refusal } from '../../../tests/support/expected-failure.ts';
import { type JsonNode, type JsonScanOptions, scanJson } from './json-scan.ts';
import { isVakError, type VakError } from './vak-error.ts';

function scan(text: string, options: Partial<JsonScanOptions> = {}): JsonNode {
  return scanJson(text, { field: 'data', ...options });
}

const failure = (text: string, options: Partial<JsonScanOptions> = {}): VakError =>
  refusal(() => scan(text, options), 'invalid-payload');

/** What `JSON.parse` makes of the same text; the last of two names wins there, and `__proto__` is a name like others. */
function toValue(node: JsonNode): unknown {
  if (node.kind === 'object') {
    return Object.fromEntries(node.members.map(({ name, value }) => [name, toValue(value)]));
  }
  if (node.kind === 'array') return node.items.map(toValue);
  if (node.kind === 'number') return Number(node.text);
  return node.kind === 'null' ? null : node.value;
}

/** The text again, made of the slices of its scalars only. */
function printed(node: JsonNode, text: string): string {
  if (node.kind === 'array') return `[${node.items.map((item) => printed(item, text)).join(',')}]`;
  if (node.kind !== 'object') return text.slice(node.start, node.end);
  return `{${node.members.map(({ name, value }) => `${JSON.stringify(name)}:${printed(value, text)}`).join(',')}}`;
}

describe('json-scan', () => {
  it('E3 numbers keep their digits: 64 bits, 1e400, -0, 1.10', () => {
    const digits = [
      '9223372036854775807',
      '-9223372036854775808',
      '18446744073709551615',
      '1e400',
      '-0',
      '1.10',
      '1E+05',
    ];
    const node = scan(`[${digits.join(', ')}]`);
    expect(node.kind === 'array' && node.items.map((item) => item.kind === 'number' && item.text)).toEqual(digits);
  });

  it('E3 every value knows its place in the text', () => {
    const text = ' { "a" : [ 1.10 , "x\\u0041" ] , "b" : null } ';
    const node = scan(text);
    if (node.kind !== 'object') throw new Error('no object');
    const places = node.members.map(({ name, value }) => [name, text.slice(value.start, value.end)]);
    expect(places).toEqual([
      ['a', '[ 1.10 , "x\\u0041" ]'],
      ['b', 'null'],
    ]);
    expect(text.slice(node.start, node.end)).toBe(text.trim());
    expect(node.members[0]?.value).toMatchObject({
      kind: 'array',
      items: [
        { kind: 'number', text: '1.10' },
        { kind: 'string', value: 'xA' },
      ],
    });
  });

  it('E3 what JSON.stringify writes is read, and comes back character for character', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 5 }), (value) => {
        const text = JSON.stringify(value);
        const node = scan(text);
        expect(toValue(node)).toEqual(JSON.parse(text));
        expect(printed(node, text)).toBe(text);
      }),
    );
  });

  it('E2 it accepts exactly what JSON.parse accepts', () => {
    const pieces = [
      '{',
      '}',
      '[',
      ']',
      ',',
      ':',
      '"a"',
      '"',
      '\\',
      '0',
      '1',
      '-',
      '.',
      'e',
      'true',
      'null',
      ' ',
      '\t',
      '\u0001',
      '\\u12',
      '\\n',
      '\uFEFF',
      '\u00A0',
    ];
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...pieces), { maxLength: 9 }), (parts) => {
        const text = parts.join('');
        let expected: unknown;
        try {
          expected = [JSON.parse(text)];
        } catch {
          expected = undefined;
        }
        let found: unknown;
        try {
          found = [toValue(scan(text, { duplicates: 'keep' }))];
        } catch (error) {
          if (!isVakError(error, 'invalid-payload')) throw error;
        }
        expect(found).toEqual(expected);
      }),
      { numRuns: 5000 },
    );
  });

  it.each([
    ['', 'data', 'ends too early'],
    ['{"items":[1,2,3,x]}', 'data.items.3', 'a value is missing'],
    ['{"items":[{"a":01}]}', 'data.items.0.a', 'leading zero'],
    ['{"a":1,"a":2}', 'data.a', 'stands twice'],
    ['{"a":1,"b":2,"\\u0061":3}', 'data.a', 'stands twice'],
    ['{"a":{"b":1,"c":2,"b":3}}', 'data.a.b', 'stands twice'],
    ['[1,]', 'data.1', 'a value is missing'],
    ['[1 2]', 'data.1', '"," or "]"'],
    ['{"a":1,}', 'data', 'a name in quotes'],
    ['{"a" 1}', 'data.a', 'a ":"'],
    ['{"a":"x', 'data.a', 'does not end'],
    ['"a\nb"', 'data', 'a control character'],
    ['"\u001f"', 'data', 'a control character'],
    ['"\\x"', 'data', 'an escape'],
    ['"\\u12g4"', 'data', 'an escape'],
    ['"\\', 'data', 'an escape'],
    ['1.', 'data', 'a digit is missing'],
    ['-', 'data', 'a digit is missing'],
    ['1e', 'data', 'a digit is missing'],
    ['1 1', 'data', 'something follows'],
    ['\uFEFF{}', 'data', 'a value is missing'],
    ['NaN', 'data', 'a value is missing'],
    ['{"a b\u202e":x}', 'data."a b‹U+202E›"', 'a value is missing'],
  ])('E2 %j is refused at %s: %s', (text, field, why) => {
    const error = failure(text);
    expect(error.details?.['field']).toBe(field);
    expect(error.message).toContain(`${field}: `);
    expect(error.message).toContain(why);
  });

  it('E2 an error tells place and path, bounded, and nothing of a value', () => {
    expect(failure('{"token":"CANARY-1", "x":CANARY}').message).toBe(
      'data.x: a value is missing at character 26 of 32',
    );
    expect(failure('{"x": 5').message).toBe('data.x: a "," or "}" is missing at its end, after 7 characters');
    const deep = `{"${'n'.repeat(5000)}":`.repeat(100);
    expect(failure(deep).message.length).toBeLessThan(300);
    expect(failure('x', { field: '' }).details?.['field']).toBe('JSON');
  });

  it('E2 a name twice can be kept: both, in order', () => {
    const node = scan('{"a":1,"b":2,"a":3}', { duplicates: 'keep' });
    expect(node.kind === 'object' && node.members.map(({ name }) => name)).toEqual(['a', 'b', 'a']);
    const inArray = scan('[{"a":1,"b":1},{"a":1,"b":1}]');
    expect(inArray.kind === 'array' && inArray.items).toHaveLength(2);
  });

  it.each(['"\\ud800"', '"\\udc00x"', '"\\udc00\\ud800"', '"\ud800"', '{"\\ud800":1}'])(
    'E2 the lone surrogate in %j is refused where no UTF-8 may hold it, and else kept',
    (text) => {
      expect(scan(text).kind).toBe(text.startsWith('{') ? 'object' : 'string');
      expect(failure(text, { loneSurrogates: 'refuse' }).message).toContain('a lone surrogate');
    },
  );

  it('E2 a pair of surrogates is a character', () => {
    expect(scan('"\\ud83d\\ude00 \u{1F600}"', { loneSurrogates: 'refuse' })).toMatchObject({
      value: '\u{1F600} \u{1F600}',
    });
  });

  it('E2 depth is bounded, and a million brackets end no stack', () => {
    expect(scan('[[1]]', { maxDepth: 2 }).kind).toBe('array');
    expect(failure('[[[1]]]', { maxDepth: 2 }).details?.['field']).toBe('data.0.0');
    expect(scan(`${'['.repeat(128)}${']'.repeat(128)}`).kind).toBe('array');
    expect(failure('['.repeat(129)).message).toContain('nested deeper than 128');
    const depth = 200_000;
    expect(scan(`${'[{"a":'.repeat(depth)}1${'}]'.repeat(depth)}`, { maxDepth: 2 * depth }).kind).toBe('array');
    expect(failure('{"a":'.repeat(depth), { maxDepth: 2 * depth }).message).toContain('ends too early');
  });

  it('E2 a MiB of many names, blanks or backslashes takes no time squared', () => {
    const names = Array.from({ length: 80_000 }, (_, index) => `"n${index}":0`).join(',');
    const startedAt = performance.now();
    scan(`{${names}}`);
    failure(`{${names},"n79999":0}`);
    failure(' '.repeat(1_048_576));
    failure(`"${'\\\\'.repeat(500_000)}`);
    failure(`"${'\\"'.repeat(500_000)}`);
    expect(performance.now() - startedAt).toBeLessThan(4000);
  });
});
