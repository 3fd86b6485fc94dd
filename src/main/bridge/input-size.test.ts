import { describe, expect, it } from 'vitest';
import { isVakError } from '../../shared/base/vak-error.ts';
import { checkInputSize, maxInputBytes } from './input-size.ts';

const nested = (depth: number): unknown => (depth === 0 ? 1 : [nested(depth - 1)]);

describe('input size', () => {
  it.each([
    ['a long text', 'x'.repeat(maxInputBytes)],
    ['many bytes', new Uint8Array(maxInputBytes + 1)],
    ['long keys', { ['k'.repeat(maxInputBytes)]: 1 }],
    ['many parts', Array.from({ length: 100_001 }, () => 0)],
    ['deep nesting', nested(40)],
    ['a map', new Map()],
  ])('refuses %s', (_what, input) => {
    try {
      checkInputSize('swarm.run', input);
      expect.unreachable();
    } catch (error) {
      expect(isVakError(error, 'limit-exceeded')).toBe(true);
      expect((error as Error).message).toMatch(/^swarm\.run: the input is /);
      expect((error as Error).message.length).toBeLessThan(200);
    }
  });

  it('R65 a file may be pasted whole, in the call that takes one and in no other', () => {
    const file = { name: 'a.png', data: 'x'.repeat(22_400_000) };
    expect(() => checkInputSize('rooms.attachBytes', file)).not.toThrow();
    expect(() => checkInputSize('rooms.send', file)).toThrow(/larger than 2 MiB/);
    expect(() => checkInputSize('rooms.attachBytes', [file, file])).toThrow(/larger than 44 MiB/);
  });

  it.each([
    ['text', 'x'.repeat(1_000_000)],
    ['bytes', new Uint8Array(1_000_000)],
    ['nothing', undefined],
    ['a task', { command: ['ls'], env: { A: 'b' } }],
  ])('lets %s through', (_what, input) => {
    expect(() => checkInputSize('swarm.run', input)).not.toThrow();
  });
});
