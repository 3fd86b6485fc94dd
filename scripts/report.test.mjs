import { describe, expect, it } from 'vitest';
import { createProgress, secondsSince } from './report.mjs';

function makeStream(isTTY) {
  const written = [];
  return { isTTY, columns: 60, written, write: (text) => written.push(text) };
}

describe('createProgress', () => {
  it('writes at most a line for each tenth where there is no terminal', () => {
    const stream = makeStream(false);
    const progress = createProgress('electron', stream);
    for (let step = 0; step <= 1000; step += 1) progress.update(step / 1000, `${step} of 1000 MB`);
    progress.end();
    expect(stream.written).toHaveLength(10);
    expect(stream.written[0]).toBe('set-up  electron    10 %  100 of 1000 MB\n');
    expect(stream.written.at(-1)).toBe('set-up  electron   100 %  1000 of 1000 MB\n');
  });

  it('rewrites one line on a terminal, never wider than it, and clears it at the end', () => {
    const stream = makeStream(true);
    const progress = createProgress('electron', stream);
    progress.update(0.5, 'x'.repeat(200));
    progress.update(0.5, 'x'.repeat(200));
    progress.end();
    expect(stream.written).toHaveLength(2);
    expect(stream.written[0].replace('\r\u001b[2K', '')).toHaveLength(59);
    expect(stream.written[1]).toBe('\r\u001b[2K');
  });

  it('shows amounts without a share on a terminal', () => {
    const stream = makeStream(true);
    createProgress('electron', stream).update(undefined, '12 MB');
    expect(stream.written[0]).toContain('set-up  electron   12 MB');
  });
});

describe('secondsSince', () => {
  it('is exact below ten seconds', () => {
    expect(secondsSince(0, 430)).toBe('0.4 s');
    expect(secondsSince(0, 12_400)).toBe('12 s');
  });
});
