import { expect, test } from 'vitest';
import { toHex, utf8 } from '../../../shared/base/bytes.ts';
import { visibleText } from '../../../shared/base/visible-text.ts';
import { decodeText, splitText, visibleRuns } from '../visible-text.ts';
import { hexRowAt } from './hex-rows.ts';
import type { JsonRow } from './json-rows.ts';
import { createPayloadDesk } from './payload-desk.ts';

const hostile = ['9007199254740993', '-7210194211959421178', '1e400', '1E+02', '-0'];

/** Bytes that look random and are the same in each run (xorshift32). */
function randomBytes(length: number): Uint8Array {
  let state = 0x2545f491;
  return Uint8Array.from({ length }, () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return state & 0xff;
  });
}

const textOf = (row: JsonRow | undefined): string => (row?.kind === 'value' ? row.value.text : 'no value');

test('E3 8 MB of JSON keep every digit, and the tree opens with the rows of a screen', () => {
  const item = `{"id":9007199254740993,"more":[${hostile.join(',')}],"text":"${'x'.repeat(400)}"}`;
  const count = Math.ceil(8_000_000 / item.length);
  const bytes = utf8(`[[${Array.from({ length: count }, () => item).join(',')}]]`);
  expect(bytes.length).toBeGreaterThan(8_000_000);
  const desk = createPayloadDesk(bytes);
  const reading = desk.read();
  expect(reading).toMatchObject({ kind: 'json', oddities: { repeatedNames: 0, inexactNumbers: count * 4 } });
  let size = reading.kind === 'json' ? reading.count : 0;
  expect(size).toBeLessThan(300);
  const click = (active: number): void => {
    size = desk.move({ key: 'toggle', active, pageRows: 10 })?.count ?? 0;
  };
  // The last group, its last item, and in that the numbers.
  click(size - 1);
  const inner = size - 1;
  click(inner);
  expect(textOf(desk.rows(inner + 1, inner + 2)[0])).toBe('9007199254740993');
  click(inner + 2);
  expect(desk.rows(inner + 3, inner + 3 + hostile.length).map(textOf)).toEqual(hostile);
});

test('E3 lone surrogates and NUL in JSON are kept and told, a name that stands twice and numbers that floats would change are counted', () => {
  const desk = createPayloadDesk(utf8('{"a":"\\ud800","b":"\\u0000","a":1e400,"c":-0,"d":0.10,"e":1E+02,"f":0.1}'));
  expect(desk.read()).toEqual({
    kind: 'json',
    count: 8,
    oddities: { repeatedNames: 1, firstRepeated: 'payload.a', inexactNumbers: 1 },
  });
  const shown = desk.rows(1, 8).map((row) => visibleText(textOf(row)));
  expect(shown).toEqual(['‹U+D800›', '␀', '1e400', '-0', '0.10', '1E+02', '0.1']);
});

test('E3 ANSI, OSC 8 and 52 and bidi controls in a text are signs, never obeyed', () => {
  const text =
    '\u001b[31mred\u001b]8;;https://x.invalid\u0007link\u001b]52;c;aGk=\u0007 \u202egnp.exe\u2066\ufeff\u009b31m';
  const shown = visibleRuns(text)
    .map((run) => run.text)
    .join('');
  expect(shown).toBe('␛[31mred␛]8;;https://x.invalid␇link␛]52;c;aGk=␇ ‹U+202E›gnp.exe‹U+2066›‹U+FEFF›‹U+009B›31m');
  expect(visibleText(text)).toBe(shown);
});

test('E3 500 KB of random bytes are said to be no text, and the hex rows give back each of them', () => {
  const bytes = randomBytes(500_000);
  const first = createPayloadDesk(bytes).read();
  if (first.kind !== 'other' || first.why.reason !== 'utf-8') throw new Error('they are said to be JSON');
  expect(decodeText(bytes.subarray(0, first.why.byte)).isExact).toBe(true);
  expect(decodeText(bytes.subarray(0, first.why.byte + 4)).isExact).toBe(false);
  let hex = '';
  for (let index = 0; index * 16 < bytes.length; index++) {
    hex += hexRowAt(bytes, { index, rowBytes: 16 }).hex.replaceAll(' ', '');
  }
  expect(hex === toHex(bytes)).toBe(true);
  const { text } = decodeText(bytes);
  expect(splitText(text, 2_048).join('') === text).toBe(true);
});
