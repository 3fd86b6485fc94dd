import fc from 'fast-check';
import { expect, test } from 'vitest';
import { fromBase64Url, toBase64Url } from './base64url.ts';
import { isVakError } from './vak-error.ts';

test('E2 base64url agrees with Node and comes back', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 70 }), (bytes) => {
      const text = toBase64Url(bytes);
      expect(text).toBe(Buffer.from(bytes).toString('base64url'));
      expect(fromBase64Url(text, 'x')).toEqual(bytes);
    }),
  );
});

test.each(['A', 'AB=', 'AA==', 'AB', 'A+', 'A/', 'AA\n', 'AAAA====', 'ÄA', '='])('E2 %j is refused', (text) => {
  let error: unknown;
  try {
    fromBase64Url(text, 'signature');
  } catch (caught) {
    error = caught;
  }
  expect(isVakError(error, 'invalid-payload') && error.message).toMatch(/^signature: /);
});
