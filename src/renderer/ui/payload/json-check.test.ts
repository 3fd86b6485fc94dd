import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { utf8 } from '../../../shared/base/bytes.ts';
import { scanJson } from '../../../shared/base/json-scan.ts';
import { utf8Fault } from './json-bytes.ts';
import { checkJson } from './json-check.ts';

const faultOf = (text: string) => {
  const verdict = checkJson(utf8(text));
  if (verdict.kind === 'json') throw new Error('it is JSON');
  return verdict.fault;
};

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

describe('bytes checked as JSON', () => {
  it.each([
    ['words', 'done', 'a value is missing', 1, 1, 'payload'],
    ['a cut text', '{"a":[1,', 'the text ends too early', 1, 9, 'payload.a.1'],
    ['a byte order mark', '\ufeff{}', 'a value is missing', 1, 1, 'payload'],
    ['more than one value', '{} {}', 'something follows the value', 1, 4, 'payload'],
    ['a comma too many', '{\n  "é": 1,\n}', 'a name in quotes is missing', 3, 1, 'payload'],
    ['a tab in a string', '["é\t"]', 'a control character in a string', 1, 4, 'payload.0'],
    ['an escape', '{"a":"\\x"}', 'an escape that JSON has not', 1, 7, 'payload.a'],
    ['a leading zero', '[1,\r\n 01]', 'a number with a leading zero', 2, 2, 'payload.1'],
    ['no fraction', '[1.]', 'a digit is missing', 1, 4, 'payload.0'],
    ['half a word', '[nul]', 'a value is missing', 1, 2, 'payload.0'],
  ])('E3 %s: why, where, and in what', (_name, text, why, line, column, path) => {
    expect(faultOf(text)).toMatchObject({ why, line, column, path });
  });

  it('E3 agrees with JSON.parse on what is JSON, for any text and for JSON with one character changed', () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.string(), fc.json()),
        fc.nat(),
        fc.constantFrom('"', ',', '}', '\\', '0', 'e', ' ', '{'),
        (text, at, sign) => {
          const place = at % (text.length + 1);
          for (const one of [text, text.slice(0, place) + sign + text.slice(place + 1)]) {
            const isText = !/\p{Cs}/u.test(one);
            if (isText) expect(checkJson(utf8(one)).kind === 'json', one).toBe(isJson(one));
          }
        },
      ),
    );
  });

  it('E3 agrees with the reader of envelopes on what stands twice', () => {
    for (const text of ['{"a":1,"b":{"a":2}}', '{"a":1,"a":2}', '[{"a":1},{"a":1}]', '{"":1,"":2}']) {
      const verdict = checkJson(utf8(text));
      const isRefused = ((): boolean => {
        try {
          scanJson(text, { field: '' });
          return false;
        } catch {
          return true;
        }
      })();
      expect(verdict.kind === 'json' && verdict.oddities.repeatedNames > 0, text).toBe(isRefused);
    }
  });

  it('E3 counts numbers that 64-bit floats do not give back, whatever the notation', () => {
    const inexact = (text: string): number => {
      const verdict = checkJson(utf8(text));
      return verdict.kind === 'json' ? verdict.oddities.inexactNumbers : -1;
    };
    expect(inexact('[0, -0, 1.5, 0.10, 1E+02, 9007199254740992, 1e21, 123e-2, 5e-324]')).toBe(0);
    for (const text of ['9007199254740993', '-7210194211959421178', '1e400', '0.1000000000000000055', '1e-400']) {
      expect(inexact(text), text).toBe(1);
    }
  });

  it('depth is bounded and ends no stack', () => {
    expect(faultOf('['.repeat(200_000)).why).toBe('nested deeper than 4096');
  });

  it('names the first byte that is no UTF-8, wherever it lies', () => {
    const long = 'é'.repeat(70_000);
    for (const [before, bad, after] of [
      ['', [0xff], ''],
      ['a', [0xc3], 'b'],
      [long, [0xed, 0xa0, 0x80], 'é'],
      [`${long}x`, [0xf0, 0x9f], ''],
      [long.slice(0, 32_767), [0x80], long],
    ] as const) {
      const bytes = Uint8Array.from([...utf8(before), ...bad, ...utf8(after)]);
      expect(utf8Fault(bytes)).toBe(utf8(before).length);
    }
    expect(utf8Fault(utf8(`${long}x${long}😀`))).toBeUndefined();
  });
});
