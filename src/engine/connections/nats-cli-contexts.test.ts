import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createTestCertificates } from '../../../tests/support/test-certificates.ts';
import { toText } from '../../shared/base/bytes.ts';
import { createNkeySeed } from '../identity/nkey.ts';
import { createSeededRandomness } from '../ports/randomness.ts';
import { type NatsCliContext, type NatsCliImport, natsCliFolder, readNatsCliContexts } from './nats-cli-contexts.ts';

const seed = toText(createNkeySeed(createSeededRandomness(3)).reveal());
const jwt = 'eyJ0eXAiOiJKV1QifQ.eyJzdWIiOiJVQSJ9.c2ln';
const dashes = '-----';
const { ca: authority, client } = createTestCertificates();
const creds = `${dashes}BEGIN NATS USER JWT${dashes}\r\n${jwt}\r\n${dashes}END NATS USER JWT${dashes}\r\n${dashes}BEGIN USER NKEY SEED${dashes}\r\n${seed}\r\n${dashes}END USER NKEY SEED${dashes}\r\n`;

let home: string;
let folder: string;
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'vak-cli-'));
  folder = join(home, '.config', 'nats', 'context');
  await mkdir(folder, { recursive: true });
});
afterEach(() => rm(home, { recursive: true, force: true }));

async function file(name: string, content: string, mode = 0o600): Promise<string> {
  await writeFile(join(home, name), content, { mode });
  return join(home, name);
}
const context = (name: string, value: unknown): Promise<void> =>
  writeFile(join(folder, `${name}.json`), typeof value === 'string' ? value : JSON.stringify(value));
const read = (): Promise<NatsCliImport> => readNatsCliContexts({ folder, home });
const secretsOf = ({ secrets }: NatsCliContext): Record<string, string> =>
  Object.fromEntries(Array.from(secrets, ([part, secret]) => [part, toText(secret.reveal())]));

async function readOne(value: unknown): Promise<NatsCliContext> {
  await context('one', value);
  const { contexts, skipped } = await read();
  expect(skipped).toEqual([]);
  return contexts[0] as NatsCliContext;
}
async function whyNot(value: unknown): Promise<string> {
  await context('one', value);
  const { contexts, skipped } = await read();
  expect([contexts, skipped.length]).toEqual([[], 1]);
  return skipped[0]?.why ?? '';
}

it('B9 a context with everything that can be taken over', async () => {
  await file('my.creds', creds);
  const [ca, cert, key] = [
    await file('ca.pem', authority),
    await file('c.pem', client.cert, 0o644),
    await file('k.pem', client.key),
  ];
  const one = await readOne({
    ...{ description: 'the staging cluster', url: 'tls://a.example:4222, b.example ', creds: '~/my.creds' },
    ...{ ca, cert, key, inbox_prefix: '_INBOX.mine', color_scheme: 'blue', nobody_knows: 1 },
  });
  expect(one).toMatchObject({
    ...{ name: 'one', description: 'the staging cluster', url: 'tls://a.example:4222,nats://b.example' },
    notes: [expect.stringMatching(/^inbox_prefix: .*_INBOX\.<workspace>\.<peer>/)],
  });
  expect(secretsOf(one)).toEqual({ jwt, seed, tlsCa: authority, tlsCert: client.cert, tlsKey: client.key.trimEnd() });
});

it.each([
  ['user and password', { user: 'u', password: 'p' }, { user: 'u', password: 'p' }],
  ['user and password before a token', { user: 'u', password: 'p', token: 't' }, { user: 'u', password: 'p' }],
  ['token', { token: 't' }, { token: 't' }],
  ['user_jwt and user_seed', { user_jwt: jwt, user_seed: seed }, { jwt, seed }],
  ['nothing', {}, {}],
  ['user and password in the address', { url: 'nats://u:p%40x@h:1' }, { user: 'u', password: 'p@x' }],
  ['token in the address', { url: 'tok@h:1' }, { token: 'tok' }],
  ['one login in two addresses', { url: 'nats://u:p@h:1,nats://u:p@i:2' }, { user: 'u', password: 'p' }],
])('B9 %s', async (_name, value, secrets) => {
  const one = await readOne(value);
  expect(secretsOf(one)).toEqual(secrets);
  expect(one.url).toMatch(/^nats:\/\/(127\.0\.0\.1:4222|h:1|h:1,nats:\/\/i:2)$/);
});

it('B9 an nkey file alone, and with a JWT', async () => {
  const nkey = await file('n.nk', `${seed}\n`);
  expect(secretsOf(await readOne({ nkey }))).toEqual({ seed });
  expect(secretsOf(await readOne({ nkey, user_jwt: jwt }))).toEqual({ seed, jwt });
});

it.each([
  ['no JSON', '{"url": ', /^it is no JSON$/],
  ['another type', { url: 7 }, /^url: not of the kind/],
  ['a list', '[]', /no JSON object/],
  ['an nsc lookup', { nsc: 'nsc://op/acc/user' }, /^nsc: .*export a \.creds file/],
  ['a secret of another tool', { creds: 'op://vault/item' }, /^creds: secrets of another tool/],
  ['creds that are gone', { creds: '/nowhere/x.creds' }, /^creds: there is no such file/],
  ['a relative path', { creds: 'x.creds' }, /^creds: the path is not absolute/],
  ['a user without password', { user: 'u' }, /^user: there is no password/],
  ['a JWT without seed', { user_jwt: jwt }, /^user_jwt: there is no seed/],
  ['a certificate without key', { cert: '/x.pem' }, /^cert: there is no key/],
  [
    'several obstacles',
    { socks_proxy: 'p', jetstream_domain: 'd', tls_first: true },
    /^socks_proxy: .* · jetstream_domain: .* · tls_first: /,
  ],
  ['WebSocket', { url: 'wss://h' }, /^url: .*WebSocket/],
  ['no address', { url: 'nats://h:99999999' }, /^url: \d+ characters/],
  ['different logins', { url: 'nats://u:p@h,nats://u:other@i' }, /log in differently/],
  ['a seed that is none', { user_jwt: jwt, user_seed: 'SUBAD' }, /^user_jwt: seed: expected/],
])('B9 %s is not taken over, and it says why', async (_name, value, why) => {
  expect(await whyNot(value)).toMatch(why);
});

it('I3 a secret file that others may read is refused, and no secret is in any reason', async () => {
  const open = await file('open.creds', creds, 0o644);
  expect(await whyNot({ creds: open })).toMatch(/^creds: the file has mode 0644/);
  const broken = await file('broken.creds', creds.replaceAll('SEED', 'SEEN'));
  const why = await whyNot({ creds: broken, token: 'hunter2' });
  expect(why).not.toMatch(/hunter2|eyJ|SU[A-Z2-7]{6}/);
  expect(await whyNot({ url: 'nats://user:hunter2@h h' })).not.toMatch(/hunter2/);
});

it('B9 names are made fit; two that become one, and the one that is ours, are left', async () => {
  for (const name of ['a.b', 'a b', 'embedded', 'plain']) await context(name, {});
  await writeFile(join(folder, 'other.txt'), 'x');
  await mkdir(join(folder, 'folder.json'));
  const { contexts, skipped } = await read();
  expect(contexts.map(({ name }) => name)).toEqual(['a-b', 'plain']);
  expect(contexts[0]?.notes).toEqual([expect.stringMatching(/^name: "a-b"/)]);
  expect(skipped.map(({ name }) => name)).toEqual(['a.b', 'embedded', 'folder']);
});

it('B9 the folder is that of XDG_CONFIG_HOME or of the home; one that is not there is empty', async () => {
  expect(natsCliFolder({}, '/home/u')).toBe('/home/u/.config/nats/context');
  expect(natsCliFolder({ XDG_CONFIG_HOME: '/cfg' }, '/home/u')).toBe('/cfg/nats/context');
  expect(natsCliFolder({ XDG_CONFIG_HOME: 'relative' }, '/home/u')).toBe('/home/u/.config/nats/context');
  expect(await readNatsCliContexts({ folder: join(home, 'none'), home })).toEqual({ contexts: [], skipped: [] });
});
