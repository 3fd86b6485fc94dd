import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createTableScroll, rowPx } from './table-scroll.ts';

/** A range that grows like a ring of `capacity` rows. */
function ringRange(capacity: number) {
  const range = {
    firstIndex: 0,
    endIndex: 0,
    messageCount: 0,
    add(count: number) {
      range.endIndex += count;
      range.messageCount += count;
      range.firstIndex = Math.max(range.firstIndex, range.endIndex - capacity);
    },
  };
  return range;
}

function filled(rows: number, capacity = 1000) {
  const range = ringRange(capacity);
  range.add(rows);
  const scroll = createTableScroll(range);
  scroll.setHeight(10 * rowPx);
  return { range, scroll };
}

describe('table scroll', () => {
  it('follows the newest row from the start', () => {
    const { range, scroll } = filled(100);
    expect(scroll.topPx).toBe(90 * rowPx);
    range.add(7);
    scroll.settle();
    expect(scroll.topPx).toBe(97 * rowPx);
    expect(scroll.newCount).toBe(0);
  });

  it('detaches on scrolling up, counts what comes, and follows again at the bottom', () => {
    const { range, scroll } = filled(100);
    scroll.scrollBy(-1);
    expect(scroll.isFollowing).toBe(false);
    range.add(5);
    scroll.settle();
    expect(scroll.topPx).toBe(90 * rowPx - 1);
    expect(scroll.newCount).toBe(5);
    scroll.scrollBy(3 * rowPx);
    expect(scroll.isFollowing).toBe(false);
    scroll.scrollBy(1000 * rowPx);
    expect(scroll.isFollowing).toBe(true);
    expect(scroll.newCount).toBe(0);
  });

  it('scrolling down at the bottom keeps following', () => {
    const { scroll } = filled(100);
    scroll.scrollBy(40);
    expect(scroll.isFollowing).toBe(true);
  });

  it('says so when the rows that were read have left the ring, and shows the oldest', () => {
    const { range, scroll } = filled(100, 100);
    scroll.scrollTo(5 * rowPx);
    range.add(5);
    scroll.settle();
    expect([scroll.topPx, scroll.hasLostPlace]).toEqual([5 * rowPx, false]);
    range.add(1);
    scroll.settle();
    expect([scroll.topPx, scroll.hasLostPlace]).toEqual([6 * rowPx, true]);
    scroll.follow();
    expect(scroll.hasLostPlace).toBe(false);
  });

  it('reveals a row with the least movement', () => {
    const { scroll } = filled(100);
    scroll.scrollTo(50 * rowPx);
    scroll.reveal(55);
    expect(scroll.topPx).toBe(50 * rowPx);
    scroll.reveal(60);
    expect(scroll.topPx).toBe(51 * rowPx);
    scroll.reveal(3);
    expect(scroll.topPx).toBe(3 * rowPx);
    scroll.reveal(99);
    expect([scroll.topPx, scroll.isFollowing]).toEqual([90 * rowPx, false]);
  });

  it('stands at the top while there are fewer rows than room', () => {
    const { scroll } = filled(3);
    expect([scroll.minPx, scroll.maxPx, scroll.topPx]).toEqual([0, 0, 0]);
    scroll.scrollBy(-100);
    expect(scroll.topPx).toBe(0);
  });

  it('a detached place moves 0 px while its rows are held, whatever arrives and leaves', () => {
    const moves = fc.array(fc.oneof(fc.integer({ min: 1, max: 300 }), fc.constant(0)), { maxLength: 60 });
    fc.assert(
      fc.property(fc.integer({ min: 30, max: 400 }), fc.nat(5000), moves, (capacity, up, arrivals) => {
        const { range, scroll } = filled(500, capacity);
        scroll.scrollBy(-up - 1);
        fc.pre(!scroll.isFollowing);
        let placePx = scroll.topPx;
        for (const count of arrivals) {
          range.add(count);
          scroll.settle();
          const isHeld = placePx >= range.firstIndex * rowPx;
          if (!isHeld) expect(scroll.hasLostPlace).toBe(true);
          expect(scroll.topPx).toBe(isHeld ? placePx : range.firstIndex * rowPx);
          placePx = scroll.topPx;
        }
      }),
    );
  });
});
