import { type ChildProcess, fork } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { expect, test } from 'vitest';
import { json, oneLine, prepareVak, sampleJwt } from '../../../tests/support/vak-program.ts';
import { createNkeySeed } from '../../engine/identity/nkey.ts';
import { createSystemRandomness } from '../../engine/ports/randomness.ts';
import { profileFiles } from '../../engine/settings/profile-files.ts';
import { toText } from '../../shared/base/bytes.ts';
import type { CliHost } from './command.ts';
import { commandTable } from './command-table.ts';
import { createOutput } from './output.ts';
import { runCommandLine } from './run-command-line.ts';

const randomness = createSystemRandomness();
const program = prepareVak();
const { vak, newSelf, start } = program;

test('I3 vak: a secret among the arguments is exit 2 and is not repeated', async () => {
  const seed = toText(createNkeySeed(randomness).reveal());
  const calls = [
    ['config', 'set', 'look.theme', seed],
    ['id', 'show', '--identity', seed],
    [seed],
    ['help', seed],
    ['id', 'show', `--json=${seed}`],
    ['config', 'set', 'note', sampleJwt],
    ['config', 'set', 'natsUrl', 'nats://user:canary-word@host'],
    ['id', 'new', '--passphrase', 'canary-word'],
    ['id', 'new', '--passphrase=canary-word'],
    ['id', 'new', '--seed', 'canary-word'],
    ['config', 'bus', 'set', 'VAK_BUS_NATS_NKEY_SEED', 'canary-word'],
    ['config', 'set', 'VAK_WORKSPACE_SECRET', 'canary-word'],
    ['VAK_WORKSPACE_SECRET=canary-word', 'id', 'show'],
    ['id', 'show', '-----BEGIN PRIVATE KEY-----\ncanary-word'],
  ];
  for (const args of calls) {
    const ran = await vak(args);
    expect(ran, args.join(' ')).toEqual({ code: 2, stdout: '', stderr: oneLine(/.*no secret is taken|.*is a secret/) });
  }
  expect(program.printed()).not.toMatch(/canary-word|\bSU[A-Z2-7]{20}|eyJ/);
  expect(existsSync(program.profile)).toBe(false);
}, 60_000);

test.each([
  [[], /command: missing/],
  [['nothing'], /command: there is none of this name/],
  [['id', 'nothing'], /vak id: no such command below it. It has new, show, card, backup, restore; see vak id --help/],
  [['envelope'], /vak envelope: which of its commands\? It has seal, open, verify, convert; see vak envelope --help/],
  [['chain'], /vak chain: which of its commands\? It has verify, prove, check/],
  [['acl', 'x'], /vak acl: no such command below it. It has explain/],
  [['config', 'bus'], /vak config bus: which of its commands\? It has get, set, delete; see vak config bus --help/],
  [['id', 'restore', '/no/such/file'], /FILE: cannot read \/no\/such\/file: there is no such file/],
  [['id', 'show', '--nothing'], /vak id show: Unknown option '--nothing'/],
  [['id', 'show', 'extra'], /vak id show: 1 argument\(s\) too many/],
  [['id', 'backup'], /vak id backup: FILE is missing/],
  [['config', 'set', 'look.theme'], /vak config set: VALUE is missing/],
  [['config', 'set', 'look.theme', 'pink'], /look\.theme: found string of 4 characters/],
  [['config', 'bus', 'set', 'look.theme', 'dark'], /look\.theme: is no bus setting/],
  [['id', 'show', '--workspace', 'a b'], /--workspace: /],
  [['id', 'show', '--identity', ''], /--identity: /],
  [['id', 'show', '--profile', ''], /--profile: is empty/],
  [['id', 'show', '--context', 'none'], /--context: there is none/],
  [['id', 'new', '--kind', 'cat'], /--kind: found 3 characters, allowed: human, bot, process/],
  [['grant', 'add', 'b', '--sign', 'UABC', '--role', 'worker'], /--sign: found 4 characters/],
  [['grant', 'add', 'b', '--sign', `U${'A'.repeat(55)}`], /--role: missing/],
  [['grant', 'add', 'b', '--sign', `U${'A'.repeat(55)}`, '--role', 'king'], /--role: there is no such role/],
  [['grant', 'add', 'b', '--sign', `U${'A'.repeat(55)}`, '--role', 'bot', '--until', 'soon'], /--until: no ISO time/],
])('vak: bad usage %j is exit 2 and one line that says what, where and what to do', async (args, text) => {
  expect(await vak(args)).toEqual({ code: 2, stdout: '', stderr: oneLine(text) });
});

test.each([
  [['config', 'get', 'no.such'], /no\.such: there is no such setting/],
  [['config', 'delete', 'no.such'], /no\.such: is not in the settings/],
  [['id', 'show'], /there is no key store in this profile/],
  [['grant', 'add', 'b', '--role', 'worker'], /there is no key store in this profile/],
])('vak: %j is checked, and the answer is no: exit 1', async (args, text) => {
  expect(await vak(args)).toEqual({ code: 1, stdout: '', stderr: oneLine(text) });
});

async function when(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await new Promise((resolve) => setTimeout(resolve, 5));
}

/** Resolves when the program waits for its standard input: its event loop watches descriptor 0 (Linux). */
async function whenReadingInput({ pid }: ChildProcess): Promise<void> {
  const folder = `/proc/${pid}/fdinfo`;
  await when(() => {
    try {
      return readdirSync(folder).some((fd) => /^tfd:\s+0 /m.test(readFileSync(`${folder}/${fd}`, 'utf8')));
    } catch {
      // A descriptor was closed between listing and reading.
      return false;
    }
  });
}

test.each(['SIGINT', 'SIGTERM'] as const)(
  'vak: %s while it waits for input is exit 4',
  async (signal) => {
    await newSelf();
    const ran = vak(['config', 'bus', 'set', 'VAK_BUS_NATS_NKEY_SEED'], {
      isInputOpen: true,
      onStart: (child) => void whenReadingInput(child).then(() => child.kill(signal)),
    });
    expect(await ran).toEqual({ code: 4, stdout: '', stderr: oneLine(/interrupted/) });
  },
  60_000,
);

test('vak: a signal while it writes lets the write finish', async () => {
  const file = profileFiles(program.profile).keyStore;
  const ran = await vak(['id', 'new'], {
    onStart: (child) => void when(() => existsSync(file)).then(() => child.kill('SIGTERM')),
  });
  // It ends by itself, whole: interrupted, or done before the signal came.
  expect([0, 4]).toContain(ran.code);
  const after = await vak(['id', 'show']);
  if (after.code !== 0) expect((await vak(['id', 'new'])).code).toBe(0);
}, 60_000);

test('vak: output that is closed early is no error', async () => {
  const command = `'${process.execPath}' '${program.programs.vak}' --profile '${program.profile}'`;
  for (const call of ['config get', 'help', 'config set --help', 'self-test']) {
    for (const reader of ['head -n 1', ':']) {
      const script = `{ ${command} ${call}; echo "code $?" >&2; } | ${reader}`;
      const { stderr } = await start('/bin/sh', ['-c', script], {});
      expect(stderr, `${call} | ${reader}`).toBe('code 0\n');
    }
  }
}, 60_000);

test('vak: output that cannot be written is exit 1 and one line, whole or in part', async () => {
  const command = `'${process.execPath}' '${program.programs.vak}' --profile '${program.profile}'`;
  const file = join(program.folder, 'cut');
  writeFileSync(join(program.folder, 'plain.json'), '{}');
  const stdin = `< '${join(program.folder, 'plain.json')}'`;
  for (const call of ['help', 'config get', `envelope verify ${stdin}`, `chain verify ${stdin}`]) {
    mkdirSync(program.profile, { recursive: true });
    const full = await start('/bin/sh', ['-c', `${command} ${call} > /dev/full`]);
    expect(full, call).toEqual({ code: 1, stdout: '', stderr: oneLine(/stdout: cannot be written \(ENOSPC\)/) });
  }
  // A disk that is full in the middle of a write takes a part of it, without an error.
  const cut = await start('/bin/sh', ['-c', `ulimit -f 1; ${command} help > '${file}'`]);
  expect(cut).toEqual({ code: 1, stdout: '', stderr: oneLine(/stdout: cannot be written \(EFBIG\)/) });
  expect((await start('/bin/sh', ['-c', `${command} help > '${file}'`])).code).toBe(0);
  expect(readFileSync(file, 'utf8')).toBe((await vak(['help'])).stdout);
}, 60_000);

test('vak: a folder as stdin is said to be one', async () => {
  await newSelf();
  const command = `'${process.execPath}' '${program.programs.vak}' --profile '${program.profile}'`;
  const calls = ['envelope open', 'envelope verify', 'envelope seal', 'envelope convert --to vak-rs', 'chain verify'];
  for (const call of [...calls, 'config bus set VAK_BUS_NATS_NKEY_SEED']) {
    const ran = await start('/bin/sh', ['-c', `${command} ${call} < '${program.folder}'`]);
    expect(ran, call).toEqual({ code: 2, stdout: '', stderr: oneLine(/stdin: is a folder/) });
  }
}, 60_000);

/** What a stream is given, as text. */
function keepText(): { readonly stream: Writable; text(): string } {
  let text = '';
  const stream = new Writable({
    write(chunk, _encoding, done) {
      text += String(chunk);
      done();
    },
  });
  return { stream, text: () => text };
}

/** What a call for help prints, without starting the program: nothing of its host is asked but somebody who reads. */
async function helpOf(...args: string[]): Promise<string> {
  const [stdout, stderr] = [keepText(), keepText()];
  const { signal } = new AbortController();
  const output = createOutput(stdout.stream, stderr.stream);
  const code = await runCommandLine(args, commandTable, { environment: {}, output, signal } as unknown as CliHost);
  expect({ code, stderr: stderr.text() }, args.join(' ')).toEqual({ code: 0, stderr: '' });
  return stdout.text();
}

test('vak: every command has help with an example that names it, and group help lists it', async () => {
  const whole = (await vak(['help'])).stdout;
  expect(await helpOf('help')).toBe(whole);
  for (const { words } of commandTable) {
    const call = words.join(' ');
    const asked = await helpOf(...words, '--help');
    expect(await helpOf('help', ...words)).toBe(asked);
    expect(asked).toContain(`Usage: vak ${call}`);
    expect(asked.split('Example:\n')[1]).toContain(`vak ${call}`);
    expect(whole).toContain(`vak ${call}`);
  }
  for (const args of [
    ['id', 'new', '--help'],
    ['help', 'id', 'new'],
    ['grant', '--help'],
  ])
    expect(await vak(args)).toEqual({ code: 0, stdout: await helpOf(...args), stderr: '' });
  expect((await vak(['grant', '--help'])).stdout).toMatch(/vak grant add PEER[\s\S]*vak grant revoke PEER/);
  expect((await vak(['config', 'bus', '-h'])).stdout).not.toContain('vak id new  ');
  expect((await vak(['--version'])).stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
}, 60_000);

test('vak: without --profile it is the folder of the app', async () => {
  const base = join(program.folder, 'config');
  const environment = { XDG_CONFIG_HOME: base };
  const ran = await start(process.execPath, [program.programs.vak, 'config', 'set', 'look.theme', 'dark'], {
    environment,
  });
  expect(ran.code).toBe(0);
  const found = readdirSync(program.folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('settings.json'),
  );
  expect(found).toEqual([expect.stringMatching(/Vak Workbench[/\\]settings\.json$/)]);
});

test('vak: where the self-test fails nothing opens, and the reason is shown', async () => {
  const broken = join(program.folder, 'broken.mjs');
  writeFileSync(
    broken,
    `import crypto from 'node:crypto';
     import { syncBuiltinESMExports } from 'node:module';
     crypto.hkdfSync = () => new ArrayBuffer(32);
     syncBuiltinESMExports();`,
  );
  const environment = { NODE_OPTIONS: `--import ${broken}` };
  for (const args of [
    ['id', 'new'],
    ['config', 'set', 'look.theme', 'dark'],
    ['grant', 'ls'],
  ]) {
    expect(await vak(args, { environment })).toEqual({
      code: 1,
      stdout: '',
      stderr: oneLine(/.*self-test \(.*HKDF.*nothing was opened/),
    });
  }
  expect(existsSync(program.profile)).toBe(false);
  const { code, stdout } = await vak(['self-test', '--json'], { environment });
  expect([code, json(stdout)]).toEqual([
    1,
    { ok: false, failed: expect.arrayContaining([expect.stringMatching(/HKDF/)]) },
  ]);
  expect(await vak(['self-test', '--json'])).toEqual({ code: 0, stdout: '{"ok":true,"failed":[]}\n', stderr: '' });
  const worker = await start(process.execPath, [program.programs.worker, '--', 'true'], { environment });
  expect(worker).toMatchObject({ code: 1, stdout: '', stderr: expect.stringMatching(/^worker: .*self-test/) });
  const forked = fork(program.programs.worker, [], { execArgv: ['--import', broken], stdio: 'pipe' });
  const frames: unknown[] = [];
  forked.on('message', (frame) => frames.push(frame));
  forked.send({ kind: 'configure', workspace: 'ws', peer: 'p', session: 'p-abcdefgh-e' });
  expect(await new Promise((resolve) => forked.on('close', resolve))).toBe(1);
  expect(frames).toEqual([{ kind: 'refused', reason: expect.stringMatching(/self-test/) }]);
}, 60_000);
