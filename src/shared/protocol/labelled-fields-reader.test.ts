import fc from 'fast-check';
import { expect, test } from 'vitest';
import { labelledFields } from './labelled-fields.ts';
import { readLabelledFields } from './labelled-fields-reader.ts';

const fields = fc.array(fc.option(fc.uint8Array({ maxLength: 20 }), { nil: undefined }), { maxLength: 6 });

test('R5 fields that were written are read again, each as its bytes', () => {
  fc.assert(
    fc.property(fields, (list) => {
      expect(readLabelledFields(labelledFields('vak-test-v1', list), 'vak-test-v1', list.length)).toEqual(list);
    }),
  );
});

test('R5 another label, another number of fields, a byte more or fewer is read as nothing', () => {
  const bytes = labelledFields('vak-test-v1', ['a', undefined, 7]);
  expect(readLabelledFields(bytes, 'vak-test-v2', 3)).toBeUndefined();
  expect(readLabelledFields(bytes, 'vak-test-v', 3)).toBeUndefined();
  for (const count of [0, 2, 4]) expect(readLabelledFields(bytes, 'vak-test-v1', count)).toBeUndefined();
  expect(readLabelledFields(Uint8Array.from([...bytes, 0]), 'vak-test-v1', 3)).toBeUndefined();
  for (let end = 0; end < bytes.length; end++)
    expect(readLabelledFields(bytes.subarray(0, end), 'vak-test-v1', 3)).toBeUndefined();
});

test('R5 any bytes are read as what would be written so, or as nothing', () => {
  const tail = fc.uint8Array({ maxLength: 40 });
  fc.assert(
    fc.property(tail, fc.nat(4), (bytes, count) => {
      const whole = Uint8Array.from([...labelledFields('vak-test-v1', []), ...bytes]);
      const found = readLabelledFields(whole, 'vak-test-v1', count);
      if (found !== undefined) expect(labelledFields('vak-test-v1', found)).toEqual(whole);
    }),
  );
});
