/**
 * What a frame says once it is open (protocol.md R11, R13, R35): a schema for each kind, and its bytes.
 * Law: every field has a bound, what is not in a schema is dropped, and a text is whole: no lone surrogate.
 */
import { z } from 'zod';
import { utf8 } from '../base/bytes.ts';
import { firstIssue } from '../base/issue-words.ts';
import { VakError } from '../base/vak-error.ts';
import { attachmentNameField } from './attachment-name.ts';
import { count, detailField, hashField, reasonField, tokenField } from './payload-fields.ts';
import type { MessageKind } from './payload-rooms.ts';
import { parseJson } from './payloads.ts';
import { exactBytes, messageIdField } from './room-fields.ts';
import { maxMediaBytes } from './room-media.ts';

/** With `u`, a surrogate that has its other half is no surrogate. */
const isWhole = (text: string): boolean => !/\p{Surrogate}/u.test(text);
const wholeText = 'it has half a character (a lone surrogate); take it out';

/** Markdown without HTML: 1 byte to 64 KiB. */
const textField = detailField.min(1).refine(isWhole, wholeText);

const maxEmojiBytes = 64;
const emojiForm = /^[\p{Emoji}\p{Extended_Pictographic}][\p{Emoji}\p{Extended_Pictographic}\p{Emoji_Component}]*$/u;
const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** Whether it is one grapheme of characters that emoji are made of, in at most 64 bytes: no letters, marks, or signs of direction. */
function isEmoji(text: string): boolean {
  if (text.length > maxEmojiBytes || !emojiForm.test(text) || utf8(text).length > maxEmojiBytes) return false;
  return [...graphemes.segment(text)].length === 1;
}

const emojiField = z.string().refine(isEmoji, `expected one emoji of at most ${maxEmojiBytes} bytes`);
const mimePart = '[a-z0-9!#$&^_.+-]{1,63}';
const mimeForm = new RegExp(`^${mimePart}/${mimePart}$`);
/** Whether a message may name that type of a file. */
export const isMime = (text: string): boolean => text.length <= 127 && mimeForm.test(text);
const mimeField = z.string().refine(isMime, 'expected a type like image/png');
const bucketField = z.string().regex(/^[A-Za-z0-9_-]{1,255}$/, 'expected a bucket');

/** The messages of R11. `target` is the `messageId` of another message; what counts of whom is a reader's to say. */
const schemas = {
  text: z.object({ text: textField }),
  edit: z.object({ target: messageIdField, text: textField }),
  redaction: z.object({ target: messageIdField, reason: reasonField.refine(isWhole, wholeText).optional() }),
  /** `isOff`: the reaction is taken back. */
  reaction: z.object({ target: messageIdField, emoji: emojiField, isOff: z.boolean().optional() }),
  reply: z.object({ target: messageIdField, text: textField }),
  attachment: z.object({
    bucket: bucketField,
    object: tokenField,
    /** Bytes of the file; {@link maxMediaBytes} at most. */
    size: count.max(maxMediaBytes),
    /** SHA-256 of the sealed bytes, as the store has it. */
    sha256: hashField,
    salt: exactBytes(32),
    /** Whose key the file's is derived from. */
    epoch: count,
    name: attachmentNameField,
    mime: mimeField,
    text: textField.optional(),
  }),
} satisfies Record<MessageKind, z.ZodType>;

/** What a message of one kind says. */
export type ContentOf<K extends MessageKind> = z.infer<(typeof schemas)[K]>;
/** What a message says, with its kind. */
export type RoomContent = { readonly [K in MessageKind]: { readonly kind: K } & ContentOf<K> }[MessageKind];
/** An attachment's description. */
export type Attachment = ContentOf<'attachment'>;

function check(kind: MessageKind, value: unknown): RoomContent {
  const parsed = schemas[kind].safeParse(value);
  if (parsed.success) return { kind, ...parsed.data } as RoomContent;
  throw new VakError('invalid-payload', `${kind}: ${firstIssue(parsed.error)}`, {
    details: { field: parsed.error.issues[0]?.path.map(String).join('.') ?? '' },
  });
}

/** The JSON of a message, without its kind: that stands in the frame. Throws `invalid-payload` that names the field. */
export function encodeRoomContent(content: RoomContent): Uint8Array {
  const { kind, ...fields } = check(content.kind, content);
  return utf8(JSON.stringify(fields));
}

/** What the JSON of a message of that kind says. The caller has bounded the bytes. Throws `invalid-payload` that names the field. */
export function decodeRoomContent(kind: MessageKind, bytes: Uint8Array): RoomContent {
  return check(kind, parseJson(bytes, kind));
}
