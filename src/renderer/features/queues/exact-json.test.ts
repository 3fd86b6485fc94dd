import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readExactJson } from './exact-json.ts';

describe('E3 JSON that was typed', () => {
  it('E3 is the value that it says', () => {
    fc.assert(
      fc.property(fc.jsonValue({ noUnicodeString: false }), (value) => {
        expect(JSON.stringify(readExactJson(JSON.stringify(value), 'input'))).toBe(JSON.stringify(value));
      }),
    );
  });

  it.each(['1', '-1', '0', '1.50', '1e3', '120E-2', '0.1', '9007199254740992', '1e308', '0.000'])(
    'E3 %s is sent as it is',
    (text) => {
      expect(readExactJson(`{"n":${text}}`, 'input')).toEqual({ n: Number(text) });
    },
  );

  it.each(['9007199254740993', '0.1000000000000000055', '1e400', '-12345678901234567890'])(
    'E3 %s would lose digits and is refused with its place',
    (text) => {
      expect(() => readExactJson(`{"job":[${text}]}`, 'input')).toThrow(/^input\.job\.0: the number has more digits/);
    },
  );

  it('E3 what is no JSON says where', () => {
    expect(() => readExactJson('{"a":1,}', 'input')).toThrow(/input/);
    expect(() => readExactJson('', 'input')).toThrow(/input/);
    expect(() => readExactJson('{"a":1,"a":2}', 'input')).toThrow(/input/);
  });

  it('E3 a member of any name is a member', () => {
    expect(JSON.stringify(readExactJson('{"__proto__":{"a":1}}', 'input'))).toBe('{"__proto__":{"a":1}}');
  });
});
