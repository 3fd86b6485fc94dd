import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { toText, utf8 } from '../base/bytes.ts';
import { isVakError } from '../base/vak-error.ts';
import type { MessageKind } from './payload-rooms.ts';
import { type Attachment, decodeRoomContent, encodeRoomContent, type RoomContent } from './room-content.ts';

const target = '0197a3c0-0000-7000-8000-000000000001';
const attachment: Attachment = {
  bucket: 'VAK_MEDIA_4_acme_ada',
  object: 'b2JqZWN0',
  size: 2 ** 31,
  sha256: 'a'.repeat(64),
  salt: 'A'.repeat(43),
  epoch: 3,
  name: 'report.pdf',
  mime: 'application/pdf',
};
const samples: Readonly<Record<MessageKind, object>> = {
  text: { text: '**hello**' },
  edit: { target, text: 'hello' },
  redaction: { target, reason: 'a mistake' },
  reaction: { target, emoji: '👍', isOff: true },
  reply: { target, text: 'yes' },
  attachment: { ...attachment, text: 'see page 3' },
};
const kinds = Object.keys(samples) as MessageKind[];

/** What a refusal says; `taken` if it is none. */
function refusal(kind: MessageKind, value: unknown): string {
  try {
    decodeRoomContent(kind, utf8(JSON.stringify(value)));
  } catch (error) {
    expect(isVakError(error, 'invalid-payload')).toBe(true);
    return (error as Error).message;
  }
  return 'taken';
}

describe('R35 what messages say', () => {
  test.each(kinds)('R35 a message of kind %s is written and read; its kind stands in the frame alone', (kind) => {
    const content = { kind, ...samples[kind] } as RoomContent;
    const bytes = encodeRoomContent(content);
    expect(JSON.parse(toText(bytes))).toEqual(samples[kind]);
    expect(decodeRoomContent(kind, bytes)).toEqual(content);
  });

  test('R35 what no schema names is dropped, so that nothing deep or large is carried on', () => {
    const more = utf8('{"text":"a","more":[[[[1]]]],"__proto__":{"kind":"attachment"}}');
    expect(decodeRoomContent('text', more)).toEqual({ kind: 'text', text: 'a' });
  });

  test('R35 a text of any characters comes back as it was', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 50 }), (text) => {
        expect(decodeRoomContent('text', encodeRoomContent({ kind: 'text', text }))).toEqual({ kind: 'text', text });
      }),
    );
  });

  test('R13 a text has 64 KiB of UTF-8 at most, and is neither empty nor has half characters', () => {
    expect(refusal('text', { text: 'a'.repeat(65_536) })).toBe('taken');
    expect(refusal('text', { text: 'a'.repeat(65_537) })).toMatch(/^text: text:/);
    expect(refusal('text', { text: 'é'.repeat(32_769) })).toMatch(/64 KiB/);
    expect(refusal('text', { text: 'a'.repeat(10_000_000) })).toMatch(/^text: text:/);
    expect(refusal('reply', { target, text: '' })).toMatch(/empty/);
    expect(refusal('edit', { target, text: 'a\uD800b' })).toMatch(/lone surrogate/);
    expect(() => encodeRoomContent({ kind: 'text', text: '' })).toThrow(/empty/);
  });

  test.each(['👍', '❤️', '👩🏽‍🚀', '🏴󠁧󠁢󠁥󠁮󠁧󠁿', '🇮🇸', '1️⃣', '👨🏿‍❤️‍💋‍👨🏿'])('R35 %s is one emoji', (emoji) => {
    expect(refusal('reaction', { target, emoji })).toBe('taken');
  });

  test.each([
    ['none', ''],
    ['two', '👍👍'],
    ['a letter', 'a'],
    ['stacked marks', `👍${'\u0301'.repeat(10)}`],
    ['a sign of direction', '\u202E'],
    ['one behind it', '👍\u202E'],
    ['a space', ' '],
    ['a joiner alone', '\u200D'],
    ['a chain of more than 64 bytes', Array.from({ length: 12 }, () => '👩').join('\u200D')],
    ['10 MB', '👍'.repeat(2_500_000)],
    ['no text', 7],
  ])('R35 %s is no emoji', (_, emoji) => {
    expect(refusal('reaction', { target, emoji })).toMatch(/^reaction: emoji:/);
  });

  test.each<[string, Partial<Record<keyof Attachment, unknown>>]>([
    ['name', { name: 'a\u202Eb.txt' }],
    ['name', { name: 'n'.repeat(10_000_000) }],
    ['name', { name: '../../.profile' }],
    ['size', { size: 2 ** 31 + 1 }],
    ['size', { size: -1 }],
    ['size', { size: 0.5 }],
    ['sha256', { sha256: 'A'.repeat(64) }],
    ['salt', { salt: 'A'.repeat(42) }],
    ['mime', { mime: 'text/html; charset=utf-8' }],
    ['mime', { mime: 'image' }],
    ['bucket', { bucket: 'a bucket' }],
    ['object', { object: '../x' }],
    ['epoch', { epoch: undefined }],
  ])('R12 an attachment with another %s is refused, and the field is named', (field, change) => {
    expect(refusal('attachment', { ...attachment, ...change })).toMatch(new RegExp(`^attachment: ${field}:`));
  });

  test('R36 a target is the id of a message', () => {
    for (const kind of ['edit', 'redaction', 'reaction', 'reply'] as const)
      expect(refusal(kind, { ...samples[kind], target: 'm1' })).toMatch(/target: expected a UUID v7/);
  });

  test('R35 what is no JSON, no UTF-8 or no object is refused', () => {
    expect(() => decodeRoomContent('text', utf8('{"text":'))).toThrow(/JSON/);
    expect(() => decodeRoomContent('text', Uint8Array.of(0xff))).toThrow(/UTF-8/);
    expect(refusal('text', [])).toMatch(/object/);
    expect(refusal('text', null)).toMatch(/object/);
  });
});
