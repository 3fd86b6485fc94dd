import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { toText } from '../../shared/base/bytes.ts';
import { createNkeySeed } from '../identity/nkey.ts';
import { secretFromText } from '../identity/secret.ts';
import { createSeededRandomness } from '../ports/randomness.ts';
import { authOf, parseCreds, readCredsFile } from './creds-file.ts';

const seed = toText(createNkeySeed(createSeededRandomness(7)).reveal());
const jwt = 'eyJ0eXAiOiJKV1QifQ.eyJzdWIiOiJVQSJ9.c2ln';
const dashes = '-----';

function credsText(parts: { readonly jwt?: string; readonly seed?: string } = {}): string {
  return [
    `${dashes}BEGIN NATS USER JWT${dashes}`,
    parts.jwt ?? jwt,
    `${dashes}-END NATS USER JWT${dashes}-`,
    '',
    '************************* IMPORTANT *************************',
    'NKEY Seed printed below can be used to sign and prove identity.',
    '',
    `${dashes}BEGIN USER NKEY SEED${dashes}`,
    parts.seed ?? seed,
    `${dashes}-END USER NKEY SEED${dashes}-`,
    '*************************************************************',
    '',
  ].join('\n');
}

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'vak-creds-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

it.each([
  ['LF', credsText()],
  ['CRLF', credsText().replaceAll('\n', '\r\n')],
  ['text around it', `# of the test\n\n${credsText()}\nmore`],
])('B9 JWT and seed come out of a .creds text with %s', (_name, text) => {
  const creds = parseCreds(secretFromText(text));
  expect([toText(creds.jwt.reveal()), creds.seed && toText(creds.seed.reveal())]).toEqual([jwt, seed]);
  expect(`${creds.jwt}${creds.seed}${JSON.stringify(creds)}`).not.toMatch(/eyJ|SU[A-Z2-7]{5}/);
});

it.each([
  ['no seed', credsText().replace('BEGIN USER NKEY SEED', 'BEGIN SOMETHING'), /no seed/],
  ['no JWT', credsText().replace('BEGIN NATS USER JWT', 'BEGIN SOMETHING'), /no JWT/],
  ['a JWT that is none', credsText({ jwt: 'eyJbad' }), /no JWT/],
  ['a seed that is none', credsText({ seed: `${seed.slice(0, -1)}1` }), /VAK_BUS_NATS_NKEY_SEED/],
  ['nothing', '', /no JWT/],
  ['too much', `${'x'.repeat(70_000)}${credsText()}`, /longer than 65536/],
])('B9 %s is named, and nothing of it is shown', (_name, text, message) => {
  let thrown: unknown;
  try {
    parseCreds(secretFromText(text));
  } catch (error) {
    thrown = error;
  }
  expect(thrown).toMatchObject({ code: expect.stringMatching(/^invalid-/), message: expect.stringMatching(message) });
  expect(String((thrown as Error).message)).not.toMatch(/eyJ|SU[A-Z2-7]{5}/);
});

it('I3 a .creds file that others may read is refused, one of ours is read', async () => {
  const path = join(folder, 'my.creds');
  await writeFile(path, credsText(), { mode: 0o600 });
  const read = await readCredsFile(path, '--creds');
  expect([authOf(read).kind, read.seed && toText(read.seed.reveal())]).toEqual(['jwt', seed]);
  const open = join(folder, 'open.creds');
  await writeFile(open, credsText(), { mode: 0o640 });
  await expect(readCredsFile(open, '--creds')).rejects.toMatchObject({
    code: 'invalid-input',
    message: expect.stringMatching(/^--creds: .*0640/),
  });
});
