import { describe, expect, it } from 'vitest';
import { createTrustedWorkspace } from '../../../tests/support/trusted-workspace.ts';
import { utf8 } from '../../shared/base/bytes.ts';
import { isVakError } from '../../shared/base/vak-error.ts';
import type { RowsFrame, SessionFrame } from '../../shared/contract/streams-contract.ts';
import { unpackMarks } from '../../shared/protocol/trust-marks.ts';
import { createFeedHub } from './feed-hub.ts';
import { createMessageBuffer } from './message-buffer.ts';
import { maxPreviewLength, previewOf } from './preview.ts';
import { createRowReader } from './row-reader.ts';
import { createSubjectReader } from './subject-reader.ts';

function setUp(bounds = { capacityCount: 1000, capacityBytes: 1e9 }) {
  const acme = createTrustedWorkspace(bounds);
  const { clock, buffer, reader, intake } = acme;
  const subjects = createSubjectReader();
  const rows = createRowReader({ subjects, reader, intake, peerOf: (session) => `peer-of-${session}` });
  const hub = createFeedHub({ buffer, clock, subjects, rows, intake });
  /** Bytes that are no envelope. */
  const publish = (subject: string, text = 'x', count = 1): void => {
    for (let index = 0; index < count; index++) intake.take({ subject, data: utf8(text) });
  };
  const openRows = (pattern = '>', fromSeq = 0) => {
    const frames: RowsFrame[] = [];
    const pump = hub.open('streams.rows', { pattern, fromSeq }, (frame) => frames.push(JSON.parse(frame)));
    return { frames, pump };
  };
  const openSession = (session: string) => {
    const frames: SessionFrame[] = [];
    const pump = hub.open('streams.session', { session, fromSeq: 0 }, (frame) => frames.push(JSON.parse(frame)));
    return { frames, pump };
  };
  return { acme, clock, buffer, hub, publish, openRows, openSession };
}

/** A message without any trust, for the buffer alone. */
const arrival = (atMs: number) => {
  const trust = { link: undefined, seal: 'none', signature: 'none', refusal: undefined, isAccepted: false } as const;
  return { atMs, trust: { ...trust } };
};

const seqs = (frames: readonly RowsFrame[]): number[] => frames.flatMap((frame) => [...frame.seq]);
const upTo = (count: number, from = 1): number[] => Array.from({ length: count }, (_, index) => from + index);

describe('message buffer', () => {
  it('B2 keeps to both bounds and gives every message one seq', () => {
    const byCount = createMessageBuffer({ capacityCount: 10, capacityBytes: 1e9 });
    const byBytes = createMessageBuffer({ capacityCount: 1000, capacityBytes: 1500 });
    for (const buffer of [byCount, byBytes]) {
      for (let index = 0; index < 50; index++)
        buffer.append({ subject: 'a', data: new Uint8Array(100) }, arrival(index));
      expect(buffer.newestSeq).toBe(50);
      expect(buffer.get(50)?.atMs).toBe(49);
      expect(buffer.get(buffer.oldestSeq)?.seq).toBe(buffer.oldestSeq);
      expect(buffer.get(buffer.oldestSeq - 1)).toBeUndefined();
      expect(buffer.get(51)).toBeUndefined();
    }
    expect(byCount.stats()).toEqual({ receivedCount: 50, receivedBytes: 5000, bufferedCount: 10, bufferedBytes: 3000 });
    expect(byBytes.stats()).toEqual({ receivedCount: 50, receivedBytes: 5000, bufferedCount: 5, bufferedBytes: 1500 });
  });

  it('B2 holds at least the newest message, however large', () => {
    const buffer = createMessageBuffer({ capacityCount: 10, capacityBytes: 50 });
    buffer.append({ subject: 'a', data: new Uint8Array(500) }, arrival(0));
    expect(buffer.get(1)?.data).toHaveLength(500);
  });
});

describe('feed', () => {
  it('shows what is held already, then what comes, in order, without a gap', () => {
    const { clock, publish, openRows } = setUp();
    publish('vak.events.ws.s1.tokens', 'old', 3);
    const { frames, pump } = openRows();
    clock.runDeferred();
    publish('vak.events.ws.s1.tokens', 'new', 2);
    pump.credit(1);
    clock.advance(100);
    expect(seqs(frames)).toEqual([1, 2, 3, 4, 5]);
    expect(frames[0]).toMatchObject({
      subjects: ['vak.events.ws.s1.tokens'],
      subjectIndex: [0, 0, 0],
      peers: ['peer-of-s1'],
      sizeBytes: [3, 3, 3],
      preview: ['old', 'old', 'old'],
      dropped: 0,
      scannedSeq: 3,
    });
  });

  it('a message goes out at once when idle, and frames keep 16 ms apart when busy', () => {
    const { clock, publish, openRows } = setUp();
    const { frames, pump } = openRows();
    clock.advance(1000);
    publish('vak.events.ws.s1.tokens');
    clock.runDeferred();
    expect(frames).toHaveLength(1);
    pump.credit(1);
    publish('vak.events.ws.s1.tokens');
    clock.runDeferred();
    clock.advance(15);
    expect(frames).toHaveLength(1);
    clock.advance(1);
    expect(frames).toHaveLength(2);
  });

  it('never has more than two frames under way, and goes on when one is painted', () => {
    const { clock, publish, openRows } = setUp();
    publish('vak.events.ws.s1.tokens', 'x', 1000);
    const { frames, pump } = openRows();
    clock.advance(10_000);
    expect(frames.map((frame) => frame.seq.length)).toEqual([256, 256]);
    pump.credit(1);
    clock.advance(10_000);
    expect(frames).toHaveLength(3);
    pump.credit(100);
    clock.advance(10_000);
    expect(seqs(frames)).toEqual(upTo(1000));
  });

  it('a frame holds about 64 KiB at most', () => {
    const { acme, clock, openSession } = setUp();
    const peer = acme.peer('w1', { session: 's1-e' });
    const payload = { stream: 'stdout', offset: 0, bytes: 'y'.repeat(20_000) };
    for (let index = 0; index < 5; index++) acme.intake.take(peer.write(payload, 'terminal'));
    const { frames } = openSession('s1-e');
    clock.advance(1000);
    expect(frames.map((frame) => frame.items.length)).toEqual([2, 2]);
    expect(frames[0]?.items[0]).toMatchObject({
      seq: 1,
      type: 'vak.events.terminal',
      payload: JSON.stringify(payload),
    });
  });

  it('E8 a session gets the opened payloads of what is accepted; what is refused is counted and not passed on', () => {
    const { acme, clock, publish, openSession } = setUp();
    const peer = acme.peer('w1', { session: 's1-e' });
    acme.intake.take(peer.write({ state: 'started' }));
    publish('vak.events.acme.s1-e.status', '{"state":"ended"}');
    const sound = peer.write({ state: 'done' });
    acme.intake.take(sound);
    acme.intake.take(sound);
    acme.intake.take(acme.peer('w2').write({ state: 'failed' }));
    const { frames } = openSession('s1-e');
    clock.advance(20);
    expect(frames.flatMap(({ items }) => items.map(({ payload }) => payload))).toEqual([
      '{"state":"started"}',
      '{"state":"done"}',
    ]);
    expect(frames.reduce((sum, { refused }) => sum + refused, 0)).toBe(2);
  });

  it('E8 a session of which everything is refused says so', () => {
    const { clock, publish, openSession } = setUp();
    publish('vak.events.acme.s1-e.status', '{"state":"ended"}', 3);
    const { frames } = openSession('s1-e');
    clock.advance(20);
    expect(frames).toMatchObject([{ items: [], refused: 3, scannedSeq: 3 }]);
  });

  it('rows say who, what and how far it is trusted', () => {
    const { acme, clock, openRows } = setUp();
    const peer = acme.peer('w1');
    acme.intake.take(peer.write({ state: 'started', detail: { reason: 'ready' } }));
    acme.intake.take(acme.peer('w2', { isSigning: false }).write({ state: 'done' }));
    acme.intake.take(acme.peer('w3', { isGranted: false }).write({ state: 'done' }));
    const { frames } = openRows();
    clock.advance(20);
    expect(frames[0]).toMatchObject({ peers: ['w1', 'w2', 'w3'], peerIndex: [0, 1, 2] });
    expect(frames[0]?.preview).toEqual(['started · ready', 'done', expect.stringContaining('w3 has no grant')]);
    expect(frames[0]?.marks.map(unpackMarks)).toEqual([
      { seal: 'opens', signature: 'valid', chain: 'ok', isRefused: false },
      { seal: 'opens', signature: 'unsigned', chain: 'ok', isRefused: true },
      { seal: 'sealed', signature: 'invalid', chain: 'ok', isRefused: true },
    ]);
  });

  it('E23 a row that was judged anew is sent again in a frame of its own, under its seq, and is counted no second time', () => {
    const { acme, clock, openRows } = setUp();
    const known = acme.peer('w1');
    acme.intake.take(known.write({ state: 'started' }));
    acme.intake.take(acme.peer('w2', { key: 7, isGranted: false }).write({ state: 'done' }));
    const { frames, pump } = openRows();
    clock.advance(20);
    pump.credit(1);
    expect(frames[0]?.preview).toEqual(['started', expect.stringContaining('w2 has no grant')]);
    acme.grantElsewhere('w2', { key: 7 });
    acme.learn();
    clock.advance(20);
    pump.credit(1);
    expect(frames).toHaveLength(2);
    expect(frames[1]).toMatchObject({ seq: [2], preview: ['done'], dropped: 0, scannedSeq: 2 });
    expect(frames[1]?.marks.map(unpackMarks)).toEqual([
      { seal: 'opens', signature: 'valid', chain: 'ok', isRefused: false },
    ]);
    acme.intake.take(known.write({ state: 'done' }));
    clock.advance(20);
    expect(frames[2]).toMatchObject({ seq: [3], scannedSeq: 3 });
    expect(pump.sentCount).toBe(3);
  });

  it('E23 a message that was not shown before it was judged anew is shown once; nothing goes out without credit', () => {
    const { acme, clock, openRows } = setUp();
    acme.intake.take(acme.peer('w2', { key: 7, isGranted: false }).write({ state: 'done' }));
    const { frames, pump } = openRows();
    acme.grantElsewhere('w2', { key: 7 });
    acme.learn();
    clock.advance(20);
    expect(frames.map(({ seq }) => seq)).toEqual([[1]]);
    const late = acme.peer('w3', { key: 8, isGranted: false });
    acme.intake.take(late.write({ state: 'done' }));
    clock.advance(20);
    acme.grantElsewhere('w3', { key: 8 });
    acme.learn();
    clock.advance(1000);
    expect(frames.map(({ seq }) => seq)).toEqual([[1], [2]]);
    pump.credit(1);
    clock.advance(20);
    expect(frames.map(({ seq }) => seq)).toEqual([[1], [2], [2]]);
    pump.credit(2);
    clock.advance(1000);
    expect(frames).toHaveLength(3);
  });

  it('E23 a session gets what was refused and is not any more, in order, and its count goes back', () => {
    const { acme, clock, openSession } = setUp();
    const peer = acme.peer('w1', { key: 7, session: 's1-e', isGranted: false });
    for (const state of ['started', 'done']) acme.intake.take(peer.write({ state }));
    const { frames } = openSession('s1-e');
    clock.advance(20);
    expect(frames).toMatchObject([{ items: [], refused: 2 }]);
    acme.grantElsewhere('w1', { key: 7 });
    acme.learn();
    clock.advance(20);
    expect(frames[1]).toMatchObject({ items: [{ seq: 1 }, { seq: 2 }], refused: -2, scannedSeq: 2 });
  });

  it('E13 a frame checks 8 signatures; the rows beyond are checked when they are looked at', () => {
    const { acme, clock, openRows } = setUp();
    const peer = acme.peer('w1');
    for (let index = 0; index < 30; index++) acme.intake.take(peer.write({ state: 'progress' }));
    const { frames } = openRows();
    clock.advance(20);
    const signatures = frames[0]?.marks.map((marks) => unpackMarks(marks).signature);
    expect(signatures).toEqual([...Array(8).fill('valid'), ...Array(22).fill('unchecked')]);
    expect(frames[0]?.preview[29]).toBe('progress');
  });

  it('B2 counts what the buffer lost while the window did not paint: sent and dropped add up', () => {
    const { clock, publish, openRows, hub } = setUp({ capacityCount: 300, capacityBytes: 1e9 });
    const { frames, pump } = openRows();
    for (let round = 0; round < 20; round++) {
      publish('vak.events.ws.s1.tokens', 'x', 500);
      clock.advance(20);
    }
    const read = (): number => seqs(frames).length + frames.reduce((sum, frame) => sum + frame.dropped, 0);
    for (let round = 0; round < 10; round++) {
      pump.credit(2);
      clock.advance(20);
    }
    expect(read()).toBe(10_000);
    expect(pump.droppedCount + pump.sentCount).toBe(10_000);
    expect(pump.droppedCount).toBeGreaterThan(0);
    expect(seqs(frames)).toEqual([...new Set(seqs(frames))].sort((a, b) => a - b));
    const dropped = pump.droppedCount;
    pump.dispose();
    expect(hub.droppedCount).toBe(dropped);
    expect(hub.openCount).toBe(0);
  });

  it('shows only what its pattern matches, and gets there past many others', () => {
    const { clock, publish, openRows } = setUp({ capacityCount: 50_000, capacityBytes: 1e9 });
    publish('vak.events.ws.other.tokens', 'x', 30_000);
    publish('vak.events.ws.s1.tokens');
    const { frames } = openRows('vak.events.*.s1.>');
    clock.advance(200);
    expect(seqs(frames)).toEqual([30_001]);
  });

  it('says once that everything that was held has been looked at, where nothing of it matches', () => {
    const { clock, publish, openRows } = setUp();
    publish('vak.events.ws.s1.tokens', 'old', 20);
    const { frames } = openRows('vak.events.ws.none.>');
    clock.advance(100);
    expect(frames).toMatchObject([{ seq: [], dropped: 0, scannedSeq: 20 }]);
    publish('vak.events.ws.s1.tokens', 'new', 20);
    clock.advance(100);
    expect(frames).toHaveLength(1);
  });

  it('shows foreign subjects as they came', () => {
    const { clock, buffer, openRows } = setUp();
    buffer.append({ subject: 'orders.eu.created', data: new Uint8Array([0, 255, 10, 65]) }, arrival(0));
    const { frames } = openRows();
    clock.advance(20);
    expect(frames[0]).toMatchObject({
      subjects: ['orders.eu.created'],
      peers: [],
      peerIndex: [-1],
      preview: ['␀\uFFFD↵A'],
    });
  });

  it.each([
    ['nothing', {}, 'not-found'],
    ['__proto__', {}, 'not-found'],
    ['streams.rows', {}, 'invalid-input'],
    ['streams.rows', null, 'invalid-input'],
    ['streams.rows', { pattern: '>', fromSeq: -1 }, 'invalid-input'],
    ['streams.rows', { pattern: 'a..b', fromSeq: 0 }, 'invalid-pattern'],
    ['streams.session', { session: 'a.b', fromSeq: 0 }, 'invalid-subject'],
  ] as const)('refuses to open %s with %j', (name, params, code) => {
    const { hub } = setUp();
    try {
      hub.open(name, params, () => {});
      expect.unreachable();
    } catch (error) {
      expect(isVakError(error, code)).toBe(true);
    }
    expect(hub.openCount).toBe(0);
  });

  it('leaves no timer behind when it is closed while it waits', () => {
    const { clock, publish, openRows } = setUp();
    const { pump, frames } = openRows();
    publish('vak.events.ws.s1.tokens');
    clock.runDeferred();
    publish('vak.events.ws.s1.tokens');
    pump.dispose();
    expect(clock.timerCount).toBe(0);
    publish('vak.events.ws.s1.tokens');
    clock.advance(1000);
    expect(seqs(frames)).toEqual([1]);
  });

  it('holds no more timers the longer it runs', () => {
    const { clock, publish, openRows } = setUp();
    const { pump } = openRows();
    for (let round = 0; round < 1000; round++) {
      publish('vak.events.ws.s1.tokens');
      clock.advance(7);
      pump.credit(1);
    }
    expect(clock.timerCount).toBeLessThanOrEqual(1);
  });
});

describe('preview', () => {
  const json = (value: unknown): Uint8Array => utf8(JSON.stringify(value));

  it.each([
    [
      'vak.events.telemetry',
      { pid: 1, processes: 3, rssBytes: 1_572_864, cpuPercent: 187.4 },
      'rss 1.5 MiB · cpu 187 % · 3 processes',
    ],
    [
      'vak.events.status',
      { state: 'failed', taskId: 't', detail: { reason: 'no such file', exitCode: 127 } },
      'failed · no such file',
    ],
    ['vak.events.tokens', { channel: 'assistant', index: 0, text: 'Hello\nthere' }, 'Hello↵there'],
    ['vak.work.task', { command: ['ls', '-la'] }, 'ls -la'],
    [
      'vak.events.terminal',
      {
        stream: 'stdout',
        offset: 0,
        bytes: Buffer.from('\u001b[1;32mok\u001b[0m \u001b]0;title\u0007built').toString('base64'),
      },
      'ok built',
    ],
    [
      'vak.events.terminal',
      { stream: 'stderr', offset: 5, bytes: Buffer.from('warning: x\n').toString('base64') },
      'stderr · warning: x',
    ],
  ])('of %s %j', (type, payload, expected) => {
    expect(previewOf(type, json(payload))).toBe(expected);
  });

  it('shows what does not fit its schema as the text that came', () => {
    expect(previewOf('vak.events.status', utf8('{"state":'))).toBe('{"state":');
    expect(previewOf('foreign', new Uint8Array())).toBe('');
  });

  it('is bounded, and lets no control or bidi character through', () => {
    const hostile = previewOf(
      'vak.events.tokens',
      json({ channel: 'assistant', index: 0, text: `\u202Eabc\u001b]8;;https://x\u0007${'z'.repeat(100_000)}` }),
    );
    expect(hostile).toHaveLength(maxPreviewLength);
    expect(hostile.startsWith('‹U+202E›abc␛]8;;https://x␇zz')).toBe(true);
    const chunk = json({ stream: 'stdout', offset: 0, bytes: Buffer.alloc(32_768, 65).toString('base64') });
    expect(previewOf('vak.events.terminal', chunk)).toBe('A'.repeat(maxPreviewLength));
  });
});
