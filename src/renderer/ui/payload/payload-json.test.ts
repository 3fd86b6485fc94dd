import { describe, expect, it } from 'vitest';
import { utf8 } from '../../../shared/base/bytes.ts';
import { readPayloadJson } from './payload-json.ts';

describe('payload as JSON', () => {
  it('E3 gives back the very text: its bytes are those of the payload', () => {
    const bytes = utf8(' {"n": 9007199254740993 ,\n"n":1.0,"s":"a\u202eb\ufeff𝄞"}\t');
    const read = readPayloadJson(bytes);
    if (read.kind !== 'json') throw new Error(read.why);
    expect(utf8(read.text)).toEqual(bytes);
    expect(read.root.kind === 'object' && read.root.members[0]?.value).toMatchObject({ text: '9007199254740993' });
  });

  it.each([
    ['nothing', '', 'empty'],
    ['words', 'done', 'value is missing'],
    ['a cut text', '{"a":[1,', 'payload.a.1'],
    ['JSON with a byte order mark', '\ufeff{}', 'value is missing'],
    ['more than one value', '{} {}', 'follows'],
  ])('E3 %s is no JSON and says why', (_name, text, why) => {
    expect(readPayloadJson(utf8(text))).toEqual({ kind: 'other', why: expect.stringContaining(why) });
  });

  it('bytes that are not UTF-8 are no JSON, and depth is bounded', () => {
    expect(readPayloadJson(Uint8Array.of(0x22, 0xff, 0x22))).toMatchObject({
      kind: 'other',
      why: expect.stringContaining('UTF-8'),
    });
    expect(readPayloadJson(utf8('['.repeat(200_000)))).toMatchObject({
      kind: 'other',
      why: expect.stringContaining('deeper'),
    });
  });
});
