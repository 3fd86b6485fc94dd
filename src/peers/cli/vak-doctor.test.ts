import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { prepareServer } from '../../../tests/support/vak-bus.ts';
import { json, oneLine, prepareVak } from '../../../tests/support/vak-program.ts';
import { profileFiles } from '../../engine/settings/profile-files.ts';

const program = prepareVak({ isSelfShared: true });
const { vak, newSelf, secretFile } = program;
const bus = prepareServer();

interface Report {
  readonly ok: boolean;
  readonly server: { readonly version: string } | null;
  readonly parts: readonly { readonly id: string; readonly tone: string; readonly words: string }[];
}

async function examine(args: readonly string[] = [], environment: Record<string, string | undefined> = {}) {
  const { code, stdout, stderr } = await vak(['doctor', '--json', ...args], { environment });
  const report = json<Report>(stdout);
  const tones = Object.fromEntries(report.parts.map(({ id, tone }) => [id, tone]));
  const words = Object.fromEntries(report.parts.map((part) => [part.id, part.words]));
  return { code, stderr, report, tones, words };
}

test('I3 vak doctor: a profile without keys and backup is weak and told what to do, whatever is asked of nobody', async () => {
  const bare = await examine();
  expect([bare.code, bare.stderr]).toEqual([1, '']);
  expect(bare.tones).toEqual({
    ...{ keyStore: 'weak', backup: 'unknown', engine: 'ok', server: 'ok', transport: 'ok', runtime: 'ok' },
  });
  await newSelf();
  const { code, stdout } = await vak(['doctor']);
  expect(code).toBe(1);
  expect(stdout).toMatch(
    /^Key store +ok +opens with a passphrase\nBackup +weak +never\n +Without a backup .* vak id backup\.$/m,
  );
  expect(await vak(['id', 'backup', join(program.folder, 'a.backup')])).toMatchObject({ code: 0 });
  const sound = await examine();
  expect([sound.code, sound.report.ok, sound.report.server]).toEqual([0, true, null]);
  expect(sound.words).toMatchObject({
    backup: expect.stringMatching(/^\d{4}-.*Z$/),
    runtime: expect.stringContaining('Node'),
  });
  // Nobody is asked: the backup is told, and that what changed since is not known.
  const locked = await examine([], { VAK_PASSPHRASE_FILE: undefined });
  expect([locked.code, locked.tones]).toMatchObject([0, { keyStore: 'ok', backup: 'unknown' }]);
  expect(locked.words).toMatchObject({ keyStore: 'opens with a passphrase; locked' });
  const wrong = await examine([], { VAK_PASSPHRASE_FILE: secretFile('wrong', 'canary: not the right one') });
  expect([wrong.code, wrong.tones]).toMatchObject([1, { keyStore: 'weak' }]);
}, 60_000);

test('B9 vak doctor: a server that answers is named, one that does not is exit code 3; a damaged key store is weak', async () => {
  await newSelf();
  await vak(['id', 'backup', join(program.folder, 'b.backup')]);
  const there = await examine(bus.url());
  expect([there.code, there.report.ok, there.report.server?.version]).toEqual([0, true, expect.stringMatching(/^2\./)]);
  expect(there.words).toMatchObject({
    server: expect.stringContaining('JetStream on'),
    transport: expect.stringContaining('no TLS'),
  });
  const gone = await examine(['--nats-url', 'nats://127.0.0.1:9']);
  expect([gone.code, gone.report.server, gone.tones]).toMatchObject([3, null, { server: 'weak', transport: 'ok' }]);
  const file = profileFiles(program.profile).keyStore;
  for (const path of [file, `${file}.last-good`]) {
    chmodSync(path, 0o600);
    writeFileSync(path, 'no key store');
  }
  const damaged = await examine();
  expect([damaged.code, damaged.tones]).toMatchObject([1, { keyStore: 'weak' }]);
  expect(await vak(['doctor', '--context', 'none'])).toMatchObject({
    code: 2,
    stderr: oneLine(/--context: there is none/),
  });
}, 60_000);
