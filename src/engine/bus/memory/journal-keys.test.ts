import fc from 'fast-check';
import { expect, it } from 'vitest';
import { toHex } from '../../../shared/base/bytes.ts';
import { isVakError } from '../../../shared/base/vak-error.ts';
import { decodeU64, encodeU64, journalKey, numberRange, prefixRange, readJournalKey } from './journal-keys.ts';

const compare = (a: Uint8Array, b: Uint8Array): number => Buffer.compare(a, b);

it('B6 a key is its texts, each ended by 00, and its numbers in eight bytes', () => {
  expect(toHex(journalKey('m', 'é', 258))).toBe('6d00' + 'c3a900' + '0000000000000102');
  expect(toHex(encodeU64(2 ** 53 - 1))).toBe('001fffffffffffff');
  expect(toHex(prefixRange('m', 'A').to)).toBe('6d004101');
});

it('B6 keys of one shape are ordered as their parts are, and are read back', () => {
  const text = fc.string({ unit: 'binary', maxLength: 8 }).filter((value) => !value.includes('\0'));
  const number = fc.maxSafeNat();
  const parts = fc.tuple(text, text, number);
  fc.assert(
    fc.property(parts, parts, (a, b) => {
      const [keyA, keyB] = [journalKey(...a), journalKey(...b)];
      expect(readJournalKey(keyA, ['text', 'text', 'number'])).toEqual(a);
      const order =
        compare(Buffer.from(a[0]), Buffer.from(b[0])) ||
        compare(Buffer.from(a[1]), Buffer.from(b[1])) ||
        Math.sign(a[2] - b[2]);
      expect(compare(keyA, keyB)).toBe(order);
    }),
    { numRuns: 2000 },
  );
});

it('B6 a prefix’s range holds the keys that begin with its parts, and no other', () => {
  const text = fc.constantFrom('a', 'ab', 'b', '\u{10ffff}', '');
  fc.assert(
    fc.property(text, fc.maxSafeNat(), text, fc.maxSafeNat(), (stream, seq, other, last) => {
      const key = journalKey('m', other, last, 'x');
      const isIn = ({ from, to }: { from: Uint8Array; to: Uint8Array }): boolean =>
        compare(key, from) >= 0 && compare(key, to) < 0;
      expect(isIn(prefixRange('m', stream))).toBe(stream === other);
      expect(isIn(prefixRange('m', stream, seq))).toBe(stream === other && seq === last);
      expect(isIn(numberRange(prefixRange('m', stream), seq))).toBe(stream === other && last >= seq);
      expect(isIn(numberRange(prefixRange('m', stream), 5, seq))).toBe(stream === other && last >= 5 && last < seq);
    }),
    { numRuns: 2000 },
  );
});

it('B6 a key of another shape is told as damage; a text or number that is none is a bug', () => {
  const key = journalKey('m', 'A', 7);
  const isCorrupt = (read: () => unknown): void => {
    let thrown: unknown;
    try {
      read();
    } catch (error) {
      thrown = error;
    }
    expect(isVakError(thrown, 'corrupt')).toBe(true);
  };
  isCorrupt(() => readJournalKey(key, ['text', 'number']));
  isCorrupt(() => readJournalKey(key.subarray(0, 9), ['text', 'text', 'number']));
  isCorrupt(() => readJournalKey(key, ['text', 'text', 'number', 'text']));
  isCorrupt(() => decodeU64(Uint8Array.of(0, 0x20, 0, 0, 0, 0, 0, 0)));
  for (const bug of [-1, 0.5, Number.NaN, 2 ** 53]) expect(() => journalKey('m', bug)).toThrow('number');
  expect(() => journalKey('a\0b')).toThrow('U+0000');
  expect(() => journalKey('\ud800')).toThrow('well-formed');
});
