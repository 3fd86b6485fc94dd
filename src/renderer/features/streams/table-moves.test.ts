import { describe, expect, it } from 'vitest';
import { createLiveBuffer } from '../../state/live-buffer.ts';
import { movePage, moveSelection, moveToOldest } from './table-moves.ts';
import { createTableScroll, rowPx } from './table-scroll.ts';

function setUp(rows: number, droppedAt?: number) {
  const buffer = createLiveBuffer(200);
  for (let seq = 1; seq <= rows; seq++) {
    buffer.append({
      seq: [seq],
      atMs: [0],
      subjects: ['s'],
      subjectIndex: [0],
      peers: [],
      peerIndex: [-1],
      sizeBytes: [0],
      preview: [''],
      marks: [0],
      dropped: seq === droppedAt ? 3 : 0,
      scannedSeq: seq,
    });
  }
  const scroll = createTableScroll(buffer);
  scroll.setHeight(10 * rowPx);
  const table = {
    buffer,
    scroll,
    selectedSeq: undefined as number | undefined,
    select(seq: number | undefined) {
      table.selectedSeq = seq;
      if (seq !== undefined) scroll.detach();
    },
    follow: () => scroll.follow(),
    touch() {},
  };
  return table;
}

describe('table moves', () => {
  it('begins at the lowest row in sight, then moves by one', () => {
    const table = setUp(100);
    moveSelection(table, -1);
    expect([table.selectedSeq, table.scroll.isFollowing]).toEqual([100, false]);
    moveSelection(table, -1);
    expect(table.selectedSeq).toBe(99);
    moveSelection(table, 5);
    expect(table.selectedSeq).toBe(100);
  });

  it('steps over the marker of a loss', () => {
    const table = setUp(20, 15);
    table.select(15);
    moveSelection(table, -1);
    expect(table.selectedSeq).toBe(14);
    moveSelection(table, 1);
    expect(table.selectedSeq).toBe(15);
  });

  it('stays on the first message when a marker is above it', () => {
    const table = setUp(20, 1);
    table.select(1);
    moveSelection(table, -1);
    expect(table.selectedSeq).toBe(1);
  });

  it('pages the selection, or the place without one', () => {
    const table = setUp(100);
    movePage(table, -1);
    expect([table.selectedSeq, table.scroll.topPx]).toEqual([undefined, 81 * rowPx]);
    table.select(85);
    movePage(table, -1);
    expect(table.selectedSeq).toBe(76);
    expect(table.scroll.topPx).toBe(75 * rowPx);
  });

  it('goes to the oldest and back to the newest', () => {
    const table = setUp(100);
    moveToOldest(table);
    expect([table.selectedSeq, table.scroll.topPx]).toEqual([1, 0]);
    table.follow();
    expect([table.scroll.isFollowing, table.scroll.topPx]).toEqual([true, 90 * rowPx]);
    moveSelection(table, 1);
    expect(table.selectedSeq).toBe(100);
  });

  it('does nothing in an empty table', () => {
    const table = setUp(0);
    moveSelection(table, 1);
    movePage(table, 1);
    moveToOldest(table);
    expect(table.selectedSeq).toBeUndefined();
  });
});
