import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { afterAll, expect, test } from 'vitest';
import { createSystemClock } from '../../engine/ports/clock.ts';
import { createSilentLogger } from '../../engine/ports/logger.ts';
import { createSystemRandomness } from '../../engine/ports/randomness.ts';
import type { CliHost } from './command.ts';
import { commandTable } from './command-table.ts';
import { createOutput } from './output.ts';
import { runCommandLine } from './run-command-line.ts';

const folder = mkdtempSync(join(tmpdir(), 'vak-read-only-'));
const contexts = { look: { kind: 'remote', url: 'nats://127.0.0.1:9', readOnly: true } };
writeFileSync(join(folder, 'settings.json'), JSON.stringify({ contexts, currentContext: 'look' }));
afterAll(() => rmSync(folder, { recursive: true }));

/** What stands behind the words of each command that changes the bus, so that nothing else is wrong with the line. */
const lines: Readonly<Record<string, readonly string[]>> = {
  'approvals approve': ['0197a3c0-0000-7000-8000-000000000001'],
  'approvals deny': ['0197a3c0-0000-7000-8000-000000000001', '--reason', 'no'],
  chat: [],
  'dlq archive': ['7', '--reason', 'no'],
  'dlq cancel': ['0197a3c0-0000-7000-8000-000000000001', '--reason', 'no'],
  'dlq edit': ['7', '--data', '/none', '--reason', 'no'],
  'dlq export': ['7', '--out', '/none', '--reason', 'no'],
  'dlq restore': ['7', '--reason', 'no'],
  'dlq retry': ['7', '--reason', 'no'],
  'dlq-supervisor': [],
  membershipd: [],
  'outbox send': [],
  provision: [],
  publish: ['vak.events.default.self.tokens'],
  'queues pause': ['q'],
  'queues resume': ['q'],
  'room close': ['Deploys'],
  'room create': ['Deploys'],
  'room get-file': ['Deploys', '0197a3c0-0000-7000-8000-000000000001'],
  'room invite': ['Deploys', 'bob'],
  'room join': ['Deploys'],
  'room kick': ['Deploys', 'bob'],
  'room leave': ['Deploys'],
  'room log': ['Deploys'],
  'room ls': [],
  'room role': ['Deploys', 'bob', 'moderator'],
  'room rotate': ['Deploys'],
  'room send': ['Deploys', 'hello'],
  'room send-file': ['Deploys', '/none'],
  'room tail': ['Deploys'],
  'room topic': ['Deploys', '--topic', 'x'],
  'task submit': ['--queue', 'q', '--', 'true'],
  worker: ['--queue', 'q'],
};

/** A machine on which nothing may be asked for: no key store is opened, no passphrase and no input read. */
function prepare() {
  const said: string[] = [];
  const stderr = new Writable({
    write(chunk, _encoding, done) {
      said.push(String(chunk));
      done();
    },
  });
  const never = (): never => {
    throw new TypeError('nothing is asked for where all is refused');
  };
  const host = {
    ...{ clock: createSystemClock(), randomness: createSystemRandomness(), logger: createSilentLogger() },
    ...{ environment: { VAK_PASSPHRASE_FILE: '/none' }, platform: 'linux', homeFolder: '/none', version: '0' },
    vault: { backend: () => ({ name: 'none', isReal: false }), wrap: never, unwrap: never },
    terminal: { isInteractive: false, ask: never, readAll: never },
    output: createOutput(new Writable({ write: (_chunk, _encoding, done) => done() }), stderr),
    signal: new AbortController().signal,
    selfTest: () => ({ ok: true, failed: [] }),
    input: never,
  } as unknown as CliHost;
  return { host, said };
}

const changing = commandTable.filter(({ changes }) => changes === 'bus').map(({ words }) => words.join(' '));

test('B10 vak: every command that changes the bus is known to the test, and none claims to change nothing that publishes', () => {
  expect(changing.toSorted()).toEqual(Object.keys(lines).toSorted());
  // What runs until a signal works on the bus, but for one that only listens.
  const services = commandTable.filter(({ isService }) => isService === true).map(({ words }) => words.join(' '));
  expect(services.filter((name) => !changing.includes(name))).toEqual([]);
});

test.each(changing)('B10 vak %s: in a read-only context it is refused before anything is opened', async (name) => {
  const { host, said } = prepare();
  const args = [...name.split(' '), '--profile', folder, ...(lines[name] ?? [])];
  const [before, after] = args.includes('--')
    ? [args.slice(0, args.indexOf('--')), args.slice(args.indexOf('--'))]
    : [args, []];
  const code = await runCommandLine([...before, ...after], commandTable, host);
  expect(said.join('')).toBe(
    `vak: ${name}: the context "look" is read-only; use another one, or set its readOnly to false\n`,
  );
  expect(code).toBe(1);
});

test('vak: an option takes a value in every command that has it, or in none: a line is looked over before its command is known', () => {
  const takers = new Map<string, Set<boolean>>();
  for (const { options } of commandTable)
    for (const [name, { value }] of Object.entries(options))
      takers.set(name, (takers.get(name) ?? new Set()).add(value !== undefined));
  expect([...takers].filter(([, ways]) => ways.size > 1).map(([name]) => name)).toEqual([]);
});
