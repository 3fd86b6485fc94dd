import { expect, it } from 'vitest';
import { VakError } from '../../../shared/base/vak-error.ts';
import type { BufferedMessage } from '../../../shared/contract/streams-contract.ts';
import {
  bookmarksOf,
  type MessageRef,
  maxBookmarks,
  refKey,
  withBookmark,
  withoutBookmark,
} from '../../state/bookmarks.ts';
import { type Finding, findMessage, refOf } from './find-message.ts';

const subject = 'vak.receipts.acme.s1-d.completed';

function messageOf(id: string | null, place: { seq: number; stream?: string; atMs?: number }): BufferedMessage {
  const attributes = id === null ? [] : [{ name: 'id', value: id, isExtension: false }];
  const { seq, stream = null, atMs = 10_000 } = place;
  return {
    seq,
    stream,
    atMs,
    subject,
    type: 'vak.receipts.completed',
    trust: { attributes },
  } as unknown as BufferedMessage;
}

/** An engine that holds these messages, by their places. */
function engineOf(...held: readonly BufferedMessage[]) {
  const asked: string[] = [];
  const streams = {
    async read({ seq, stream = null }: { seq: number; stream?: string | null }) {
      const found = held.find((one) => one.seq === seq && one.stream === stream);
      if (found === undefined) throw new VakError('not-found', 'it has left');
      return found;
    },
    stored: async () => ({
      streams: [
        { name: 'VAK_DLQ_acme', subjects: ['vak.dlq.acme.>'] },
        { name: 'VAK_RECEIPTS_acme', subjects: ['vak.receipts.acme.>'] },
      ],
      why: null,
    }),
    async page({ stream, at }: { stream: string; at: { ms: number } }) {
      asked.push(`${stream} from ${at.ms}`);
      const lying = held.filter((one) => one.stream === stream);
      return { rows: { seq: lying.map(({ seq }) => seq), atMs: lying.map(({ atMs }) => atMs) } };
    },
  };
  return { asked, finding: { client: { streams }, signal: new AbortController().signal } as unknown as Finding };
}

const heard: MessageRef = refOf(messageOf('id-1', { seq: 7 }));

it('V10 a message is found where it was, if what lies there is still it', async () => {
  const { finding, asked } = engineOf(messageOf('id-1', { seq: 7 }));
  expect(await findMessage(heard, finding)).toMatchObject({ seq: 7, stream: null });
  expect(asked).toEqual([]);
});

it('V10 what has left the memory, or whose place another run has given away, is found in the stream of its subject by its id', async () => {
  const { finding, asked } = engineOf(
    messageOf('id-9', { seq: 7 }),
    messageOf('id-8', { seq: 40, stream: 'VAK_RECEIPTS_acme', atMs: 9_990 }),
    messageOf('id-1', { seq: 41, stream: 'VAK_RECEIPTS_acme', atMs: 10_002 }),
  );
  expect(await findMessage(heard, finding)).toMatchObject({ seq: 41, stream: 'VAK_RECEIPTS_acme' });
  expect(asked).toEqual(['VAK_RECEIPTS_acme from 5000']);
});

it('V10 one that is nowhere is said to be gone, and another is never taken for it', async () => {
  const gone = engineOf(messageOf('id-8', { seq: 41, stream: 'VAK_RECEIPTS_acme' }), messageOf('id-8', { seq: 7 }));
  expect(await findMessage(heard, gone.finding)).toBeUndefined();
  const foreign = refOf(messageOf(null, { seq: 7 }));
  expect(await findMessage(foreign, engineOf(messageOf(null, { seq: 7, atMs: 99 })).finding)).toBeUndefined();
  expect(await findMessage(foreign, engineOf(messageOf(null, { seq: 7 })).finding)).toMatchObject({ seq: 7 });
});

it('V10 bookmarks are kept newest first, one of each message, bounded, and what is not sound is left out', () => {
  const two = withBookmark(withBookmark([], { ...heard, note: 'first' }), { ...heard, seq: 9, note: 'again' });
  expect(two.map(({ note }) => note)).toEqual(['again']);
  expect(withoutBookmark(two, heard)).toEqual([]);
  expect(refKey({ ...heard, envelopeId: null })).not.toBe(refKey({ ...heard, envelopeId: null, seq: 8 }));
  const many = Array.from({ length: maxBookmarks + 5 }, (_, seq) => ({ ...heard, envelopeId: `${seq}`, note: '' }));
  expect(many.reduce<ReturnType<typeof bookmarksOf>>(withBookmark, [])).toHaveLength(maxBookmarks);
  expect(bookmarksOf([...two, { note: 'x' }, null, 7, { ...heard, note: 'n'.repeat(501) }])).toEqual(two);
  expect(bookmarksOf('x')).toEqual([]);
});
