import { execFileSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { natsGet, natsPublish } from './nats-command.ts';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
let folder: string;
/** A program of the name `nats` that tells its arguments and what came on its standard input, in base64. */
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'vak-nats-command-'));
  const told = `#!/bin/sh\nfor one in "$@"; do printf %s "$one" | base64 -w0; echo; done\ncase "$*" in *--force-stdin*) base64 -w0 ;; esac\n`;
  writeFileSync(join(folder, 'nats'), told);
  chmodSync(join(folder, 'nats'), 0o755);
});
afterAll(() => rmSync(folder, { recursive: true }));

/** What a shell gives the program: its arguments, and its standard input where it reads that. */
function given(line: string): readonly Buffer[] {
  const told = execFileSync('sh', ['-s'], {
    input: `PATH='${folder}':$PATH\n${line}\n`,
    maxBuffer: 1 << 26,
  }).toString();
  return told.split('\n').map((one) => Buffer.from(one, 'base64'));
}

const hostile = 'it\'s $(reboot) `id` "x" \\n !! ; rm -rf / & > f | cat';
const random = Uint8Array.from({ length: 500_000 }, (_, at) => (at * 2_654_435_761) >>> 24);

it.each([
  ['digits beyond 53 bits', bytes('{"a":9007199254740993,"b":-7210194211959421178,"c":1e400}')],
  ['what a shell would run', bytes(hostile)],
])('V7 %s goes as an argument, byte for byte', (_name, payload) => {
  const line = natsPublish('vak.work.acme.q.task', payload);
  expect(given(line).slice(0, 3)).toEqual([
    ...['pub', 'vak.work.acme.q.task'].map((one) => Buffer.from(one)),
    Buffer.from(payload),
  ]);
});

it.each([
  ['a lone surrogate, as WTF-8', Uint8Array.of(0x22, 0xed, 0xa0, 0x80, 0x22)],
  ['NUL', bytes('a\0b')],
  ['what a terminal obeys', bytes('\x1b[201~\nrm -rf /\n')],
  ['right-to-left override', bytes('a\u202eb')],
  ['a template', bytes('{"x":"{{Random 1 2}}"}')],
  ['an option', bytes('--help')],
  ['a file of options', bytes('@/etc/passwd')],
  ['nothing', new Uint8Array()],
  ['500 000 random bytes', random],
])('V7 %s goes through the standard input, byte for byte', (_name, payload) => {
  const line = natsPublish("odd 'subject'", payload);
  expect(line).toMatch(/^[\x20-\x7e]+$/);
  const [verb, option, subject, body] = given(line);
  expect([verb, option, subject].map(String)).toEqual(['pub', '--force-stdin', "odd 'subject'"]);
  expect(body?.equals(Buffer.from(payload))).toBe(true);
});

it('V7 a message of a stream is read by its place', () => {
  expect(natsGet('VAK_DLQ_acme', 17)).toBe('nats stream get VAK_DLQ_acme 17');
});
