import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fromBase64, fromHex, toBase64, toHex, toText, toTextStrict, utf8 } from './bytes.ts';
import { isVakError } from './vak-error.ts';

describe('bytes', () => {
  it('base64 and hex agree with the runtime, and decoding is the inverse', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        const text = toBase64(bytes);
        expect(text).toBe(Buffer.from(bytes).toString('base64'));
        expect(fromBase64(text, 'field')).toEqual(bytes);
        expect(toHex(bytes)).toBe(Buffer.from(bytes).toString('hex'));
        expect(fromHex(toHex(bytes), 'field')).toEqual(bytes);
      }),
    );
  });

  it.each(['A', 'AA', 'AAA', 'AA=A', '====', 'AB==', 'AAB=', 'AA-_', 'AAAA\n', 'AAé=', ' AAA', 'A==='])(
    'refuses the base64 %j, which is not canonical, and names the field',
    (text) => {
      try {
        fromBase64(text, 'nonce');
        expect.unreachable();
      } catch (error) {
        expect(isVakError(error, 'invalid-payload')).toBe(true);
        expect((error as Error).message).toMatch(/^nonce:/);
        expect(isVakError(error) && error.details?.['field']).toBe('nonce');
      }
    },
  );

  it('decodes base64 only in its one canonical form', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[A-Za-z0-9+/]{2,6}={0,2}$/), (text) => {
        let bytes: Uint8Array;
        try {
          bytes = fromBase64(text, 'field');
        } catch {
          return;
        }
        expect(toBase64(bytes)).toBe(text);
      }),
    );
  });

  it('base64 of a MiB agrees with the runtime, for each length of its end', () => {
    for (const size of [1_048_576, 1_048_577, 1_048_578]) {
      const bytes = Uint8Array.from({ length: size }, (_, index) => (index * 7919) >> 3);
      const text = toBase64(bytes);
      expect(text === Buffer.from(bytes).toString('base64')).toBe(true);
      expect(Buffer.from(bytes).equals(fromBase64(text, 'field'))).toBe(true);
    }
  });

  it.each(['A', '0', '0g', 'AB', '0x00', '00 ', ' 00', 'é0', '00\n'])(
    'refuses the hex %j and names the field',
    (text) => {
      try {
        fromHex(text, 'leaf');
        expect.unreachable();
      } catch (error) {
        expect(isVakError(error, 'invalid-payload') && error.details?.['field']).toBe('leaf');
      }
    },
  );

  it('keeps a byte order mark and tells bytes that are no UTF-8', () => {
    expect(toText(utf8('\uFEFFa'))).toBe('\uFEFFa');
    expect(() => toTextStrict(new Uint8Array([0xff]), 'payload')).toThrowError(/^payload: not valid UTF-8 \(1 bytes\)/);
    expect(toText(new Uint8Array([0xff]))).toBe('\uFFFD');
  });
});
