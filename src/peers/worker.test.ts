import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { beforeAll, expect, test } from 'vitest';
import { livingProcesses } from '../../tests/support/living-processes.ts';
import { buildTestPrograms, type TestPrograms } from '../../tests/support/test-programs.ts';

const patience = { timeout: 30_000, interval: 50 };
let programs: TestPrograms;

beforeAll(async () => {
  programs = await buildTestPrograms();
}, 60_000);

interface Line {
  readonly at: number;
  readonly subject: string;
  readonly payload: {
    readonly state?: string;
    readonly bytes?: string;
    readonly detail?: { readonly reason?: string };
  };
}

/** The program under way; `stdout` and `stderr` grow. */
function start(args: readonly string[], script = false) {
  const child = script
    ? spawn('/bin/sh', ['-c', args.join(' ')], { stdio: ['ignore', 'pipe', 'pipe'] })
    : spawn(process.execPath, [programs.worker, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  const said = { stdout: '', stderr: '' };
  child.stdout.on('data', (data) => {
    said.stdout += String(data);
  });
  child.stderr.on('data', (data) => {
    said.stderr += String(data);
  });
  const closed = new Promise<number | null>((resolve) => child.on('close', resolve));
  return { child, said, closed };
}

function linesOf(stdout: string): Line[] {
  return stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Line);
}

const sessionOf = (stdout: string): string =>
  linesOf(stdout.split('\n')[0] as string)[0]?.subject.split('.')[3] as string;

test('worker: by hand it prints each message as a line of JSON and ends with 0', async () => {
  const { said, closed } = start([
    '--workspace',
    'ws1',
    '--peer',
    'builder',
    '--cwd',
    '/',
    '--',
    'sh',
    '-c',
    'pwd; echo err >&2',
  ]);
  expect(await closed).toBe(0);
  const lines = linesOf(said.stdout);
  expect(
    lines.every(({ at, subject }) => at > 0 && /^vak\.events\.ws1\.builder-[a-z2-7]{8}-e\.\w+$/.test(subject)),
  ).toBe(true);
  expect(lines.flatMap(({ payload }) => payload.state ?? [])).toEqual(['started', 'claimed', 'done', 'ended']);
  const output = lines
    .flatMap(({ payload }) => payload.bytes ?? [])
    .map((bytes) => Buffer.from(bytes, 'base64').toString());
  expect(output).toEqual(['/\n', 'err\n']);
  expect(said.stderr).toBe('');
}, 60_000);

test('worker: a command that fails ends it with 1 and a line on stderr', async () => {
  const { said, closed } = start(['--', 'sh', '-c', 'exit 7']);
  expect(await closed).toBe(1);
  expect(said.stderr).toBe('worker: exit code 7\n');
}, 60_000);

test.each([
  [[], /command: missing; give it after "--"/],
  [['ls'], /after "--"/],
  [['--nonsense', '--', 'ls'], /--nonsense.*--help/],
  [['--peer', 'a b', '--', 'ls'], /--peer: expected 1–64/],
  [['--', ''], /command/],
])(
  'worker: bad usage %j ends it with 2 and one line that says what to do',
  async (args, words) => {
    const { said, closed } = start(args);
    expect(await closed).toBe(2);
    expect(said.stderr).toMatch(words);
    expect(said.stderr.trimEnd().split('\n')).toHaveLength(1);
    expect(said.stdout).toBe('');
  },
  60_000,
);

test('worker: --help has an example', async () => {
  const { said, closed } = start(['--help']);
  expect(await closed).toBe(0);
  expect(said.stdout).toMatch(/Example: .* -- /);
}, 60_000);

test('worker: a reader that has enough is no error and ends the command', async () => {
  const { said, closed } = start(
    [`{ '${process.execPath}' '${programs.worker}' -- yes; echo "code $?" >&2; } | head -2`],
    true,
  );
  expect(await closed).toBe(0);
  expect(said.stderr).toBe('code 0\n');
  expect(await livingProcesses(sessionOf(said.stdout))).toEqual([]);
}, 60_000);

test('worker: a reader that is slow holds the command, so the memory stays bounded', async () => {
  const { child, said, closed } = start(['--', 'yes']);
  await expect.poll(() => said.stdout, patience).toContain('"stdout"');
  child.stdout.pause();
  // Unhindered, the command prints gigabytes in that time.
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  const status = readFileSync(`/proc/${child.pid}/status`, 'utf8');
  expect(Number(/VmRSS:\s+(\d+)/.exec(status)?.[1])).toBeLessThan(200 * 1024);
  const session = sessionOf(said.stdout);
  child.stdout.destroy();
  expect(await closed).toBe(0);
  expect(await livingProcesses(session)).toEqual([]);
}, 60_000);

test.each(['SIGINT', 'SIGTERM'] as const)(
  'worker: %s ends the command and the program with 4',
  async (signal) => {
    const { child, said, closed } = start(['--', 'sh', '-c', 'echo up; sleep 300']);
    await expect.poll(() => said.stdout, patience).toContain('"stdout"');
    child.kill(signal);
    expect(await closed).toBe(4);
    expect(linesOf(said.stdout).at(-1)?.payload).toMatchObject({ state: 'ended' });
    expect(await livingProcesses(sessionOf(said.stdout))).toEqual([]);
  },
  60_000,
);
