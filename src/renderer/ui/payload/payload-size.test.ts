import { expect, test } from 'vitest';
import { toHex, utf8 } from '../../../shared/base/bytes.ts';
import { decodeText, splitText } from '../visible-text.ts';
import { hexRowAt } from './hex-rows.ts';
import { openRows } from './json-rows.ts';
import { readPayloadJson } from './payload-json.ts';

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

test('E3 8 MB of JSON keep every digit, and the tree opens with the rows of a screen', () => {
  const item = `{"id":9007199254740993,"more":[${hostile.join(',')}],"text":"${'x'.repeat(400)}"}`;
  const count = Math.ceil(8_000_000 / item.length);
  const text = `[[${Array.from({ length: count }, () => item).join(',')}]]`;
  const bytes = utf8(text);
  expect(bytes.length).toBeGreaterThan(8_000_000);
  const read = readPayloadJson(bytes);
  if (read.kind !== 'json') throw new Error(read.why);
  expect(read.text === text).toBe(true);
  expect(openRows(read.root).length).toBeLessThan(300);
  const items = read.root.kind === 'array' && read.root.items[0]?.kind === 'array' ? read.root.items[0].items : [];
  expect(items).toHaveLength(count);
  for (const at of [0, count - 1]) {
    const one = items[at];
    const more = one?.kind === 'object' ? one.members[1]?.value : undefined;
    expect(more?.kind === 'array' && more.items.map((node) => node.kind === 'number' && node.text)).toEqual(hostile);
  }
});

test('E3 lone surrogates and NUL in JSON are kept as they were written', () => {
  const text = '{"a":"\\ud800","b":"\\u0000","a":1e400}';
  const read = readPayloadJson(utf8(text));
  expect(read).toMatchObject({ kind: 'json', text });
});

test('E3 500 KB of random bytes are said to be no text, and the hex rows give back each of them', () => {
  const bytes = randomBytes(500_000);
  expect(readPayloadJson(bytes)).toEqual({ kind: 'other', why: 'the bytes are not UTF-8' });
  expect(decodeText(bytes).isExact).toBe(false);
  let hex = '';
  for (let at = 0; at * 16 < bytes.length; at++) hex += hexRowAt(bytes, at, 16).hex.replaceAll(' ', '');
  expect(hex === toHex(bytes)).toBe(true);
  const { text } = decodeText(bytes);
  expect(splitText(text, 2_048).join('') === text).toBe(true);
});
