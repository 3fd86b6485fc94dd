import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { RowsFrame } from '../../shared/contract/streams-contract.ts';
import { createLiveBuffer } from './live-buffer.ts';

function frame(seqs: readonly number[], dropped = 0, scannedSeq = seqs.at(-1) ?? 0): RowsFrame {
  return {
    seq: seqs,
    atMs: seqs.map((seq) => seq * 10),
    subjects: ['vak.events.w.s.tokens', 'vak.events.w.s.status'],
    subjectIndex: seqs.map((seq) => seq % 2),
    peers: ['p1'],
    peerIndex: seqs.map((seq) => (seq % 3 === 0 ? -1 : 0)),
    sizeBytes: seqs.map((seq) => seq + 1),
    preview: seqs.map((seq) => `text ${seq}`),
    marks: seqs.map((seq) => 0x1000 + seq),
    dropped,
    scannedSeq,
  };
}

describe('live buffer', () => {
  it('gives each row back by index and by seq', () => {
    const buffer = createLiveBuffer(8);
    buffer.append(frame([3, 5, 6]));
    expect(buffer.rowAt(1)).toEqual({
      kind: 'message',
      seq: 5,
      atMs: 50,
      subject: 'vak.events.w.s.status',
      peer: 'p1',
      sizeBytes: 6,
      preview: 'text 5',
      marks: 0x1005,
      droppedCount: 0,
    });
    expect(buffer.rowAt(0)?.peer).toBe('');
    expect(buffer.findSeq(5)).toBe(1);
    expect(buffer.findSeq(4)).toBe(-1);
    expect(buffer.indexOfSeq(4)).toBe(1);
    expect(buffer.indexOfSeq(7)).toBe(3);
    expect(buffer.rowAt(3)).toBeUndefined();
  });

  it('evicts the oldest and keeps the index of what stays', () => {
    const buffer = createLiveBuffer(3);
    buffer.append(frame([1, 2, 3]));
    buffer.append(frame([4, 5]));
    expect([buffer.firstIndex, buffer.endIndex, buffer.size]).toEqual([2, 5, 3]);
    expect(buffer.rowAt(1)).toBeUndefined();
    expect(buffer.rowAt(2)?.seq).toBe(3);
    expect(buffer.messageCount).toBe(5);
  });

  it('shows a loss where it happened, and adds losses that follow each other', () => {
    const buffer = createLiveBuffer(10);
    buffer.append(frame([1]));
    buffer.append(frame([], 4, 5));
    buffer.append(frame([9], 3));
    expect(buffer.droppedCount).toBe(7);
    expect(buffer.size).toBe(3);
    expect(buffer.rowAt(1)).toMatchObject({ kind: 'dropped', droppedCount: 7, seq: 8.5 });
    expect(buffer.rowAt(2)?.seq).toBe(9);
    expect(buffer.findSeq(8.5)).toBe(1);
  });

  it('keeps the marks of a row until they are found out anew, and those of no other row', () => {
    const buffer = createLiveBuffer(3);
    buffer.append(frame([1, 2, 3, 4], 5));
    expect([0, 1, 2, 3, 4, 5].map(buffer.marksAt)).toEqual([0, 0, 0x1002, 0x1003, 0x1004, 0]);
    expect([buffer.setMarks(3, 7), buffer.setMarks(3, 7), buffer.setMarks(1, 7), buffer.setMarks(9, 7)]).toEqual([
      true,
      false,
      false,
      false,
    ]);
    expect([2, 3, 4].map((seq) => buffer.rowAt(buffer.findSeq(seq))?.marks)).toEqual([0x1002, 7, 0x1004]);
    buffer.append(frame([], 1, 5));
    expect(buffer.rowAt(5)).toMatchObject({ kind: 'dropped', marks: 0 });
  });

  it('E23 a row that was judged anew takes its own place: no index moves, nothing is counted twice', () => {
    const buffer = createLiveBuffer(3);
    buffer.append(frame([1, 2, 3, 4], 0, 6));
    const anew = { ...frame([1, 3, 5], 0, 6), preview: ['gone', 'anew', 'of another pattern'], marks: [7, 8, 9] };
    buffer.append(anew);
    expect([buffer.firstIndex, buffer.endIndex, buffer.messageCount, buffer.scannedSeq]).toEqual([1, 4, 4, 6]);
    expect([1, 2, 3].map((index) => buffer.rowAt(index)?.preview)).toEqual(['text 2', 'anew', 'text 4']);
    expect(buffer.rowAt(2)).toMatchObject({ seq: 3, marks: 8, peer: '' });
    buffer.append(frame([7]));
    expect(buffer.rowAt(4)?.seq).toBe(7);
  });

  it('B8 puts an outage behind the last message before it, when all of those were looked at, and once', () => {
    const buffer = createLiveBuffer(10);
    buffer.append(frame([1, 2]));
    const lasting = { fromMs: 500, toMs: null, afterSeq: 4 };
    expect(buffer.setOutages([lasting])).toEqual({ isChanged: false, insertedAt: [] });
    buffer.append(frame([3], 0, 4));
    expect(buffer.rowAt(3)).toMatchObject({ kind: 'outage', outage: lasting, subject: '', marks: 0 });
    expect(buffer.setOutages([lasting])).toEqual({ isChanged: false, insertedAt: [] });
    buffer.append(frame([5]));
    expect([0, 1, 2, 3, 4].map((index) => buffer.rowAt(index)?.kind)).toEqual([
      ...['message', 'message', 'message', 'outage', 'message'],
    ]);
    expect(buffer.messageCount).toBe(4);
  });

  it('B8 an outage that ends is told in its place, and stays when the engine has forgotten it', () => {
    const buffer = createLiveBuffer(10);
    buffer.append(frame([1, 2]));
    expect(buffer.setOutages([{ fromMs: 500, toMs: null, afterSeq: 2 }])).toEqual({ isChanged: true, insertedAt: [] });
    expect(buffer.setOutages([{ fromMs: 500, toMs: 700, afterSeq: 2 }])).toEqual({ isChanged: true, insertedAt: [] });
    buffer.setOutages([]);
    expect([buffer.size, buffer.rowAt(2)?.outage?.toMs]).toEqual([3, 700]);
  });

  it('B8 an outage that is heard of late comes to stand between the rows, and says what has moved', () => {
    const buffer = createLiveBuffer(4);
    buffer.append(frame([1, 2, 3, 4]));
    const outages = [
      { fromMs: 5, toMs: 6, afterSeq: 2 },
      { fromMs: 7, toMs: 8, afterSeq: 2 },
    ];
    expect(buffer.setOutages(outages)).toEqual({ isChanged: true, insertedAt: [2, 3] });
    expect([2, 3, 4, 5].map((index) => buffer.rowAt(index)?.seq)).toEqual([2.25, 2.25, 3, 4]);
    expect([2, 3].map((index) => buffer.rowAt(index)?.outage?.fromMs)).toEqual([5, 7]);
    expect([buffer.firstIndex, buffer.findSeq(4), buffer.marksAt(buffer.findSeq(4))]).toEqual([2, 5, 0x1004]);
  });

  it('B8 shows no outage before the first row, and all of them anew after clear', () => {
    const buffer = createLiveBuffer(10);
    buffer.setOutages([
      { fromMs: 1, toMs: 2, afterSeq: 0 },
      { fromMs: 3, toMs: 4, afterSeq: 6 },
    ]);
    buffer.append(frame([5, 7]));
    expect([0, 1, 2].map((index) => buffer.rowAt(index)?.kind)).toEqual(['message', 'outage', 'message']);
    buffer.clear();
    buffer.append(frame([6], 2));
    expect([0, 1, 2].map((index) => buffer.rowAt(index)?.kind)).toEqual(['dropped', 'message', 'outage']);
    buffer.append(frame([8], 1));
    expect(buffer.rowAt(3)).toMatchObject({ kind: 'dropped', droppedCount: 1 });
  });

  it('begins anew after clear', () => {
    const buffer = createLiveBuffer(4);
    buffer.append(frame([1, 2, 3, 4, 5], 2));
    buffer.clear();
    expect([buffer.size, buffer.messageCount, buffer.droppedCount, buffer.scannedSeq]).toEqual([0, 0, 0, 0]);
    buffer.append(frame([6]));
    expect(buffer.rowAt(0)?.seq).toBe(6);
  });

  it('refuses a capacity that is not a whole number above 0', () => {
    for (const capacity of [0, -1, 1.5, Number.NaN]) expect(() => createLiveBuffer(capacity)).toThrow(RangeError);
  });

  it('holds the same as a plain list cut to its capacity, whatever comes', () => {
    const steps = fc.array(fc.record({ rows: fc.nat(9), skip: fc.nat(3), dropped: fc.nat(2) }), { maxLength: 40 });
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 12 }), steps, (capacity, list) => {
        const buffer = createLiveBuffer(capacity);
        const model: { index: number; seq: number; dropped: number }[] = [];
        let seq = 0;
        let index = 0;
        for (const { rows, skip, dropped } of list) {
          seq += dropped;
          const scanned = seq + skip;
          const seqs = Array.from({ length: rows }, (_, i) => scanned + i + 1);
          const last = model.at(-1);
          const before = seqs[0] ?? scanned + 1;
          if (dropped > 0 && last !== undefined && last.dropped > 0) {
            last.dropped += dropped;
            last.seq = before - 0.5;
          } else if (dropped > 0) model.push({ index: index++, seq: before - 0.5, dropped });
          for (const each of seqs) model.push({ index: index++, seq: each, dropped: 0 });
          seq = scanned + rows;
          buffer.append(frame(seqs, dropped, seq));
          model.splice(0, Math.max(0, model.length - capacity));
        }
        expect(buffer.size).toBe(model.length);
        expect(buffer.endIndex).toBe(index);
        for (const entry of model) {
          expect(buffer.rowAt(entry.index)).toMatchObject({ seq: entry.seq, droppedCount: entry.dropped });
          expect(buffer.indexOfSeq(entry.seq)).toBe(entry.index);
        }
      }),
    );
  });

  it('B8 holds every outage between the rows before and behind it, however late it is heard of', () => {
    const steps = fc.array(fc.record({ rows: fc.nat(4), skip: fc.nat(3), outage: fc.boolean(), late: fc.nat(9) }), {
      maxLength: 30,
    });
    fc.assert(
      fc.property(steps, (list) => {
        const buffer = createLiveBuffer(1000);
        const outages: { fromMs: number; toMs: number | null; afterSeq: number }[] = [];
        let seq = 0;
        for (const { rows, skip, outage, late } of list) {
          // Heard of late: it lies behind messages that the table has, or does not have yet.
          const afterSeq = Math.max(outages.at(-1)?.afterSeq ?? 0, seq + 4 - late);
          if (outage) outages.push({ fromMs: outages.length, toMs: null, afterSeq });
          if (outage) buffer.setOutages([...outages]);
          const seqs = Array.from({ length: rows }, (_, i) => seq + skip + i + 1);
          seq += skip + rows;
          buffer.append(frame(seqs, 0, seq));
        }
        const rows = Array.from({ length: buffer.size }, (_, index) => buffer.rowAt(index));
        const firstSeq = rows[0]?.seq ?? Number.POSITIVE_INFINITY;
        expect(rows.map((row) => row?.seq)).toEqual(
          rows.map((row) => row?.seq).toSorted((a, b) => (a ?? 0) - (b ?? 0)),
        );
        expect(rows.flatMap((row) => row?.outage?.fromMs ?? [])).toEqual(
          outages.filter(({ afterSeq }) => afterSeq >= firstSeq && afterSeq <= seq).map(({ fromMs }) => fromMs),
        );
      }),
    );
  });
});
