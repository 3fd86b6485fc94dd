import { describe, expect, test } from 'vitest';
import {
  taskA as a,
  taskB as b,
  consumerSpec,
  openStream,
  settle,
} from '../../../../tests/support/embedded-streams.ts';
import { utf8 } from '../../../shared/base/bytes.ts';

const failed = (code: string, details?: object) => ({ code, ...(details && { details }) });

describe('append', () => {
  test('B3 numbers rise by one and each message is found by its number', async () => {
    const { streams, append, stream } = await openStream();
    expect(await append(a, 'one', { messageId: 'id-1' })).toEqual({ stream: 'S', seq: 1, isDuplicate: false });
    expect(await append(b, 'two')).toEqual({ stream: 'S', seq: 2, isDuplicate: false });
    expect(await stream().get(1)).toEqual({
      ...{ stream: 'S', seq: 1, subject: a, data: utf8('one') },
      ...{ storedMs: streams.clock.now(), messageId: 'id-1' },
    });
    expect((await stream().get(2))?.messageId).toBeUndefined();
    expect(await stream().get(3)).toBeUndefined();
  });

  test('B3 nothing is seen or acknowledged before the journal has it', async () => {
    const { streams, append, stream } = await openStream();
    const consumer = await stream().ensureConsumer(consumerSpec());
    await append(a, 'one');
    const release = streams.journal.hold();
    let isDone = false;
    const pending = append(a, 'two').then(() => {
      isDone = true;
    });
    await settle();
    expect(isDone).toBe(false);
    expect(await stream().get(2)).toBeUndefined();
    expect((await stream().last(a))?.seq).toBe(1);
    expect((await stream().read({ limit: 10 })).messages).toHaveLength(1);
    expect(await stream().state()).toMatchObject({ messageCount: 1, bytes: a.length + 3, lastSeq: 1 });
    expect(await consumer.state()).toMatchObject({ pendingCount: 1 });
    expect(await consumer.pull({ batch: 10, waitMs: 0 })).toHaveLength(1);
    release();
    await pending;
    expect((await stream().last(a))?.seq).toBe(2);
  });

  test('B3 what one commit kept is seen, what waits for the next is not', async () => {
    const { streams, append, stream } = await openStream();
    const release = streams.journal.hold();
    const first = append(a, 'one');
    await settle();
    const second = append(a, 'two');
    release();
    const releaseNext = streams.journal.hold();
    await first;
    await settle();
    expect((await stream().last(a))?.seq).toBe(1);
    releaseNext();
    await second;
    expect((await stream().last(a))?.seq).toBe(2);
  });

  test('B3 appends of one turn are one commit, and those made meanwhile are the next', async () => {
    const { streams, append, texts } = await openStream();
    const before = streams.journal.commits.length;
    const many = Array.from({ length: 256 }, (_, i) => append(a, `${i}`));
    await Promise.all(many);
    expect(streams.journal.commits.length - before).toBe(1);
    const release = streams.journal.hold();
    const first = append(a, 'held');
    await settle();
    const rest = Array.from({ length: 100 }, (_, i) => append(a, `later ${i}`));
    await settle();
    release();
    await Promise.all([first, ...rest]);
    expect(streams.journal.commits.length - before).toBe(3);
    expect((await texts()).slice(254, 258)).toEqual(['255:254', '256:255', '257:held', '258:later 0']);
  });

  test('B3 an id stores once within the window, also when its message is gone and after a restart', async () => {
    const { streams, append, stream } = await openStream();
    const both = await Promise.all([append(a, 'x', { messageId: 'm' }), append(b, 'y', { messageId: 'm' })]);
    expect(both.map(({ seq, isDuplicate }) => [seq, isDuplicate])).toEqual([
      [1, false],
      [1, true],
    ]);
    await stream().delete(1);
    await streams.restart();
    streams.clock.advance(599_999);
    expect(await append(a, 'z', { messageId: 'm' })).toMatchObject({ seq: 1, isDuplicate: true });
    streams.clock.advance(1);
    expect(await append(a, 'z', { messageId: 'm' })).toMatchObject({ seq: 2, isDuplicate: false });
  });

  test('B3 what an id leaves behind is removed when its window has passed', async () => {
    const { streams, append, stream } = await openStream();
    const empty = (await streams.journal.dump()).length;
    await append(a, 'x', { messageId: 'm' });
    await stream().delete(1);
    // The end of the stream, and the id.
    expect(await streams.journal.dump()).toHaveLength(empty + 2);
    streams.clock.advance(660_000);
    await settle();
    expect(await streams.journal.dump()).toHaveLength(empty + 1);
  });

  test('B3 the expected last number is that of the subject', async () => {
    const { append, stream } = await openStream();
    await append(a, 'one', { expectedLastSeq: 0 });
    await append(b, 'other');
    await append(a, 'two', { expectedLastSeq: 1 });
    await expect(append(a, 'no', { expectedLastSeq: 1 })).rejects.toMatchObject(
      failed('conflict', { expected: 1, actual: 3 }),
    );
    await expect(append(b, 'no', { expectedLastSeq: 0 })).rejects.toMatchObject(
      failed('conflict', { expected: 0, actual: 2 }),
    );
    await stream().purge(a);
    expect(await append(a, 'anew', { expectedLastSeq: 0 })).toMatchObject({ seq: 4 });
  });

  test('B3 of two conditional appends in one turn one wins, and the loser sees what won', async () => {
    const { append, stream } = await openStream();
    const winner = append(a, 'w', { expectedLastSeq: 0 });
    const loser = append(a, 'l', { expectedLastSeq: 0 }).catch(async () => (await stream().last(a))?.data);
    expect(await winner).toMatchObject({ seq: 1 });
    expect(await loser).toEqual(utf8('w'));
  });

  test('B3 what cannot be a message is refused with its field', async () => {
    const { append } = await openStream();
    await expect(append('vak.work.ws.*.task', '')).rejects.toMatchObject(failed('invalid-subject'));
    await expect(append('$JS.EVENT.ADVISORY.x', '')).rejects.toMatchObject(failed('invalid-subject'));
    await expect(append('vak.events.ws.s.tokens', '')).rejects.toMatchObject(failed('not-found'));
    await expect(append(a, '', { messageId: 'ö' })).rejects.toMatchObject(
      failed('invalid-input', { field: 'messageId' }),
    );
    await expect(append(a, '', { messageId: '' })).rejects.toMatchObject(failed('invalid-input'));
    await expect(append(a, '', { messageId: 'x'.repeat(256) })).rejects.toMatchObject(failed('invalid-input'));
    await expect(append(a, '', { expectedLastSeq: -1 })).rejects.toMatchObject(failed('invalid-input'));
    await expect(append(a, 'x'.repeat(1024 * 1024 + 1))).rejects.toMatchObject(failed('limit-exceeded'));
    await expect(append(a, '', { signal: AbortSignal.abort() })).rejects.toMatchObject(failed('aborted'));
  });
});

describe('limits', () => {
  const size = a.length + 10;

  test('B3 a full stream that refuses new ones says how full it is', async () => {
    const { append, texts, stream } = await openStream({ maxBytes: 2 * size });
    await append(a, '0123456789');
    await append(a, '0123456789');
    await expect(append(a, '')).rejects.toMatchObject(
      failed('limit-exceeded', { stream: 'S', sizeBytes: a.length, bytes: 2 * size, limitBytes: 2 * size }),
    );
    await stream().delete(1);
    expect(await append(a, '9876543210')).toMatchObject({ seq: 3 });
    expect(await texts()).toEqual(['2:0123456789', '3:9876543210']);
  });

  test('B3 a full stream that drops old ones keeps the newest that fit', async () => {
    const { append, texts } = await openStream({ maxBytes: 2 * size, whenFull: 'drop-old' });
    await Promise.all(['0123456789', '1123456789', '2123456789'].map((text) => append(a, text)));
    expect(await texts()).toEqual(['2:1123456789', '3:2123456789']);
    await expect(append(a, 'x'.repeat(2 * size))).rejects.toMatchObject(failed('limit-exceeded'));
    expect(await texts()).toHaveLength(2);
  });

  test('B3 what is too old is not readable from that moment, and leaves the journal', async () => {
    const { streams, append, texts, stream } = await openStream({ maxAgeMs: 1_000, dedupeWindowMs: 0 });
    await append(a, 'old');
    streams.clock.advance(500);
    await append(b, 'young');
    streams.clock.advance(499);
    expect(await texts()).toEqual(['1:old', '2:young']);
    streams.clock.advance(1);
    expect(await stream().get(1)).toBeUndefined();
    expect(await stream().last(a)).toBeUndefined();
    expect(await texts()).toEqual(['2:young']);
    expect(await stream().state()).toMatchObject({ messageCount: 1, firstSeq: 2, lastSeq: 2 });
    streams.clock.advance(30_000);
    await settle();
    expect((await streams.journal.dump()).filter((line) => line.startsWith('s/m') || line.startsWith('s/p'))).toEqual(
      [],
    );
    await streams.restart();
    expect(await append(a, 'next')).toMatchObject({ seq: 3 });
  });

  test('B3 what became too old while nobody ran is gone at the start', async () => {
    const { streams, append, stream } = await openStream({ maxAgeMs: 1_000, dedupeWindowMs: 0 });
    await Promise.all(Array.from({ length: 3_000 }, (_, i) => append(a, `${i}`)));
    await streams.plane.close();
    streams.clock.advance(5_000);
    await streams.restart();
    expect(await stream().state()).toMatchObject({ messageCount: 0, firstSeq: 3_001, lastSeq: 3_000 });
    expect((await streams.journal.dump()).filter((line) => line.startsWith('s/p'))).toEqual([]);
  });

  test('B3 interest refuses what nobody takes, and keeps a message until all have ended it', async () => {
    const { append, texts, stream } = await openStream({ retention: 'interest' });
    await expect(append(a, 'lost')).rejects.toMatchObject(failed('no-such-peer', { stream: 'S' }));
    const one = await stream().ensureConsumer(consumerSpec({ name: 'one', filter: a }));
    const all = await stream().ensureConsumer(consumerSpec({ name: 'all' }));
    await append(a, 'both');
    await append(b, 'second only');
    const [first] = await one.pull({ batch: 1, waitMs: 0 });
    await first?.ack();
    expect(await texts()).toEqual(['1:both', '2:second only']);
    for (const delivery of await all.pull({ batch: 9, waitMs: 0 })) await delivery.term();
    expect(await texts()).toEqual([]);
    await append(a, 'again', { messageId: 'm' });
    await stream().deleteConsumer('all');
    expect(await texts()).toEqual(['3:again']);
    await stream().deleteConsumer('one');
    expect(await texts()).toEqual([]);
    expect(await append(a, 'again', { messageId: 'm' })).toMatchObject({ seq: 3, isDuplicate: true });
    await expect(append(a, 'again')).rejects.toMatchObject(failed('no-such-peer'));
  });

  test('B3 a work queue keeps a message until it is ended, and has one consumer a subject', async () => {
    const { append, texts, stream } = await openStream({ retention: 'work-queue' });
    await append(a, 'one');
    await append(a, 'two');
    const consumer = await stream().ensureConsumer(consumerSpec({ filter: a }));
    await expect(stream().ensureConsumer(consumerSpec({ name: 'd' }))).rejects.toMatchObject(failed('conflict'));
    await expect(stream().ensureConsumer(consumerSpec({ name: 'd', filter: b, start: 'new' }))).rejects.toMatchObject(
      failed('invalid-input', { field: 'start' }),
    );
    await stream().ensureConsumer(consumerSpec({ name: 'd', filter: b }));
    const [one, two] = await consumer.pull({ batch: 2, waitMs: 0 });
    expect(await texts()).toHaveLength(2);
    await two?.ack();
    await one?.term();
    expect(await texts()).toEqual([]);
  });
});

describe('reading', () => {
  async function filled() {
    const opened = await openStream();
    for (const [at, text] of ['one', 'two', 'three', 'four', 'five'].entries()) {
      await opened.append(at % 2 === 0 ? a : b, text);
      opened.streams.clock.advance(1_000);
    }
    return opened;
  }

  test('B3 by number, by time, by subject, in pages', async () => {
    const { streams, stream } = await filled();
    const startMs = streams.clock.now() - 5_000;
    const seqs = async (options: object) => {
      const page = await stream().read({ limit: 1000, ...options });
      return [page.messages.map(({ seq }) => seq), page.nextSeq];
    };
    expect(await seqs({})).toEqual([[1, 2, 3, 4, 5], undefined]);
    expect(await seqs({ fromSeq: 3, limit: 2 })).toEqual([[3, 4], 5]);
    expect(await seqs({ fromSeq: 5, limit: 2 })).toEqual([[5], undefined]);
    expect(await seqs({ fromSeq: 6 })).toEqual([[], undefined]);
    expect(await seqs({ fromMs: startMs + 1_000 })).toEqual([[2, 3, 4, 5], undefined]);
    expect(await seqs({ fromMs: startMs + 1_001 })).toEqual([[3, 4, 5], undefined]);
    expect(await seqs({ fromMs: startMs + 4_001 })).toEqual([[], undefined]);
    expect(await seqs({ subject: b })).toEqual([[2, 4], undefined]);
    expect(await seqs({ subject: 'vak.work.ws.>', fromSeq: 2, limit: 1 })).toEqual([[2], 3]);
    expect(await seqs({ subject: 'vak.work.*.a.task', fromSeq: 2 })).toEqual([[3, 5], undefined]);
    expect(await seqs({ subject: a, limit: 2 })).toEqual([[1, 3], 5]);
    await expect(stream().read({ limit: 1_001 })).rejects.toMatchObject(failed('invalid-input', { field: 'limit' }));
    await expect(stream().read({ limit: 1, subject: 'a..b' })).rejects.toMatchObject(failed('invalid-pattern'));
  });

  test('B3 a page ends after about 4 MiB', async () => {
    const { append, stream } = await openStream();
    for (let i = 0; i < 6; i++) await append(a, 'x'.repeat(1_000_000));
    const page = await stream().read({ limit: 1_000 });
    expect(page.messages).toHaveLength(5);
    expect(page.nextSeq).toBe(6);
  });

  test('B3 deleting and purging, by subject or all, never gives a number back', async () => {
    const { streams, append, texts, stream } = await filled();
    expect(await stream().delete(2)).toBe(true);
    expect(await stream().delete(2)).toBe(false);
    expect(await stream().purge(a)).toBe(3);
    expect(await texts()).toEqual(['4:four']);
    expect((await stream().last(b))?.seq).toBe(4);
    expect(await stream().last(a)).toBeUndefined();
    expect(await stream().purge()).toBe(1);
    expect(await stream().state()).toMatchObject({ messageCount: 0, bytes: 0, firstSeq: 6, lastSeq: 5 });
    await streams.crash();
    expect(await append(a, 'six')).toMatchObject({ seq: 6 });
  });

  test('B3 a large purge is done in bounded batches', async () => {
    const { streams, append, stream } = await openStream();
    await Promise.all(Array.from({ length: 5_000 }, (_, i) => append(a, `${i}`)));
    const before = streams.journal.commits.length;
    expect(await stream().purge()).toBe(5_000);
    expect(streams.journal.commits.slice(before).every((changes) => changes <= 2 * 2_048)).toBe(true);
  });
});
