import { execFileSync } from 'node:child_process';
import { chmodSync, chownSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { failure } from '../../../tests/support/expected-failure.ts';
import { toText } from '../../shared/base/bytes.ts';
import { secretFromText } from '../identity/secret.ts';
import { readSecret, scrubEnvironment, secretNames, secretSourceOf } from './secret-sources.ts';

const name = 'VAK_BUS_NATS_NKEY_SEED';
let folder: string;
let path: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'vak-secrets-'));
  path = join(folder, 'seed');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function put(content: string | Uint8Array, mode = 0o600): void {
  writeFileSync(path, content);
  chmodSync(path, mode);
}

const fromFile = () => readSecret(name, { environment: { [`${name}_FILE`]: path } });

async function refusalOf(run: Promise<unknown>): Promise<string> {
  const { code, message } = await failure(run);
  return `${code} ${message}`;
}

test('I3 a file goes before the variable, and that before the key store; the kind is told', async () => {
  put('from the file\n');
  const keyStore = (asked: string) => (asked === name ? secretFromText('from the store') : undefined);
  const file = { [`${name}_FILE`]: path };
  const sources = [
    { environment: { ...file, [name]: 'from the variable' }, keyStore },
    { environment: { [name]: 'from the variable', [`${name}_FILE`]: '' }, keyStore },
    { environment: { [name]: '' }, keyStore },
    { environment: {} },
  ];
  const found = await Promise.all(sources.map((one) => readSecret(name, one)));
  expect(found.map((one) => one && [one.source, toText(one.secret.reveal())])).toEqual([
    ['file', 'from the file'],
    ['environment', 'from the variable'],
    ['key-store', 'from the store'],
    undefined,
  ]);
  expect(sources.map((one) => secretSourceOf(name, one))).toEqual(['file', 'environment', 'key-store', undefined]);
  expect(JSON.stringify(found)).not.toContain('from the');
});

test.each([0o600, 0o400, 0o200 | 0o400])('I3 a file with mode %o is read', async (mode) => {
  put('secret', mode);
  expect((await fromFile())?.source).toBe('file');
});

test.each([0o644, 0o640, 0o604, 0o620, 0o602, 0o660, 0o601, 0o700, 0o777, 0o4600, 0o2600, 0o1600])(
  'I3 a file with mode %o is refused',
  async (mode) => {
    put('secret', mode);
    const refusal = await refusalOf(fromFile());
    expect(refusal).toMatch(/^invalid-input VAK_BUS_NATS_NKEY_SEED_FILE: the file has mode \d{4}, .*chmod 600/);
    expect(refusal).not.toMatch(/secret\b.*secret|\/tmp/);
  },
);

test('I3 a link, a pipe, a folder and a device are refused, and none is waited for', async () => {
  put('secret');
  symlinkSync(path, join(folder, 'link'));
  mkdirSync(join(folder, 'folder'));
  execFileSync('mkfifo', ['-m', '600', join(folder, 'pipe')]);
  const refusals = ['link', 'folder', 'pipe'].map((one) => {
    path = join(folder, one);
    return refusalOf(fromFile());
  });
  path = '/dev/zero';
  refusals.push(refusalOf(fromFile()));
  expect((await Promise.all(refusals)).map((text) => text.replace(/^.*_FILE: /, ''))).toEqual([
    'it is a link; give the file itself',
    'it is no ordinary file',
    'it is no ordinary file',
    'it is no ordinary file',
  ]);
});

test('I3 a file of somebody else is refused', async () => {
  put('secret');
  if (process.getuid?.() !== 0) path = '/etc/passwd';
  else chownSync(path, 12345, 12345);
  expect(await refusalOf(fromFile())).toMatch(/the file belongs to somebody else/);
});

test('I3 a file that is not there, empty, or holds more than 64 KiB is refused', async () => {
  expect(await refusalOf(fromFile())).toMatch(/invalid-input .*there is no such file/);
  put('\n');
  expect(await refusalOf(fromFile())).toMatch(/invalid-input .*it is empty/);
  put('x'.repeat(64 * 1024));
  expect((await fromFile())?.secret.length).toBe(64 * 1024);
  put('x'.repeat(64 * 1024 + 1));
  expect(await refusalOf(fromFile())).toMatch(/^limit-exceeded/);
  const long = readSecret(name, { environment: { [name]: 'x'.repeat(64 * 1024 + 1) } });
  expect(await refusalOf(long)).toMatch(/^limit-exceeded/);
});

test('I3 a secret that was given in place of a path is not repeated', async () => {
  for (const value of ['SUAM5GQ2LTORUW4ZZANFZSA3TPOQQGCIDTMVSWIIDCOV2CA2LTEB2GK43U', 'hunter2\0', 'x'.repeat(70_000)]) {
    path = value;
    const refusal = await refusalOf(fromFile());
    expect(refusal.startsWith('invalid-input VAK_BUS_NATS_NKEY_SEED_FILE: ')).toBe(true);
    expect(refusal).not.toContain(value.slice(0, 7));
  }
});

test.each([
  ['a\n', 'a'],
  ['a\r\n', 'a'],
  ['a\n\n', 'a\n'],
  ['a', 'a'],
  [' a ', ' a '],
  ['a\r', 'a\r'],
])('I3 of %j one line break at the end is cut off', async (content, expected) => {
  put(content);
  expect(toText((await fromFile())?.secret.reveal() as Uint8Array)).toBe(expected);
});

test('I3 an environment is scrubbed of secrets and of the paths of their files', () => {
  const names = secretNames('TEAM');
  const environment: Record<string, string | undefined> = { PATH: '/bin', TEAM: 'x', TEAM_FILE: 'y', [name]: 'z' };
  scrubEnvironment(environment, names);
  expect(environment).toEqual({ PATH: '/bin' });
});
