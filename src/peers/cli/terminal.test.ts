import { EventEmitter } from 'node:events';
import { expect, test } from 'vitest';
import { toText } from '../../shared/base/bytes.ts';
import { createTerminal, type TerminalInput } from './terminal.ts';

/** A terminal's stdin, by hand. */
function fakeTerminal(isTTY = true) {
  const events = new EventEmitter();
  const shown: string[] = [];
  const modes: boolean[] = [];
  const interruption = new AbortController();
  const calls = { resume: () => events, pause: () => events };
  const raw = isTTY ? { isTTY, setRawMode: (isRaw: boolean) => modes.push(isRaw) } : {};
  const input = Object.assign(events, calls, raw) as unknown as TerminalInput;
  const { signal } = interruption;
  const terminal = createTerminal({ input, show: (text) => shown.push(text), signal });
  const chunks: Buffer[] = [];
  return {
    ...{ terminal, shown, modes, chunks, interrupt: () => interruption.abort() },
    type(text: string): void {
      const chunk = Buffer.from(text);
      chunks.push(chunk);
      events.emit('data', chunk);
    },
    end: () => events.emit('end'),
    listenerCount: () => events.eventNames().length,
  };
}

const shownText = (secret: { reveal(): Uint8Array }): string => toText(secret.reveal());

test.each([
  ['plain\r', 'plain'],
  ['plain\nrest', 'plain'],
  ['wrong\x15right\r', 'right'],
  ['ab\x7fc\x08d\r', 'ad'],
  ['aé\x7fb\r', 'ab'],
  ['\x7f\x7f€\x7fx\r', 'x'],
  ['end\x04', 'end'],
  ['\r', ''],
])('I3 vak: of %j typed at a question the line is %j, and nothing is echoed', async (typed, line) => {
  const { terminal, shown, modes, type, chunks, listenerCount } = fakeTerminal();
  const asked = terminal.ask('Passphrase');
  type(typed);
  expect(shownText(await asked)).toBe(line);
  expect(shown).toEqual(['Passphrase: ', '\n']);
  expect(modes).toEqual([true, false]);
  expect(listenerCount()).toBe(0);
  expect(chunks.every((chunk) => chunk.every((byte) => byte === 0))).toBe(true);
});

test('vak: a line comes in pieces', async () => {
  const { terminal, type } = fakeTerminal();
  const asked = terminal.ask('Passphrase');
  for (const key of ['a', 'b', '\x7f', 'c', '\r']) type(key);
  expect(shownText(await asked)).toBe('ac');
});

test.each([
  ['Ctrl-C', (fake: ReturnType<typeof fakeTerminal>) => fake.type('abc\x03')],
  ['Ctrl-D on an empty line', (fake: ReturnType<typeof fakeTerminal>) => fake.type('\x04')],
  ['a signal', (fake: ReturnType<typeof fakeTerminal>) => fake.interrupt()],
  ['the end of the terminal', (fake: ReturnType<typeof fakeTerminal>) => fake.end()],
])('vak: %s at a question is `aborted`, and the terminal echoes again', async (_, act) => {
  const fake = fakeTerminal();
  const asked = fake.terminal.ask('Passphrase');
  act(fake);
  await expect(asked).rejects.toMatchObject({ code: 'aborted' });
  expect(fake.modes).toEqual([true, false]);
  expect(fake.listenerCount()).toBe(0);
});

test('vak: after a signal nothing is asked any more', async () => {
  const fake = fakeTerminal();
  fake.interrupt();
  await expect(fake.terminal.ask('Passphrase')).rejects.toMatchObject({ code: 'aborted' });
});

test('I3 vak: a pipe is read to its end, within a bound', async () => {
  const fake = fakeTerminal(false);
  expect(fake.terminal.isInteractive).toBe(false);
  const whole = fake.terminal.readAll('KEY');
  fake.type('one\n');
  fake.type('two\n');
  fake.end();
  expect(shownText(await whole)).toBe('one\ntwo');
  const empty = fakeTerminal(false);
  const nothing = empty.terminal.readAll('KEY');
  empty.end();
  await expect(nothing).rejects.toMatchObject({ code: 'invalid-input', message: 'KEY: it is empty' });
  const flood = fakeTerminal(false);
  const much = flood.terminal.readAll('KEY');
  flood.type('x'.repeat(64 * 1024 + 1));
  await expect(much).rejects.toMatchObject({ code: 'limit-exceeded' });
});
