import { afterEach, describe, expect, it } from 'vitest';
import { openWatchedPlace, type WatchedPlace } from '../../../tests/support/watched-place.ts';
import { toText, utf8 } from '../../shared/base/bytes.ts';
import type { PageInput, RowsFrame, StoredPage } from '../../shared/contract/streams-contract.ts';
import { unpackMarks } from '../../shared/protocol/trust-marks.ts';
import { createSilentLogger } from '../ports/logger.ts';
import { createStoredReader } from './stored-reader.ts';
import { createSubjectReader } from './subject-reader.ts';

const stream = 'VAK_RECEIPTS_acme';
const subject = 'vak.receipts.acme.s1-d.completed';
const signal = new AbortController().signal;
let place: WatchedPlace;
afterEach(() => place.close());

async function setUp(engine: 'embedded' | 'nats-server' = 'embedded') {
  place = await openWatchedPlace(engine);
  const { workspace, fabric, clock } = place;
  const stored = createStoredReader({
    ...{ ...workspace.judging, reader: workspace.reader, opener: workspace.opener, durable: fabric.durable, clock },
    knowledge: { look: () => {}, followsAliases: false },
    ...{ contentProblem: () => undefined, subjects: createSubjectReader(), peerOf: () => null },
    logger: createSilentLogger(),
  });
  const page = (at: PageInput['at'], filter = ''): Promise<StoredPage> => stored.page({ stream, filter, at }, signal);
  const fill = async (count: number, from = 1): Promise<void> => {
    for (let at = from; at < from + count; at++) {
      await place.store(subject, utf8(`n${at} ${at % 50 === 0 ? 'needle' : 'hay'}`));
    }
  };
  return { stored, page, fill };
}

const upTo = (count: number, from = 1): number[] => Array.from({ length: count }, (_, index) => from + index);

/** All that older pages give from the newest on, and how many questions it took. */
async function walkBack(page: (at: PageInput['at']) => Promise<StoredPage>) {
  let found: number[] = [];
  let last = await page({ kind: 'newest' });
  let pages = 1;
  found = [...last.rows.seq];
  for (; last.fromSeq > last.firstSeq; pages++) {
    last = await page({ kind: 'before', seq: last.fromSeq });
    found = [...last.rows.seq, ...found];
  }
  return { found, pages };
}

async function walkOn(page: (at: PageInput['at']) => Promise<StoredPage>, seq: number) {
  const found: number[] = [];
  let last = await page({ kind: 'from', seq });
  found.push(...last.rows.seq);
  while (last.toSeq < last.lastSeq) {
    last = await page({ kind: 'from', seq: last.toSeq + 1 });
    found.push(...last.rows.seq);
  }
  return found;
}

describe.each(['embedded', 'nats-server'] as const)('%s', (engine) => {
  it('V3 a stream is paged in both directions, each message once, whatever was deleted and whatever a filter leaves out', async () => {
    const { stored, page, fill } = await setUp(engine);
    await fill(620);
    const newest = await page({ kind: 'newest' });
    expect([newest.rows.seq, newest.fromSeq, newest.toSeq, newest.lastSeq]).toEqual([upTo(256, 365), 365, 620, 620]);
    expect(newest.rows.preview[0]).toBe('n365 hay');
    expect(await walkBack(page)).toEqual({ found: upTo(620), pages: 3 });
    expect(await walkOn(page, 100)).toEqual(upTo(521, 100));
    const needles = upTo(12).map((at) => at * 50);
    expect((await walkBack((at) => page(at, 'needle'))).found).toEqual(needles);
    expect(await walkOn((at) => page(at, 'needle'), 1)).toEqual(needles);
    for (const seq of [620, 619, ...upTo(300, 200)]) await place.fabric.durable.stream(stream).delete(seq);
    expect((await walkBack(page)).found).toEqual([...upTo(199), ...upTo(119, 500)]);
    const { streams, why } = await stored.streams();
    const found = streams.find(({ name }) => name === stream);
    expect([why, found?.messageCount, found?.firstSeq, found?.lastSeq]).toEqual([null, 318, 1, 620]);
    expect(streams.every(({ name }) => name.startsWith('VAK_'))).toBe(true);
  });

  it('V3 the tail goes on where a page has ended, as messages are stored and only as frames are painted', async () => {
    const { stored, page, fill } = await setUp(engine);
    await fill(3);
    const { toSeq } = await page({ kind: 'newest' });
    const frames: RowsFrame[] = [];
    const pump = stored.openTail({ stream, fromSeq: toSeq + 1 }, (frame) => frames.push(JSON.parse(frame)));
    const seqs = (): number[] => frames.flatMap(({ seq }) => [...seq]);
    await fill(300, 4);
    await place.until(() => seqs().length >= 200);
    await fill(300, 304);
    await place.until(() => frames.length === 2);
    await place.pass(1000);
    expect(frames).toHaveLength(2);
    pump.credit(2);
    await place.until(() => seqs().length === 600);
    expect(seqs()).toEqual(upTo(600, 4));
    expect([pump.sentCount, pump.droppedCount]).toEqual([600, 0]);
    pump.dispose();
    await fill(1, 604);
    await place.pass(1000);
    expect(seqs()).toHaveLength(600);
  });
});

it('V3 a place in time is found, one behind the end has nothing, and one before the beginning has all', async () => {
  const { page, fill } = await setUp();
  await fill(5);
  await place.pass(10_000);
  const between = place.clock.now();
  await place.pass(10_000);
  await fill(5, 6);
  const at = async (ms: number) => [...(await page({ kind: 'time', ms })).rows.seq];
  expect(await at(between)).toEqual([6, 7, 8, 9, 10]);
  expect(await at(0)).toEqual(upTo(10));
  const behind = await page({ kind: 'time', ms: place.clock.now() + 1000 });
  expect([behind.rows.seq, behind.fromSeq, behind.toSeq, behind.lastSeq]).toEqual([[], 11, 10, 10]);
});

it('V3 a stored message is judged as it lies there: sealed and signed ones open, what is changed or foreign is refused with why', async () => {
  const { stored, page } = await setUp();
  const worker = place.workspace.peer('w1', { session: 's1-d', kind: 'd' });
  const sound = worker.write({ note: 'Disk full' }, '', subject);
  await place.store(subject, sound.data);
  await place.store(subject, utf8(toText(sound.data).replace('"w1"', '"w2"')));
  const bytes = Uint8Array.from({ length: 4096 }, (_, at) => (at * 7919) % 256);
  await place.store(subject, bytes);
  const { rows } = await page({ kind: 'newest' });
  expect(rows.marks.map(unpackMarks)).toMatchObject([
    { seal: 'opens', signature: 'valid', chain: 'unplaced', isRefused: false },
    { isRefused: true },
    { seal: 'none', signature: 'none', chain: 'none', isRefused: true },
  ]);
  expect(rows.preview[0]).toContain('Disk full');
  expect((await page({ kind: 'newest' }, 'disk trust:accepted')).rows.seq).toEqual([1]);
  const held = await stored.get(stream, 1);
  expect(stored.messages.open(held)).toMatchObject({ kind: 'opened', wasSealed: true });
  expect(stored.reporter.report(held)).toMatchObject({ signature: { kind: 'valid' }, chain: null, refusal: null });
  expect((await stored.get(stream, 3)).data).toEqual(bytes);
});

it('V3 what is not there says what is: a message, a stream, a filter with a fault', async () => {
  const { stored, page, fill } = await setUp();
  await fill(4);
  await expect(stored.get(stream, 9)).rejects.toThrow(`${stream}: there is no message 9; it holds 1 to 4`);
  await expect(stored.get('VAK_DLQ_acme', 1)).rejects.toThrow('it is empty');
  await expect(page({ kind: 'newest' }, 'trust:maybe')).rejects.toThrow('character 1: trust is one of');
  await expect(stored.page({ stream: 'none', at: { kind: 'newest' } }, signal)).rejects.toMatchObject({
    code: 'not-found',
  });
  expect(() => stored.openTail({ stream, fromSeq: 0 }, () => {})).toThrow('fromSeq');
});
