import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createLineLogger } from '../../../tests/support/line-logger.ts';
import { toText } from '../../shared/base/bytes.ts';
import { createEnvironmentSecret } from './environment-secret.ts';

let folder: string;
let log: string[];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'vak-env-secret-'));
  log = [];
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function setUp(environment: Record<string, string>) {
  let name = 'VAK_WORKSPACE_SECRET';
  const logger = createLineLogger(log);
  const secret = createEnvironmentSecret({ environment, name: () => name, logger });
  return {
    secret,
    rename(next: string) {
      name = next;
    },
  };
}

it('E7 the secret of a variable or a file has the id env, opens, and is read anew under another name', async () => {
  const path = join(folder, 'secret');
  writeFileSync(path, 'a secret in a file of its own', { mode: 0o600 });
  const { secret, rename } = setUp({ VAK_WORKSPACE_SECRET: 'a secret in a variable', OTHER_FILE: path });
  expect(secret.entry()).toBeUndefined();
  await secret.refresh();
  const entry = secret.entry();
  expect(entry).toMatchObject({ id: 'env', state: 'open-only', openOnlyUntilMs: null });
  expect(toText(entry?.secret.reveal() ?? new Uint8Array())).toBe('a secret in a variable');
  rename('OTHER');
  await secret.refresh();
  expect(toText(secret.entry()?.secret.reveal() ?? new Uint8Array())).toBe('a secret in a file of its own');
  expect(() => entry?.secret.reveal()).toThrow(/erased/);
  rename('NONE');
  await secret.refresh();
  expect(secret.entry()).toBeUndefined();
});

it('I3 a file that others can read is not used, and the log says so without the secret', async () => {
  const path = join(folder, 'secret');
  writeFileSync(path, 'a secret in an open file', { mode: 0o644 });
  const { secret } = setUp({ VAK_WORKSPACE_SECRET_FILE: path });
  await secret.refresh();
  expect(secret.entry()).toBeUndefined();
  expect(log.join()).toContain('VAK_WORKSPACE_SECRET_FILE');
  expect(log.join()).not.toContain('a secret in');
});
