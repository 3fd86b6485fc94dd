import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { plainFields, sealedFields, goldenSecret as secret } from '../../../tests/support/golden-message.ts';
import { oneLine, prepareVak } from '../../../tests/support/vak-program.ts';

const program = prepareVak({ isSelfShared: true });
const { vak, start, newSelf, secretFile } = program;

// A profile that is named must be there.
beforeEach(() => mkdirSync(program.profile));

const bare = { VAK_PASSPHRASE_FILE: undefined };
const withSecret = { ...bare, VAK_WORKSPACE_SECRET: secret };
const [plain, sealed] = [JSON.stringify(plainFields), JSON.stringify(sealedFields)];

test('E2 vak envelope: nothing, too much or several values on stdin is exit 2 with one line', async () => {
  const inputs: [string, RegExp][] = [
    ['', /stdin: is empty/],
    [' \n\n', /stdin: is empty/],
    [`${plain}\n${plain}`, /stdin: something follows the first JSON value/],
    [`${plain}{}`, /stdin: something follows the first JSON value/],
    ['x'.repeat(1_048_577), /stdin: more than 1048576 bytes/],
    [`${plain}${' '.repeat(1_100_000)}`, /stdin: more than 1048576 bytes/],
  ];
  for (const words of [['open'], ['verify'], ['seal'], ['convert', '--to', 'vak-rs']]) {
    for (const [stdin, text] of inputs) {
      const ran = await vak(['envelope', ...words], { environment: withSecret, stdin });
      expect(ran, words[0]).toEqual({ code: 2, stdout: '', stderr: oneLine(text) });
    }
  }
  for (const alias of ['key_v1', '=env', 'key_v1=', 'key_v1=a.b', 'a b=env', 'a=b=c']) {
    const ran = await vak(['envelope', 'open', '--alias', alias], { environment: withSecret, stdin: sealed });
    expect(ran, alias).toEqual({ code: 2, stdout: '', stderr: oneLine(/--alias: expected KEYID=ID/) });
  }
}, 120_000);

test('E2 vak envelope, chain: a line that holds an envelope is told from one that is forged, exit 2', async () => {
  const why = /this is not an envelope, its field envelope is: give that alone \(jq -c \.envelope\)/.source;
  const viewed = `{"stream":"S","seq":1,"envelope":${plain}}`;
  const opened = `{"subject":"s","envelope":${sealed},"payload":null,"trust":{"signature":"valid"}}`;
  for (const stdin of [viewed, opened]) {
    for (const words of [['verify'], ['open'], ['convert', '--to', 'cloudevents']]) {
      const ran = await vak(['envelope', ...words], { environment: withSecret, stdin });
      expect(ran, words[0]).toEqual({ code: 2, stdout: '', stderr: oneLine(new RegExp(`stdin: ${why}`)) });
    }
    const chain = await vak(['chain', 'verify'], { environment: bare, stdin: `\n${stdin}\n${stdin}\n` });
    expect(chain).toEqual({ code: 2, stdout: '', stderr: oneLine(new RegExp(`line 2: ${why}`)) });
  }
  // Among envelopes it is a line that does not belong there, and what follows is judged all the same.
  const mixed = await vak(['chain', 'verify'], { environment: bare, stdin: `${plain}\n${viewed}\n` });
  expect([mixed.code, mixed.stderr]).toEqual([1, '']);
  expect(mixed.stdout).toMatch(new RegExp(`^2  malformed  line 2: ${why}$`, 'm'));
  // What says that it is an envelope is judged as one.
  const posing = `{"specversion":"1.0","envelope":${plain}}`;
  const verdict = await vak(['envelope', 'verify'], { environment: bare, stdin: posing });
  expect([verdict.code, verdict.stderr, verdict.stdout]).toEqual([1, '', expect.stringContaining('"ok":false')]);
}, 120_000);

test('E6 vak envelope: output closed early is no error', async () => {
  const file = join(program.folder, 'sealed.json');
  writeFileSync(file, sealed);
  const command = `'${process.execPath}' '${program.programs.vak}' --profile '${program.profile}' envelope`;
  for (const call of ['open --alias key_v1=env', 'verify', 'convert --to cloudevents', 'seal --help']) {
    const script = `{ ${command} ${call} < '${file}'; echo "code $?" >&2; } | :`;
    expect((await start('/bin/sh', ['-c', script], { environment: withSecret })).stderr, call).toBe('code 0\n');
  }
}, 60_000);

test('E6 vak envelope: what is named and not there is exit 2, a profile and the file of its passphrase', async () => {
  const missing = { VAK_PASSPHRASE_FILE: join(program.folder, 'none') };
  const calls = [['verify'], ['open'], ['seal']];
  for (const words of calls) {
    const ran = await vak(['envelope', ...words], { environment: { ...withSecret, ...missing }, stdin: plain });
    expect(ran, words[0]).toEqual({
      code: 2,
      stdout: '',
      stderr: oneLine(/VAK_PASSPHRASE_FILE: there is no such file/),
    });
  }
  await newSelf();
  expect(await vak(['envelope', 'verify'], { environment: missing, stdin: plain })).toMatchObject({ code: 2 });
  program.switchProfile('none');
  for (const words of calls) {
    const ran = await vak(['envelope', ...words], { environment: withSecret, stdin: plain });
    expect(ran, words[0]).toEqual({ code: 2, stdout: '', stderr: oneLine(/--profile: there is no such folder/) });
  }
}, 60_000);

test('I3 vak envelope: a secret that the program knows is refused as an argument, and is not repeated', async () => {
  const calls = [
    ['open', '--alias', `${secret}=env`],
    ['open', '--alias', `key_v1=${secret}`],
    ['seal', '--secret', secret],
    ['seal', `--sign-as=x${secret}x`],
    ['verify', secret],
    ['convert', '--to', secret],
  ];
  const file = secretFile('workspace-secret', `${secret}\n`);
  for (const words of calls) {
    const ran = await vak(['envelope', ...words], { environment: withSecret, stdin: plain });
    expect(ran, words.join(' ')).toEqual({
      code: 2,
      stdout: '',
      stderr: oneLine(/argument \d+ holds the value of VAK_WORKSPACE_SECRET: no secret is taken/),
    });
  }
  const fromFile = { ...bare, VAK_WORKSPACE_SECRET_FILE: file };
  const sealing = await vak(['envelope', 'seal', '--secret', secret], { environment: fromFile, stdin: plain });
  expect(sealing).toMatchObject({
    code: 2,
    stdout: '',
    stderr: oneLine(/argument \d+ holds the value of VAK_WORKSPACE_SECRET/),
  });
  await vak(['config', 'set', 'workspaceSecretEnv', 'MY_OWN']);
  for (const words of [
    ['config', 'set', 'note', secret],
    ['envelope', 'seal', '--secret', secret],
  ]) {
    const ran = await vak(words, { environment: { ...bare, MY_OWN: secret }, stdin: plain });
    expect(ran).toEqual({ code: 2, stdout: '', stderr: oneLine(/argument \d+ holds the value of MY_OWN/) });
  }
  // A short one counts where it is the whole of an argument or of one side of "=".
  const short = { environment: { ...bare, VAK_WORKSPACE_SECRET: 'key' }, stdin: sealed };
  expect((await vak(['envelope', 'open', '--alias', 'key=env'], short)).code).toBe(2);
  expect((await vak(['envelope', 'open', '--alias', 'key_v1=env'], short)).code).toBe(1);
  expect(program.printed()).not.toContain(secret);
}, 60_000);
