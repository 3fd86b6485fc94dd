import { expect, test } from 'vitest';
import { createOutputTail, type LastWords } from './output-tail.ts';

function tailOf(stderr: string | Uint8Array, stdout = '', env: Record<string, string> = {}): LastWords | undefined {
  const tail = createOutputTail(env);
  tail.push('stdout', Buffer.from(stdout));
  tail.push('stderr', typeof stderr === 'string' ? Buffer.from(stderr) : stderr);
  return tail.read();
}

test('W6d what a command said last is the end of its stderr, and the line that says why', () => {
  const text = 'took job 7\nTypeError: no row\n    at toRow (/srv/rows.js:12:3)\n\nNode.js v22.4.0';
  expect(tailOf(`${text}\n`, 'much on stdout\n')).toEqual({ text, line: 'TypeError: no row' });
  const python = 'Traceback (most recent call last):\n  File "a.py", line 1, in <module>\n    f()\nKeyError: 1';
  expect(tailOf(python)?.line).toBe('KeyError: 1');
  expect(
    tailOf('/a/x.js:1\nthrow 7\n^\n7\n(Use `node --trace-uncaught ...` to show where)\n\nNode.js v22.4.0')?.line,
  ).toBe('7');
  expect(tailOf('one\nsh: 1: frobnicate: not found\n')?.line).toBe('sh: 1: frobnicate: not found');
});

test('W6d of a command that says nothing on stderr the end of stdout is told, as such; of one that says nothing, nothing', () => {
  const text = '(nothing on stderr; the end of stdout:)\nok 1\nnot ok 2';
  expect(tailOf('', 'ok 1\nnot ok 2\n')).toEqual({ text, line: 'stdout ends with not ok 2' });
  expect(tailOf(' \r\n\n', '\u001b[2K\r')).toBeUndefined();
  expect(createOutputTail().read()).toBeUndefined();
});

test('W6d colours, titles, cursors and what was written over are not text; neither is any control character', () => {
  const esc = '\u001b';
  const raw = `${esc}]0;title${esc}\\${esc}[1;31merror:${esc}[0m no\u0000 room\u0007\r\n10 %\r20 %\r${esc}[Kdone${esc}(B${esc}`;
  expect(tailOf(raw)?.text).toBe('error: no room\ndone');
});

test('W6d whole lines of at most 8 KiB, cut between characters, whatever the pieces in which they came', () => {
  const lines = Array.from({ length: 9_000 }, (_, at) => `line ${at} of 😀é`);
  const whole = Buffer.from(`${lines.join('\n')}\n`);
  const tail = createOutputTail();
  for (let from = 0; from < whole.length; from += 777) tail.push('stderr', whole.subarray(from, from + 777));
  const text = tail.read()?.text ?? '';
  expect(Buffer.byteLength(text)).toBeLessThanOrEqual(8 * 1024);
  expect(Buffer.byteLength(text)).toBeGreaterThan(8 * 1024 - 60);
  const told = text.split('\n');
  expect(told[0]).toBe('…');
  expect(told.slice(1)).toEqual(lines.slice(1 - told.length));
  expect(tailOf(whole)?.text).toBe(text);
  const single = tailOf('é'.repeat(100_001))?.text ?? '';
  expect([Buffer.byteLength(single) <= 8 * 1024, /^…é{4000,}$/.test(single)]).toEqual([true, true]);
  expect(tailOf(Buffer.from([0xff, 0xc3, 0x28]))?.text).toBe('\ufffd\ufffd(');
});

test('W6d a report that is longer than what is told keeps its beginning: a panic before the stacks of all threads', () => {
  const threads = Array.from({ length: 300 }, (_, at) => `goroutine ${at} [running]:\nmain.work()\n\t/app/main.go:7`);
  const said = tailOf(`begin\nfatal error: all goroutines are asleep - deadlock!\n\n${threads.join('\n\n')}\n`);
  expect(said?.line).toBe('fatal error: all goroutines are asleep - deadlock!');
  expect(said?.text.startsWith('fatal error: all')).toBe(true);
  expect(Buffer.byteLength(said?.text ?? '')).toBeLessThanOrEqual(8 * 1024);
});

test('W6d secrets are taken out before it is cut: by their form, their name, and as the task gave them', () => {
  const env = { DB_PASSWORD: 'hunter2-hunter2', REGION: 'eu-north-1', API_TOKEN: '1234' };
  const said = tailOf(`login hunter2-hunter2 in eu-north-1 (1234)\nerror: password=topsecret rejected`, '', env);
  expect(said?.text).toBe('login [redacted: named] in eu-north-1 (1234)\nerror: password=[redacted: named] rejected');
  expect(said?.line).toBe('error: password=[redacted: named] rejected');
});

test('W6d it takes linear time, whatever is printed', () => {
  const hostile = [
    '\u001b[',
    '\u001b]',
    '\u001b[0;0',
    '\r',
    'at (',
    '    at a/',
    '-----BEGIN PRIVATE KEY-----',
    'a=',
    'eyJ.',
    '\u001bP',
  ];
  // Processor time beside that of harmless text of the same length; what is quadratic takes far longer.
  const costOf = (text: string): number => {
    const costs = Array.from({ length: 5 }, () => {
      const before = process.cpuUsage();
      tailOf(text);
      const { user, system } = process.cpuUsage(before);
      return user + system;
    });
    return Math.min(...costs);
  };
  const ofLength = (piece: string): string => piece.repeat(Math.ceil(32_768 / piece.length));
  const harmless = Math.max(costOf(ofLength('some words of a log\n')), 2_000);
  for (const piece of hostile) expect(costOf(ofLength(piece)), JSON.stringify(piece)).toBeLessThan(25 * harmless);
});
