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
    expect([buffer.firstIndex, buffer.endIndex, buffer.size, buffer.evictedCount]).toEqual([2, 5, 3, 2]);
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
});
