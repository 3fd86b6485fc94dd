import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { json, jsonLines, oneLine, prepareVak } from '../../../tests/support/vak-program.ts';
import { profileFiles } from '../../engine/settings/profile-files.ts';

const program = prepareVak({ isSelfShared: true });
const { vak, newSelf, secretFile } = program;
const shared = 'canary-secret-that-the-team-shares';

interface Row {
  readonly id: string;
  readonly state: string;
  readonly seals: boolean;
}

const rows = async (): Promise<string[]> =>
  jsonLines<Row>((await vak(['secret', 'ls', '--json'])).stdout).map(
    ({ id, state, seals }) => `${id} ${state}${seals ? ' seals' : ''}`,
  );

test('E7 I3 vak secret: added from chance, a file or a pipe, limited, revoked behind its id; its bytes are shown nowhere', async () => {
  await newSelf();
  expect(await rows()).toEqual(['s1 active seals']);
  expect(json((await vak(['secret', 'add', '--random', '--json'])).stdout)).toEqual({
    ...{ id: 's2', state: 'active', opensUntil: null, seals: true },
  });
  expect((await vak(['secret', 'add', 'team', '--file', secretFile('team', `${shared}\n`)])).code).toBe(0);
  expect((await vak(['secret', 'add', 'piped'], { stdin: `${shared}-2\n` })).code).toBe(0);
  expect(await rows()).toEqual(['s1 active', 's2 active', 'team active', 'piped active seals']);
  const limited = await vak(['secret', 'open-only', 'piped', '--until', '2099-12-31', '--json']);
  expect(json(limited.stdout)).toMatchObject({
    state: 'open-only',
    opensUntil: '2099-12-31T00:00:00.000Z',
    seals: false,
  });
  expect((await vak(['secret', 'open-only', 's1'])).code).toBe(0);
  expect((await vak(['secret', 'activate', 'piped'])).code).toBe(0);
  expect(await vak(['secret', 'revoke', 's2'])).toMatchObject({ code: 2, stderr: oneLine(/.*--confirm s2/) });
  expect((await vak(['secret', 'revoke', 's2', '--confirm', 's2'])).code).toBe(0);
  expect(await rows()).toEqual(['s1 open-only', 's2 revoked', 'team active', 'piped active seals']);
  for (const [args, code, text] of [
    [['activate', 's2'], 1, /secret s2 was revoked, and stays so/],
    [['add', 'team', '--random'], 1, /.*has a secret team already/],
    [['add', 'env', '--random'], 2, /ID: env is the one of the environment/],
    [['add', 'a', shared], 2, /.*1 argument\(s\) too many/],
  ] as const) {
    expect(await vak(['secret', ...args]), args.join(' ')).toMatchObject({ code, stdout: '', stderr: oneLine(text) });
  }
  expect(await vak(['secret', 'add', 'short'], { stdin: 'too short\n' })).toMatchObject({
    ...{ code: 2, stdout: '', stderr: oneLine(/secret: expected 16 to 1024 bytes, got 9/) },
  });
  expect(program.printed()).not.toContain('canary-secret');
  expect(readFileSync(profileFiles(program.profile).keyStore, 'latin1')).not.toContain('canary-secret');
}, 90_000);
