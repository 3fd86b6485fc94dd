import { describe, expect, test } from 'vitest';
import {
  taskA as a,
  taskB as b,
  consumerSpec,
  makeConsumer,
  openEmbeddedStreams,
  openStream,
  settle,
  streamSpec,
} from '../../../../tests/support/embedded-streams.ts';
import { utf8 } from '../../../shared/base/bytes.ts';
import { VakError } from '../../../shared/base/vak-error.ts';
import { streamsOf } from '../../../shared/protocol/stream-table.ts';

const failed = (code: string, details?: object) => ({ code, ...(details && { details }) });

describe('provisioning', () => {
  test('B3 a stream is made, changed and found unchanged; a dry run does nothing', async () => {
    const { plane, restart } = await openEmbeddedStreams().then((opened) => ({
      plane: () => opened.plane,
      restart: opened.restart,
    }));
    const specs = streamsOf('ws');
    for (const spec of specs) expect(await plane().ensureStream(spec, { dryRun: true })).toBe('created');
    expect(await plane().streams()).toEqual([]);
    for (const spec of specs) expect(await plane().ensureStream(spec)).toBe('created');
    await restart();
    expect((await plane().streams()).map(({ spec }) => spec).toSorted((x, y) => (x.name < y.name ? -1 : 1))).toEqual(
      specs.toSorted((x, y) => (x.name < y.name ? -1 : 1)),
    );
    for (const spec of specs) expect(await plane().ensureStream(spec)).toBe('unchanged');
    const [work] = specs;
    if (work === undefined) throw new Error('no stream');
    expect(await plane().ensureStream({ ...work, maxBytes: 5 }, { dryRun: true })).toBe('updated');
    expect((await plane().stream(work.name).state()).spec.maxBytes).toBe(1024 ** 3);
    expect(await plane().ensureStream({ ...work, maxBytes: 5 })).toBe('updated');
    await restart();
    expect((await plane().stream(work.name).state()).spec.maxBytes).toBe(5);
  });

  test('B3 two streams never take one subject, and retention does not change', async () => {
    const { plane } = await openEmbeddedStreams();
    await plane.ensureStream(streamSpec());
    await expect(plane.ensureStream(streamSpec({ name: 'T', subjects: ['vak.>'] }))).rejects.toMatchObject(
      failed('conflict', { stream: 'T', other: 'S' }),
    );
    await expect(plane.ensureStream(streamSpec({ retention: 'interest' }))).rejects.toMatchObject(failed('conflict'));
    await expect(plane.ensureStream(streamSpec({ subjects: [] }))).rejects.toMatchObject(failed('invalid-input'));
    await plane.ensureStream(streamSpec({ subjects: ['vak.dlq.ws.*.failed'] }));
    await plane.ensureStream(streamSpec({ name: 'T' }));
    expect(await plane.append(a, utf8('x'))).toMatchObject({ stream: 'T' });
  });

  test('B3 narrower limits apply at once', async () => {
    const { streams, append, texts } = await openStream({ whenFull: 'drop-old' });
    for (const text of ['one', 'two', 'six']) await append(a, text);
    await streams.plane.ensureStream(streamSpec({ whenFull: 'drop-old', maxBytes: 2 * (a.length + 3) }));
    expect(await texts()).toEqual(['2:two', '3:six']);
  });

  test('B3 a deleted stream leaves nothing, and one of its name begins anew', async () => {
    const { streams, append, stream, spec } = await openStream();
    await stream().ensureConsumer(consumerSpec());
    await Promise.all(Array.from({ length: 5_000 }, (_, i) => append(a, `${i}`, { messageId: `${i}` })));
    const before = streams.journal.commits.length;
    expect(await streams.plane.deleteStream('S')).toBe(true);
    expect(streams.journal.commits.length - before).toBeLessThanOrEqual(10);
    expect(await streams.plane.deleteStream('S')).toBe(false);
    expect(await streams.journal.dump()).toEqual([]);
    await expect(stream().state()).rejects.toMatchObject(failed('not-found', { stream: 'S' }));
    await expect(append(a, 'x')).rejects.toMatchObject(failed('not-found'));
    await streams.plane.ensureStream(spec);
    expect(await append(a, 'x', { messageId: '1' })).toMatchObject({ seq: 1, isDuplicate: false });
  });

  test('B3 a deletion that a kill cut short is finished at the next start', async () => {
    const { streams, append } = await openStream();
    await Promise.all(Array.from({ length: 2_100 }, (_, i) => append(a, `${i}`)));
    const isFirst = streams.journal.commits.length;
    const deleting = streams.plane.deleteStream('S').catch(() => {});
    while (streams.journal.commits.length === isFirst) await Promise.resolve();
    streams.journal.failure = new VakError('closed', 'killed');
    await deleting;
    streams.journal.failure = undefined;
    expect((await streams.journal.dump()).length).toBeGreaterThan(0);
    await streams.crash();
    expect(await streams.plane.streams()).toEqual([]);
    expect(await streams.journal.dump()).toEqual([]);
  });
});

describe('when the journal fails', () => {
  const full = new VakError('disk-full', 'no room');

  test('B6 what was refused was not stored, its id is free, its number is not', async () => {
    const { streams, append, texts, stream } = await openStream();
    await append(a, 'one');
    streams.journal.failure = full;
    const results = await Promise.allSettled([
      append(a, 'lost', { messageId: 'm' }),
      append(a, 'lost too', { messageId: 'm' }),
      append(a, 'rests on it', { expectedLastSeq: 2 }),
    ]);
    expect(results.map((result) => result.status)).toEqual(['rejected', 'rejected', 'rejected']);
    expect(results.every((result) => result.status === 'rejected' && result.reason === full)).toBe(true);
    expect(await stream().state()).toMatchObject({ messageCount: 1, lastSeq: 1 });
    streams.journal.failure = undefined;
    expect(await append(a, 'two', { messageId: 'm', expectedLastSeq: 1 })).toMatchObject({ isDuplicate: false });
    const before = await texts();
    expect(before.map((text) => text.replace(/^\d+:/, ''))).toEqual(['one', 'two']);
    await streams.crash();
    expect(await texts()).toEqual(before);
  });

  test('B6 appends that were staged behind a failed batch fail with it', async () => {
    const { streams, append, texts } = await openStream();
    const release = streams.journal.hold();
    const first = append(a, 'first');
    await settle();
    const second = append(a, 'second', { expectedLastSeq: 1 });
    streams.journal.failure = full;
    release();
    await expect(first).rejects.toBe(full);
    await expect(second).rejects.toBe(full);
    streams.journal.failure = undefined;
    await append(a, 'third', { expectedLastSeq: 0 });
    expect((await texts()).map((text) => text.slice(2))).toEqual(['third']);
  });

  test('B6 an end that was refused stays ended here, and is kept as soon as it can be', async () => {
    const streams = await openEmbeddedStreams();
    const { consumer } = await makeConsumer(streams.plane, { retention: 'work-queue' });
    await streams.plane.append(a, utf8('task'));
    const [delivery] = await consumer.pull({ batch: 1, waitMs: 0 });
    streams.journal.failure = full;
    await expect(delivery?.ack()).rejects.toBe(full);
    await expect(delivery?.ack()).rejects.toBe(full);
    streams.journal.failure = undefined;
    await delivery?.ack();
    await streams.crash();
    expect((await streams.plane.stream('S').state()).messageCount).toBe(0);
    expect(await streams.plane.stream('S').consumer('c').pull({ batch: 1, waitMs: 0 })).toEqual([]);
  });

  test('B6 what gave way to a message that was refused leaves no trace of that message', async () => {
    const { streams, append, texts } = await openStream({ whenFull: 'drop-old', maxBytes: 2 * (a.length + 4) });
    streams.journal.failure = full;
    await Promise.allSettled(['x', 'y', 'z'].map((id) => append(a, `${id}${id}${id}`, { messageId: id })));
    streams.journal.failure = undefined;
    expect(await append(a, 'xxx', { messageId: 'x' })).toMatchObject({ isDuplicate: false });
    await streams.crash();
    expect(await texts()).toHaveLength(1);
    expect(await append(a, 'zzz', { messageId: 'z' })).toMatchObject({ isDuplicate: false });
  });

  test('B6 a journal that cannot be changed can be read, and says why it refuses', async () => {
    const { streams, append, texts, stream } = await openStream({ maxAgeMs: 1_000 });
    await stream().ensureConsumer(consumerSpec());
    await append(a, 'old');
    streams.clock.advance(600);
    await append(a, 'young');
    await streams.plane.close();
    streams.journal.readOnlyReason = 'the store is damaged';
    const before = await streams.journal.dump();
    await streams.crash();
    streams.clock.advance(400);
    expect(await texts()).toEqual(['2:young']);
    expect(await stream().consumer('c').state()).toMatchObject({ pendingCount: 1 });
    const refusals = [
      append(a, 'x'),
      stream().delete(2),
      stream().purge(),
      stream().ensureConsumer(consumerSpec({ name: 'd' })),
      stream().consumer('c').pull({ batch: 1, waitMs: 0 }),
      streams.plane.deleteStream('S'),
      streams.plane.ensureStream(streamSpec({ name: 'T', subjects: ['vak.dlq.ws.*.failed'] })),
    ];
    for (const refusal of refusals) await expect(refusal).rejects.toMatchObject(failed('read-only'));
    await streams.plane.close();
    expect(await streams.journal.dump()).toEqual(before);
  });

  test('B6 damage ends the start with a clear error, and never gives an empty stream', async () => {
    const { streams, append } = await openStream();
    await append(a, 'one');
    const lines: { key: Uint8Array; value: Uint8Array }[] = [];
    for await (const entry of streams.journal.entries({ from: new Uint8Array(0), to: Uint8Array.of(0xff) })) {
      lines.push(entry);
    }
    for (const { key, value } of lines) {
      await streams.journal.commit([{ key, value: value.subarray(0, 4) }]);
      const isPayload = Buffer.from(key).toString('latin1').startsWith('s/p');
      if (!isPayload) await expect(streams.crash()).rejects.toMatchObject(failed('corrupt'));
      await streams.journal.commit([{ key, value }]);
    }
    await streams.crash();
    const payload = lines.find(({ key }) => Buffer.from(key).toString('latin1').startsWith('s/p'));
    await streams.journal.commit([{ key: payload?.key ?? new Uint8Array(0), value: undefined }]);
    await streams.crash();
    await expect(streams.plane.stream('S').get(1)).rejects.toMatchObject(failed('corrupt'));
  });
});

test('B6 closing refuses calls, ends what waits, keeps what is staged, and leaves no timer', async () => {
  const streams = await openEmbeddedStreams();
  const { stream, consumer } = await makeConsumer(streams.plane);
  await streams.plane.append(a, utf8('one'));
  const [delivery] = await consumer.pull({ batch: 1, waitMs: 0 });
  const waiting = consumer.pull({ batch: 1, waitMs: 60_000 });
  const pending = streams.plane.append(b, utf8('two'));
  const ended = delivery?.ack();
  const closing = streams.plane.close();
  await expect(waiting).rejects.toMatchObject(failed('closed'));
  await Promise.all([pending, ended, closing]);
  expect(streams.clock.timerCount).toBe(0);
  await expect(streams.plane.append(a, utf8('x'))).rejects.toMatchObject(failed('closed'));
  await expect(stream.state()).rejects.toMatchObject(failed('closed'));
  await expect(consumer.pull({ batch: 1, waitMs: 0 })).rejects.toMatchObject(failed('closed'));
  await expect(delivery?.working()).rejects.toMatchObject(failed('closed'));
  await streams.restart();
  const left = await streams.plane.stream('S').consumer('c').pull({ batch: 9, waitMs: 0 });
  expect(left.map(({ message }) => message.seq)).toEqual([2]);
});
