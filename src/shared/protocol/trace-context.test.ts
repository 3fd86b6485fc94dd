import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { childOf, formatTraceparent, parseTraceparent, readTraceContext, startTrace } from './trace-context.ts';

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
const spanId = '00f067aa0ba902b7';
const valid = `00-${traceId}-${spanId}-01`;

/** Gives `first`, then `rest` for ever. */
function draws(first: readonly number[], rest: number): (length: number) => Uint8Array {
  const left = [...first];
  return (length) => new Uint8Array(length).fill(left.shift() ?? rest);
}

describe('traceparent', () => {
  it('E4 version 00 is read: ids, flags', () => {
    expect(valid).toHaveLength(55);
    expect(parseTraceparent(valid)).toEqual({ version: 0, traceId, spanId, flags: 1 });
    expect(parseTraceparent(`00-${traceId}-${spanId}-ff`)?.flags).toBe(255);
  });

  it.each([
    ['what follows version 00', `${valid}-what`],
    ['a dash after version 00', `${valid}-`],
    ['a character after version 00', `${valid}0`],
    ['too short', valid.slice(0, -1)],
    ['empty', ''],
    ['version ff', `ff${valid.slice(2)}`],
    ['version ff with more', `ff${valid.slice(2)}-what`],
    ['a trace id of zeros', `00-${'0'.repeat(32)}-${spanId}-01`],
    ['a span id of zeros', `00-${traceId}-${'0'.repeat(16)}-01`],
    ['upper case in the trace id', `00-${traceId.toUpperCase()}-${spanId}-01`],
    ['upper case in the span id', `00-${traceId}-${spanId.toUpperCase()}-01`],
    ['upper case in the flags', `00-${traceId}-${spanId}-0A`],
    ['upper case in the version', `0A-${traceId}-${spanId}-01`],
    ['no hex', `00-${traceId.replace('4', 'g')}-${spanId}-01`],
    ['a wrong separator', `00_${traceId}-${spanId}-01`],
    ['a wrong last separator', `00-${traceId}-${spanId}.01`],
    ['a version without 56th dash', `01${valid.slice(2)}.what`],
    ['a newline behind', `${valid}\n`],
    ['a blank before', ` ${valid}`],
  ])('E4 refused: %s', (_name, text) => {
    expect(parseTraceparent(text)).toBeUndefined();
    expect(readTraceContext(text, 'a=1')).toBeUndefined();
  });

  it.each([
    `cc${valid.slice(2)}`,
    `cc${valid.slice(2)}-what-the-future`,
    `01${valid.slice(2)}-`,
    `fe${valid.slice(2)}`,
  ])('E4 a higher version is read by its first 55 characters: %s', (text) => {
    expect(parseTraceparent(text)).toMatchObject({ traceId, spanId, flags: 1 });
    const context = readTraceContext(text);
    expect(context && formatTraceparent(context)).toBe(valid);
  });

  it('E4 writing and reading are inverse', () => {
    const hex = (length: number) =>
      fc.stringMatching(new RegExp(`^[0-9a-f]{${length}}$`)).filter((id) => /[^0]/.test(id));
    fc.assert(
      fc.property(hex(32), hex(16), fc.nat(255), (trace, span, flags) => {
        const text = formatTraceparent({ traceId: trace, spanId: span, flags, tracestate: undefined });
        expect(parseTraceparent(text)).toEqual({ version: 0, traceId: trace, spanId: span, flags });
      }),
    );
  });
});

describe('spans', () => {
  it('E4 a child keeps trace id, flags and tracestate, and has a new span id', () => {
    const context = { traceId, spanId, flags: 0xa5, tracestate: 'a=1,b=2' };
    expect(childOf(context, draws([], 7))).toEqual({ ...context, spanId: '0707070707070707' });
  });

  it('E4 a new trace is sampled, and its ids are drawn', () => {
    const context = startTrace(draws([1], 2));
    expect(formatTraceparent(context)).toBe('00-01010101010101010101010101010101-0202020202020202-03');
    expect(context.tracestate).toBeUndefined();
  });

  it('E4 an id is never zero: zeros are drawn again, but not for ever', () => {
    expect(childOf(startTrace(draws([], 1)), draws([0, 0, 0], 9)).spanId).toBe('0909090909090909');
    expect(startTrace(draws([0, 5, 0, 6], 7))).toMatchObject({ traceId: '05'.repeat(16), spanId: '06'.repeat(8) });
    expect(() => startTrace(draws([], 0))).toThrow(/randomness/);
    expect(() => startTrace(() => new Uint8Array([1]))).toThrow(/randomness/);
  });
});

describe('tracestate', () => {
  const read = (tracestate: string) => readTraceContext(valid, tracestate)?.tracestate;

  it('E4 dropped without a valid traceparent', () => {
    expect(readTraceContext(undefined, 'a=1')).toBeUndefined();
    expect(readTraceContext(valid)?.tracestate).toBeUndefined();
    expect(read('a=1')).toBe('a=1');
  });

  it.each([
    'rojo=00f067aa0ba902b7,congo=t61rcWkgMzE',
    'fw529a3039@dt=FfffffffF',
    '0tenant@vendor=1',
    'a@b@c=1',
    'a*/_-9=x',
    'a= leading and inner blanks',
    'a=1 , b=2,\tc=3',
    'a=1,,b=2,',
    `${'k'.repeat(256)}=1`,
    `k=${'v'.repeat(256)}`,
    Array.from({ length: 32 }, (_, index) => `k${index}=1`).join(','),
    'a=!"#$%&\'()*+-./:;<>?@[\\]^_`{|}~',
  ])('E4 handed on as it came: %s', (text) => {
    expect(read(text)).toBe(text);
  });

  it.each([
    ['empty', ''],
    ['only blanks and commas', ' ,\t, '],
    ['a key twice', 'a=1,b=2,a=3'],
    ['33 members', Array.from({ length: 33 }, (_, index) => `k${index}=1`).join(',')],
    ['no value', 'a='],
    ['no key', '=1'],
    ['no "="', 'abc'],
    ['"=" in the value', 'a=1=2'],
    ['an upper-case key', 'A=1'],
    ['a key that begins with a sign', '@a=1'],
    ['a blank in the key', 'a b=1'],
    ['a blank behind the key', 'a =1'],
    ['a key of 257', `${'k'.repeat(257)}=1`],
    ['a value of 257', `k=${'v'.repeat(257)}`],
    ['no ASCII', 'a=ü'],
    ['a control character', 'a=b\u0001c'],
    ['one bad member among good ones', 'a=1,B=2,c=3'],
  ])('E4 dropped, and the context kept: %s', (_name, text) => {
    expect(readTraceContext(valid, text)).toEqual({ traceId, spanId, flags: 1, tracestate: undefined });
  });

  it('E4 above 512 characters large members give way first, then the last', () => {
    const small = (name: string) => `${name}=${'s'.repeat(98)}`;
    const large = `l=${'L'.repeat(200)}`;
    const list = [small('a'), large, small('b'), small('c'), small('d')].join(',');
    expect(read(list)).toBe([small('a'), small('b'), small('c'), small('d')].join(','));
    const sixes = ['a', 'b', 'c', 'd', 'e', 'f'].map(small);
    expect(read(sixes.join(','))).toBe(sixes.slice(0, 5).join(','));
    expect(read(sixes.join(','))?.length).toBe(504);
    const exact = `${sixes.slice(0, 5).join(',')},g=${'s'.repeat(5)}`;
    expect(exact).toHaveLength(512);
    expect(read(exact)).toBe(exact);
  });

  it('E4 what is handed on is valid, bounded, and handed on again unchanged', () => {
    const member = fc.tuple(
      fc.stringMatching(/^[a-z0-9][a-z0-9@*_/-]{0,9}$/),
      fc.stringMatching(/^[ -+\--<>-~]{0,80}x$/),
    );
    fc.assert(
      fc.property(fc.array(member, { maxLength: 34 }), (members) => {
        const once = read(members.map(([key, value]) => `${key}=${value}`).join(','));
        if (once === undefined) return;
        expect(once.length).toBeLessThanOrEqual(512);
        expect(once.split(',').length).toBeLessThanOrEqual(32);
        expect(read(once)).toBe(once);
      }),
    );
  });

  it('E4 a long run of blanks takes no time squared', () => {
    const startedAt = performance.now();
    for (let i = 0; i < 200; i++) read(`a=1${' \t'.repeat(8000)}x`);
    expect(read('a'.repeat(2_000_000))).toBeUndefined();
    expect(performance.now() - startedAt).toBeLessThan(2000);
  });
});
