import { expect, test } from 'vitest';
import { isSecretName, isVariableName, secretShapeOf } from './secret-shape.ts';

const seed = `SU${'AM5GQ2LTORUW4ZZANFZSA3TPOQQGCIDTMVSWIIDCOV2CA2LTEB2GK43U'}`;
const jwt = 'eyJhbGciOiJlZDI1NTE5LW5rZXkiLCJ0eXAiOiJKV1QifQ.eyJqdGkiOiJ4In0.c2lnbmF0dXJl';

test.each([
  ['an nkey seed', seed],
  ['an nkey seed', `key=${seed}\n`],
  ['an nkey seed', seed.replace('SU', 'SA')],
  ['an nkey seed', seed.slice(0, 44)],
  ['a JWT', jwt],
  ['a JWT', `Bearer ${jwt}`],
  ['a private key', '-----BEGIN PRIVATE KEY-----\nMC4='],
  ['a private key', '-----BEGIN EC PRIVATE KEY-----'],
  ['a private key', '-----BEGIN USER NKEY SEED-----'],
  ['a private key', '-----BEGIN NATS USER JWT-----'],
  ['a password in an address', 'nats://me:hunter2@host:4222'],
  ['a password in an address', 'tls://token@host'],
])('I3 %s is known by its form', (shape, text) => {
  expect(secretShapeOf(text)).toBe(shape);
});

test.each([
  `U${'A'.repeat(55)}`,
  'SUBJECT',
  'vak.events.default.worker-abcd2345-e.status',
  'nats://host:4222',
  'a@b.example',
  '-----BEGIN CERTIFICATE-----',
  '-----BEGIN PUBLIC KEY-----',
  '2026-01-02T03:04:05Z',
])('I3 %s is no secret', (text) => {
  expect(secretShapeOf(text)).toBeUndefined();
});

test('I3 names of secrets are known in any spelling', () => {
  for (const name of [
    'VAK_BUS_NATS_NKEY_SEED',
    'vak-bus-nats-nkey-seed',
    'workspaceSecret',
    '--passphrase',
    'PASSWORD',
  ]) {
    expect(isSecretName(name), name).toBe(true);
  }
  for (const name of ['workspaceSecretEnv', 'VAK_PASSPHRASE_FILE', 'theme', '', 'x'.repeat(10_000)]) {
    expect(isSecretName(name), name.slice(0, 40)).toBe(false);
  }
});

test('I3 a variable is named by a name, not by what looks like the secret itself', () => {
  for (const name of ['VAK_WORKSPACE_SECRET', 'secret', '_S3', 'My_Team_Workspace_Secret_2', 'WORKSPACESECRET']) {
    expect(isVariableName(name), name).toBe(true);
  }
  const values = [
    ...[seed, 'a'.repeat(64), '0123456789abcdef'.repeat(4), 'super-secret-workspace-key-2026', 'A B', '', '1A', 'É'],
    ...['Zm9vYmFyYmF6cXV4Zm9vYmFyYmF6cXV4Zm9vYmFyMTI', 'fT9Qz_kLw3Xb7Rv2Ns8_Yc'],
  ];
  for (const value of values) expect(isVariableName(value), value).toBe(false);
});
