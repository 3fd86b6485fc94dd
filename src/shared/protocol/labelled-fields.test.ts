import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { toHex, toTextStrict } from '../base/bytes.ts';
import { isVakError } from '../base/vak-error.ts';
import { type LabelledField, labelledFields } from './labelled-fields.ts';

/** The kinds of a label's fields: a list is of one kind, as every list of the protocol is. */
type Shape = 'text' | 'bytes' | 'integer' | 'boolean' | { readonly listOf: Shape };

const shapes: fc.Arbitrary<Shape> = fc.letrec<{ shape: Shape }>((tie) => ({
  shape: fc.oneof(
    { maxDepth: 2 },
    fc.constantFrom<Shape>('text', 'bytes', 'integer', 'boolean'),
    fc.record({ listOf: tie('shape') }),
  ),
})).shape;

function valuesOf(shape: Shape): fc.Arbitrary<LabelledField> {
  const present: fc.Arbitrary<LabelledField> =
    shape === 'text'
      ? fc.string({ unit: 'grapheme', maxLength: 6 })
      : shape === 'bytes'
        ? fc.uint8Array({ maxLength: 6 })
        : shape === 'integer'
          ? fc.oneof(fc.nat(3).map(BigInt), fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }))
          : shape === 'boolean'
            ? fc.boolean()
            : fc.array(valuesOf(shape.listOf), { maxLength: 3 });
  return fc.oneof({ weight: 1, arbitrary: fc.constant(undefined) }, { weight: 6, arbitrary: present });
}

/** Reads the fields back, knowing their kinds: where a left inverse exists, the encoding is injective. */
function parse(bytes: Uint8Array, shapeAt: (index: number) => Shape | undefined): LabelledField[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const fields: LabelledField[] = [];
  for (let at = 0; at < bytes.length; ) {
    const length = view.getUint32(at);
    at += 4;
    const shape = shapeAt(fields.length);
    if (shape === undefined) throw new Error('more fields than the label has');
    if (length === 0xffffffff) {
      fields.push(undefined);
      continue;
    }
    const content = bytes.subarray(at, at + length);
    at += length;
    if (shape === 'text') fields.push(toTextStrict(content, 'text'));
    else if (shape === 'bytes') fields.push(Uint8Array.from(content));
    else if (typeof shape === 'object') fields.push(parse(content, () => shape.listOf));
    else {
      const whole = new DataView(content.buffer, content.byteOffset, 8).getBigUint64(0);
      fields.push(shape === 'integer' ? whole : whole === 1n);
    }
  }
  return fields;
}

function caught(run: () => unknown): unknown {
  try {
    run();
  } catch (error) {
    return error;
  }
  return undefined;
}

describe('E13 L(label, fields)', () => {
  test('E13 hand-computed vectors', () => {
    const vectors: [string, readonly LabelledField[], string][] = [
      ['a', [], '6100'],
      ['a', [undefined], '6100ffffffff'],
      ['a', [''], '610000000000'],
      ['a', [[]], '610000000000'],
      ['a-1', ['hé'], '612d3100' + '00000003' + '68c3a9'],
      [
        'a',
        [1, false, true],
        `6100${'00000008'}0000000000000001${'00000008'}0000000000000000${'00000008'}0000000000000001`,
      ],
      ['a', [2n ** 64n - 1n], '610000000008ffffffffffffffff'],
      ['a', [Uint8Array.of(0, 255)], '61000000000200ff'],
      ['a', [['x', undefined], 'y'], '6100' + '00000009' + '0000000178' + 'ffffffff' + '0000000179'],
      ['a', [[['z']]], '6100' + '00000009' + '00000005' + '000000017a'],
    ];
    for (const [label, fields, hex] of vectors) expect(toHex(labelledFields(label, fields))).toBe(hex);
  });

  test('E13 a text is taken as received: no normalisation', () => {
    expect(toHex(labelledFields('a', ['\u00e9']))).not.toBe(toHex(labelledFields('a', ['e\u0301'])));
  });

  test('E13 whoever knows the label reads back exactly what went in', () => {
    const cases = fc
      .array(shapes, { maxLength: 5 })
      .chain((shape) => fc.tuple(fc.constant(shape), fc.tuple(...shape.map(valuesOf))));
    fc.assert(
      fc.property(cases, ([shape, fields]) => {
        const bytes = labelledFields('label', fields);
        expect(parse(bytes.subarray(6), (index) => shape[index])).toEqual(fields);
      }),
      { numRuns: 500 },
    );
  });

  test('E13 injective: other values of the same kinds, fewer or more fields, another label: other bytes', () => {
    const pairs = fc.array(shapes, { maxLength: 4 }).chain((shape) => {
      const lists = fc.integer({ min: 0, max: shape.length }).chain((count) => {
        return fc.tuple(fc.constantFrom('a', 'ab'), fc.tuple(...shape.slice(0, count).map(valuesOf)));
      });
      return fc.tuple(lists, lists);
    });
    const print = (value: unknown): string =>
      JSON.stringify(value, (_, one) => {
        if (typeof one === 'bigint') return { n: String(one) };
        return one === undefined ? { absent: true } : one;
      });
    fc.assert(
      fc.property(pairs, ([left, right]) => {
        const isSame = print(left) === print(right);
        expect(toHex(labelledFields(...left)) === toHex(labelledFields(...right))).toBe(isSame);
      }),
      { numRuns: 1000 },
    );
  });

  test.each([
    ['a lone surrogate', ['x', '\ud800'], 'a field 2'],
    ['a lone surrogate in a list', [['x', '\udc00y']], 'a field 1.2'],
    ['a negative integer', [-1], 'a field 1'],
    ['a fraction', [1.5], 'a field 1'],
    ['an integer that lost digits', [2 ** 53], 'a field 1'],
    ['an integer over 64 bits', [2n ** 64n], 'a field 1'],
  ] as const)('E13 %s is refused, and the field is named', (_, fields, field) => {
    const error = caught(() => labelledFields('a', fields));
    expect(isVakError(error, 'invalid-payload') && error.details?.['field']).toBe(field);
  });

  test('E13 a label that could hold the separator is a fault of the program', () => {
    expect(() => labelledFields('a\0', [])).toThrow(TypeError);
    expect(() => labelledFields('', [])).toThrow(TypeError);
  });
});
