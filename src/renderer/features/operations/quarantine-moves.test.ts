import { describe, expect, it } from 'vitest';
import { arrivedBefore, moveInQuarantine, selectedIndex } from './quarantine-moves.ts';

const rowsOf = (...seqs: number[]) => seqs.map((seq) => ({ seq }));

describe('the list of what was refused', () => {
  it('moves by row, by page and to the ends, and never beyond them', () => {
    const rows = rowsOf(90, 80, 70, 60, 50);
    const from = (selectedSeq: number | undefined, key: string) =>
      moveInQuarantine({ rows, selectedSeq, pageRows: 3 }, key);
    expect([from(undefined, 'j'), from(undefined, 'k'), from(90, 'ArrowDown'), from(90, 'k')]).toEqual([0, 0, 1, 0]);
    expect([from(80, 'PageDown'), from(60, 'PageDown'), from(60, 'PageUp')]).toEqual([4, 4, 0]);
    expect([from(50, 'j'), from(70, 'Home'), from(70, 'End')]).toEqual([4, 0, 4]);
    expect([from(70, 'x'), from(70, 'Enter')]).toEqual([undefined, undefined]);
  });

  it('does nothing in an empty list, and begins anew when the selected row is gone', () => {
    expect(moveInQuarantine({ rows: [], selectedSeq: 3, pageRows: 3 }, 'j')).toBeUndefined();
    expect(moveInQuarantine({ rows: rowsOf(9, 8), selectedSeq: 3, pageRows: 3 }, 'j')).toBe(0);
  });

  it('a message keeps the selection while newer ones come, also when an older one is refused late', () => {
    expect(selectedIndex({ rows: rowsOf(9, 8, 7), selectedSeq: 8 })).toBe(1);
    expect(selectedIndex({ rows: rowsOf(2, 11, 10, 9, 8, 7), selectedSeq: 8 })).toBe(4);
    expect(selectedIndex({ rows: rowsOf(11, 10), selectedSeq: 8 })).toBe(-1);
  });

  it('says how far what was read has moved down', () => {
    expect(arrivedBefore(rowsOf(2, 11, 10, 9), 10)).toBe(2);
    expect(arrivedBefore(rowsOf(10, 9), 10)).toBe(0);
    expect(arrivedBefore(rowsOf(20, 19), 10)).toBe(0);
    expect(arrivedBefore(rowsOf(20), undefined)).toBe(0);
  });
});
