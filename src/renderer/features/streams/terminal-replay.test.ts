import { expect, test } from 'vitest';
import { createTerminalReplay, maxOutputLength } from './terminal-replay.ts';

function setUp() {
  let screen = '';
  const written: string[] = [];
  const waiting: (() => void)[] = [];
  const replay = createTerminalReplay(
    {
      write(text, onTaken) {
        written.push(text);
        waiting.push(() => {
          screen += text;
          onTaken();
        });
      },
      clear(onTaken) {
        written.push('clear');
        waiting.push(() => {
          screen = '';
          onTaken();
        });
      },
    },
    () => {},
  );
  const parse = (): string => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) next();
    return screen;
  };
  return { replay, written, parse };
}

test('live output is written as it comes, in one piece a turn', () => {
  const { replay, written, parse } = setUp();
  replay.add('a', 10);
  replay.add('b', 20);
  replay.show(undefined);
  expect(replay.isTaken).toBe(false);
  expect([parse(), written, replay.isTaken]).toEqual(['ab', ['ab'], true]);
});

test('the screen is what it was at the cursor: forward by what is new, backward anew', () => {
  const { replay, written, parse } = setUp();
  for (const [at, text] of [...'abcd'].entries()) replay.add(text, at * 10);
  replay.show(undefined);
  parse();
  replay.show(10);
  expect(parse()).toBe('ab');
  replay.show(20);
  expect(parse()).toBe('abc');
  replay.add('e', 50);
  replay.show(20);
  expect(parse()).toBe('abc');
  replay.show(undefined);
  expect(parse()).toBe('abcde');
  expect(written).toEqual(['abcd', 'clear', 'ab', 'c', 'de']);
});

test('while the terminal is being filled only the last wish counts', () => {
  const { replay, written, parse } = setUp();
  for (const [at, text] of [...'abcd'].entries()) replay.add(text, at * 10);
  replay.show(undefined);
  parse();
  for (const atMs of [20, 10, 0]) replay.show(atMs);
  expect(parse()).toBe('a');
  expect(written).toEqual(['abcd', 'clear', 'a']);
});

test('what is kept is bounded; output that gave way is shown live, and counted', () => {
  const { replay, parse } = setUp();
  const piece = 'x'.repeat(maxOutputLength / 4);
  for (let at = 0; at < 6; at++) {
    replay.add(piece, at);
    replay.show(undefined);
  }
  expect(parse()).toHaveLength(piece.length * 6);
  expect(replay.forgottenLength).toBe(piece.length * 2);
  replay.show(2);
  expect(parse()).toHaveLength(piece.length);
  replay.show(undefined);
  expect(parse()).toHaveLength(piece.length * 4);
});
