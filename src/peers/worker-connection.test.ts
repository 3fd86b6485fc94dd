/** The worker by hand on servers that ask who comes: mutual TLS, credentials files, permissions that deny. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createTestOperator } from '../../tests/support/nats-jwt.ts';
import { createTestCertificates } from '../../tests/support/test-certificates.ts';
import { type OpenedLine, prepareServer, startListener } from '../../tests/support/vak-bus.ts';
import { jsonLines, prepareVak, type Ran } from '../../tests/support/vak-program.ts';

const program = prepareVak({ isSelfShared: true });
const { newSelf, secretFile } = program;
const certificates = createTestCertificates();
const stranger = createTestCertificates();
const mutual = prepareServer({
  jetStream: false,
  tls: { ...certificates.server, ca: certificates.ca, verify: true },
});
const plain = prepareServer({ jetStream: false });
const operator = createTestOperator();
const guarded = prepareServer({ jetStream: false, config: operator.config });
const patience = { timeout: 15_000, interval: 20 };

const worker = (args: readonly string[]): Promise<Ran> =>
  program.start(process.execPath, [program.programs.worker, '--profile', program.profile, ...args]);
const said = (text: RegExp): unknown => expect.stringMatching(new RegExp(`^worker: (?:${text.source})[^\\n]*\\n$`));

/** Options that show a certificate of an authority, and trust one. */
const tlsFiles = ({ client }: typeof certificates, ca: string): readonly string[] => [
  ...['--tls-ca', secretFile('ca.pem', ca)],
  ...['--tls-cert', secretFile('cert.pem', client.cert), '--tls-key', secretFile('key.pem', client.key)],
];

/** A command that leaves a trace. */
function command(): { readonly words: readonly string[]; hasRun(): boolean } {
  const trace = join(program.folder, 'has-run');
  return { words: ['--', 'sh', '-c', `touch '${trace}'; echo hello`], hasRun: () => existsSync(trace) };
}

/** Runs the worker, and sees each of its messages arrive sealed and signed at another client of the same way in. */
async function expectArrival(connection: readonly string[]): Promise<void> {
  const listener = await startListener(program, ['vak.events.default.>', '--open', ...connection]);
  const { words, hasRun } = command();
  const ran = await worker([...connection, ...words]);
  expect([ran.code, ran.stderr, hasRun()]).toEqual([0, '', true]);
  const printed = jsonLines<{ readonly payload: unknown }>(ran.stdout);
  await expect.poll(() => listener.stdout().split('\n').length - 1, patience).toBe(printed.length);
  listener.child.kill('SIGINT');
  await listener.ended;
  const lines = jsonLines<OpenedLine>(listener.stdout());
  expect(lines.map(({ payload }) => payload)).toEqual(printed.map(({ payload }) => payload));
  for (const { trust } of lines) expect(trust).toMatchObject({ signature: 'valid', seal: 'opens', chain: 'ok' });
}

/** Runs the worker where it is kept out: nothing is said on the bus, and the command does not run. */
async function expectRefusal(connection: readonly string[], code: number, text: RegExp): Promise<void> {
  const { words, hasRun } = command();
  expect(await worker([...connection, ...words])).toEqual({ code, stdout: '', stderr: said(text) });
  expect(hasRun()).toBe(false);
}

test('B9 worker: mutual TLS with an authority of its own', async () => {
  await newSelf();
  await expectArrival([...mutual.url(), ...tlsFiles(certificates, certificates.ca)]);
}, 60_000);

test('B9 worker: an authority that is not trusted, a certificate that is missing or of another authority, a server without TLS', async () => {
  await newSelf();
  const [, url = ''] = mutual.url();
  await expectRefusal(mutual.url(), 1, /connect: .*is not trusted; give its CA/);
  await expectRefusal(
    [...mutual.url(), ...tlsFiles(certificates, stranger.ca)],
    1,
    /connect: .*is not trusted; give its CA/,
  );
  const ca = ['--tls-ca', secretFile('ca.pem', certificates.ca)];
  await expectRefusal([...mutual.url(), ...ca], 1, /connect: .*; it may ask for a client certificate/);
  const foreign = [...mutual.url(), ...tlsFiles(stranger, certificates.ca)];
  await expectRefusal(foreign, 3, /connect: .*; it may not trust the client certificate that it was shown/);
  const noTls = `tls://${new URL(plain.server.url).host}`;
  await expectRefusal(['--nats-url', noTls, ...ca], 1, /connect: the address asks for TLS/);
  const half = [...mutual.url(), ...ca, '--tls-cert', secretFile('cert.pem', certificates.client.cert)];
  await expectRefusal(half, 2, /--tls-cert, --tls-key: one is missing/);
  expect(url).toMatch(/^tls:/);
}, 120_000);

test.each([
  ['LF', '\n'],
  ['CRLF', '\r\n'],
])(
  'B9 worker: a credentials file with %s line ends',
  async (_, lineEnd) => {
    await newSelf();
    const file = secretFile('user.creds', operator.createUser().creds.replaceAll('\n', lineEnd));
    await expectArrival([...guarded.url(), '--creds', file]);
    // Neither its seed nor its JWT, whose header is this.
    expect(program.printed().match(/\bSU[A-Z2-7]{20}|eyJ0eXAiOiJKV1Q/)).toBeNull();
  },
  60_000,
);

test('A4 worker: credentials that are missing, of another operator, over, or no credentials at all', async () => {
  await newSelf();
  const withFile = (name: string, content: string) => [...guarded.url(), '--creds', secretFile(name, content)];
  await expectRefusal(guarded.url(), 1, /connect: the server refuses these credentials/);
  const other = createTestOperator().createUser().creds;
  await expectRefusal(withFile('other.creds', other), 1, /connect: the server refuses these credentials/);
  await expectRefusal(
    withFile('over.creds', operator.createUser(-5_000).creds),
    1,
    /connect: .*credentials.*(?:expired|over)/,
  );
  await expectRefusal(withFile('none.creds', 'canary: no credentials'), 2, /creds: no JWT in it/);
  await expectRefusal([...guarded.url(), '--creds', '/no/such'], 2, /--creds: there is no such file/);
  expect(program.printed().match(/canary: no|\bSU[A-Z2-7]{20}|eyJ0eXAiOiJKV1Q/)).toBeNull();
}, 120_000);

test('A4 worker: a user that may not publish what a worker says is told which subject, and its command does not run', async () => {
  await newSelf();
  const { creds } = operator.createUser(undefined, { pub: { deny: ['vak.events.>'] } });
  const { words, hasRun } = command();
  const denied = await worker([...guarded.url(), '--creds', secretFile('deaf.creds', creds), ...words]);
  expect([denied.code, hasRun()]).toEqual([1, false]);
  expect(denied.stderr).toEqual(
    said(/publish vak\.events\.default\.worker-\S+-e\.status: worker may not, .*refused by the server/),
  );
  // One that may say what it is doing and not what comes of it is stopped at the first word that it may not say.
  const { creds: halfway } = operator.createUser(undefined, { pub: { deny: ['vak.events.*.*.terminal'] } });
  const cut = await worker([
    ...guarded.url(),
    ...['--creds', secretFile('half.creds', halfway)],
    ...['--', 'sh', '-c', 'echo hello; sleep 300'],
  ]);
  expect(cut.code).toBe(1);
  expect(cut.stderr).toEqual(
    said(/publish vak\.events\.default\.worker-\S+-e\.terminal: worker may not, .*refused by the server/),
  );
}, 60_000);

test('A4 worker: a user that may only publish is enough; that nobody can reach the worker is said', async () => {
  await newSelf();
  const { creds } = operator.createUser(undefined, { pub: { allow: ['vak.events.default.>'] }, sub: { deny: ['>'] } });
  const all = ['--creds', secretFile('all.creds', operator.createUser().creds)];
  const listener = await startListener(program, ['vak.events.default.>', '--open', ...guarded.url(), ...all]);
  const ran = await worker([...guarded.url(), '--creds', secretFile('mute.creds', creds), '--', 'echo', 'hello']);
  const told = /^worker: nobody can cancel the command from elsewhere: .*see vak acl explain\n$/;
  expect([ran.code, ran.stderr]).toEqual([0, expect.stringMatching(told)]);
  await expect.poll(() => listener.stdout().split('\n').length, patience).toBe(ran.stdout.split('\n').length);
  listener.child.kill('SIGINT');
  await listener.ended;
}, 60_000);
