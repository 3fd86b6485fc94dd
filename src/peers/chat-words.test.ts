import { expect, test } from 'vitest';
import { chatCommands, chatHelp, readChatLine, splitWord } from './chat-words.ts';

test('R71 a line is said as it is, and two slashes begin words with one', () => {
  expect(readChatLine('hello @bob')).toEqual({ kind: 'say', text: 'hello @bob' });
  expect(readChatLine('//etc/hosts is wrong')).toEqual({ kind: 'say', text: '/etc/hosts is wrong' });
  expect(readChatLine('  ')).toBeUndefined();
});

test('R71 a slash begins a command, with what stands behind it', () => {
  expect(readChatLine('/kick bob  lost its key ')).toEqual({
    ...{ kind: 'command', name: 'kick', rest: 'bob  lost its key' },
  });
  expect(readChatLine('/who')).toEqual({ kind: 'command', name: 'who', rest: '' });
  expect(splitWord('bob  lost its key')).toEqual(['bob', 'lost its key']);
});

test.each(['/nonsense', '/toString', '/__proto__', '/', '/ who'])(
  'R71 %j is no command, and is not said either',
  (line) => {
    expect(() => readChatLine(line)).toThrow(/there is no such command; \/help lists them/);
  },
);

test('R71 the help has every command', () => {
  for (const name of Object.keys(chatCommands)) expect(chatHelp()).toMatch(new RegExp(`^/${name}\\b`, 'm'));
});
