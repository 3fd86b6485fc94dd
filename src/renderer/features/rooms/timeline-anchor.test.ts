import { describe, expect, it } from 'vitest';
import { anchorAmong, isAtEnd } from './timeline-anchor.ts';

const boxes = [
  { key: 'd:1', topPx: 0, heightPx: 20 },
  { key: 'm:a', topPx: 20, heightPx: 400 },
  { key: 'unread', topPx: 420, heightPx: 20 },
  { key: 'm:b', topPx: 440, heightPx: 60 },
];

describe('where a timeline stays', () => {
  it('holds on to the first message that begins in sight', () => {
    expect(anchorAmong(boxes, 0)).toEqual({ key: 'm:a', offsetPx: 20 });
    expect(anchorAmong(boxes, 100)).toEqual({ key: 'm:b', offsetPx: 340 });
  });

  it('holds on to one that is longer than what is in sight', () => {
    expect(anchorAmong(boxes, 470)).toEqual({ key: 'm:b', offsetPx: -30 });
    expect(anchorAmong(boxes.slice(0, 1), 0)).toBeUndefined();
  });

  it('is at the end within a part of a line', () => {
    expect(isAtEnd({ scrollTop: 92, scrollHeight: 200, clientHeight: 100 })).toBe(true);
    expect(isAtEnd({ scrollTop: 80, scrollHeight: 200, clientHeight: 100 })).toBe(false);
  });
});
