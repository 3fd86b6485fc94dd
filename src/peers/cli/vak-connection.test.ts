import { chmodSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { createTestOperator } from '../../../tests/support/nats-jwt.ts';
import { startNatsServer } from '../../../tests/support/nats-server.ts';
import { createTestCertificates } from '../../../tests/support/test-certificates.ts';
import { connectForTest, prepareServer, startListener } from '../../../tests/support/vak-bus.ts';
import { jsonLines, oneLine, prepareVak } from '../../../tests/support/vak-program.ts';
import { createNkeySeed, createNkeySigner } from '../../engine/identity/nkey.ts';
import { createSystemRandomness } from '../../engine/ports/randomness.ts';
import { toBase64, toText, utf8 } from '../../shared/base/bytes.ts';

const program = prepareVak({ isSelfShared: true });
const { vak, newSelf, secretFile } = program;
const operator = createTestOperator();
const guarded = prepareServer({ config: operator.config, jetStream: false });
const newSeed = (): { readonly text: string; readonly nkey: string } => {
  const seed = createNkeySeed(createSystemRandomness());
  return { text: toText(seed.reveal()), nkey: createNkeySigner(seed).nkey };
};
const known = newSeed();
const limited = prepareServer({
  users: [
    { nkey: known.nkey, permissions: { publish: { deny: ['vak.events.>'] }, subscribe: { deny: ['vak.dlq.>'] } } },
  ],
});
const testCall = ['context', 'test', '--json'];

test('B9 vak: a credentials file with CRLF line ends connects, from an option or the environment', async () => {
  const { creds, jwt, seed } = operator.createUser();
  const file = secretFile('crlf.creds', creds.replaceAll('\n', '\r\n'));
  const call = [...testCall, ...guarded.url()];
  expect(await vak([...call, '--creds', file])).toMatchObject({ code: 0, stderr: '' });
  const environment = {
    VAK_BUS_NATS_CREDENTIALS_JWT: jwt,
    VAK_BUS_NATS_NKEY_SEED_FILE: secretFile('seed', `${seed}\n`),
  };
  expect((await vak(call, { environment })).code).toBe(0);
  chmodSync(file, 0o644);
  expect(await vak([...call, '--creds', file])).toEqual({
    code: 2,
    stdout: '',
    stderr: oneLine(/--creds: the file has mode 0644, others could read it; chmod 600 it/),
  });
  const half = await vak(call, { environment: { VAK_BUS_NATS_CREDENTIALS_JWT: jwt } });
  expect([half.code, half.stderr]).toEqual([1, oneLine(/credentials: a JWT alone needs its peer's own key/)]);
  expect(program.printed()).not.toMatch(/\bSU[A-Z2-7]{20}|eyJ/);
}, 60_000);

test('I3 vak: credentials of the key store are used for a server that asks for them', async () => {
  await newSelf();
  await vak(['config', 'bus', 'set', 'VAK_BUS_NATS_NKEY_SEED'], { stdin: known.text });
  const call = [...testCall, ...limited.url()];
  expect((await vak(call)).code).toBe(0);
  expect(await vak(call, { environment: { VAK_PASSPHRASE_FILE: undefined } })).toEqual({
    code: 1,
    stdout: '',
    stderr: oneLine(/connect: .*the key store is locked, set VAK_PASSPHRASE_FILE if it holds the credentials/),
  });
}, 60_000);

test('vak: a server that is not there is exit 3, wrong credentials are exit 1', async () => {
  const gone = await vak([...testCall, '--nats-url', 'nats://127.0.0.1:1']);
  expect(gone).toEqual({
    code: 3,
    stdout: '',
    stderr: oneLine(/connect: the server cannot be reached.*\(--nats-url, 127\.0\.0\.1:1\)/),
  });
  const wrong = await vak([...testCall, ...limited.url(), '--nkey-file', secretFile('wrong', newSeed().text)]);
  expect(wrong).toEqual({ code: 1, stdout: '', stderr: oneLine(/connect: the server refuses these credentials/) });
  const noTls = await vak([...testCall, '--nats-url', limited.server.url.replace('nats:', 'tls:')]);
  expect(noTls).toEqual({ code: 1, stdout: '', stderr: oneLine(/connect: the address asks for TLS/) });
}, 60_000);

test('A4 vak: a subject that the server refuses is exit 1 and is named', async () => {
  await newSelf();
  const as = [...limited.url(), '--nkey-file', secretFile('known', known.text)];
  const published = await vak([
    'publish',
    'vak.events.default.self.status',
    '--data',
    '{"state":"started"}',
    '--sealed',
    ...as,
  ]);
  expect(published).toEqual({
    code: 1,
    stdout: '',
    stderr: oneLine(
      /publish vak\.events\.default\.operator-\S+-e\.status: operator may not, .*refused by the server, rule: .*/,
    ),
  });
  const heard = await vak(['subscribe', 'vak.dlq.default.*.failed', ...as]);
  expect([heard.code, heard.stdout]).toEqual([1, '']);
  expect(heard.stderr).toMatch(
    /vak: subscribe vak\.dlq\.default\.\*\.failed: operator may not, .*refused by the server/,
  );
}, 60_000);

test.each([
  [['--nats-url', 'http://127.0.0.1'], /--nats-url: found 16 characters, allowed: nats:/],
  [['--nats-url', 'nats://u:canary@127.0.0.1'], /argument \d+ holds a password in an address: no secret is taken/],
  [['--nats-url', 'nats://127.0.0.1', '--context', 'x'], /--nats-url, --context: give one/],
  [['--creds', 'a', '--nkey-file', 'b'], /--creds, --nkey-file: give one/],
  [['--nats-url', 'nats://127.0.0.1', '--creds', '/no/such'], /--creds: there is no such file/],
  [['--tls-cert', 'a'], /--tls-cert, --tls-key: one is missing/],
  [
    ['--nats-url', 'tls://127.0.0.1', '--tls-ca', '/no/such'],
    /--tls-ca: cannot read \/no\/such: there is no such file/,
  ],
])('vak: connection options %j are bad usage', async (args, text) => {
  expect(await vak(['stream', 'ls', ...args])).toEqual({ code: 2, stdout: '', stderr: oneLine(text) });
  expect(program.printed()).not.toContain('canary');
});

test('vak: the embedded bus of the app cannot be reached, and every command that would need it says what to do', async () => {
  await newSelf();
  const said = oneLine(/context embedded: its bus is embedded, .*--nats-url, or use a managed or remote context/);
  const calls = [
    ['provision'],
    ['publish', 'vak.events.default.self.status', '--data', '{"state":"started"}', '--sealed'],
    ['subscribe', 'vak.>'],
    ['stream', 'ls'],
    ['stream', 'get', 'work', '--seq', '1'],
    ['stream', 'view', 'work'],
    ['context', 'test'],
  ];
  for (const call of calls) expect(await vak(call), call.join(' ')).toEqual({ code: 3, stdout: '', stderr: said });
}, 60_000);

test('B8 vak: subscribe lives through a server that dies, and says it once each way', async () => {
  const server = await startNatsServer({ jetStream: false });
  try {
    await newSelf();
    const at = ['--nats-url', server.url];
    const listener = await startListener(program, ['vak.events.>', '--open', '--count', '2', ...at]);
    const publish = ['publish', 'vak.events.default.self.status', '--data', '{"state":"started"}', '--sealed', ...at];
    expect((await vak(publish)).code).toBe(0);
    await server.kill();
    await listener.says(/the connection is lost/);
    await server.restart();
    await listener.says(/the connection is back/);
    expect((await vak(publish)).code).toBe(0);
    const { code, stdout, stderr } = await listener.ended;
    expect([code, jsonLines(stdout).length]).toEqual([0, 2]);
    expect(stderr.match(/connection is (lost|back)/g)).toEqual(['connection is lost', 'connection is back']);
  } finally {
    await server.stop();
  }
}, 60_000);

test('B9 vak: mutual TLS with an authority of its own', async () => {
  const { ca, server: own, client } = createTestCertificates();
  const server = await startNatsServer({ jetStream: false, tls: { ...own, ca, verify: true } });
  try {
    const call = [...testCall, '--nats-url', server.url];
    const files = ['--tls-ca', secretFile('ca.pem', ca), '--tls-cert', secretFile('cert.pem', client.cert)];
    const key = ['--tls-key', secretFile('key.pem', client.key)];
    expect((await vak([...call, ...files, ...key])).code).toBe(0);
    expect(await vak(call)).toEqual({ code: 1, stdout: '', stderr: oneLine(/connect: .*is not trusted; give its CA/) });
  } finally {
    await server.stop();
  }
}, 60_000);

/** What the process has read so far from files and sockets (proc(5), `io`). */
const bytesReadBy = (pid: number): number =>
  Number(/^rchar: (\d+)$/m.exec(readFileSync(`/proc/${pid}/io`, 'latin1'))?.[1]);

test('B2 vak: what a slow reader made give way is counted, and the counts add up', async () => {
  const server = await startNatsServer({ jetStream: false });
  const fabric = await connectForTest(server.url);
  try {
    const listener = await startListener(program, ['vak.events.slow.>', '--nats-url', server.url]);
    listener.child.stdout?.pause();
    const total = 40_000;
    const sizeBytes = 200;
    const before = bytesReadBy(listener.child.pid as number);
    const subject = 'vak.events.slow.one.status';
    for (let i = 1; i < total; i++) {
      if (i % 1000 === 0) await fabric.bus.whenWritable();
      fabric.bus.publish(subject, new Uint8Array(sizeBytes));
    }
    await fabric.ping();
    fabric.bus.publish(subject, utf8('the last one'));
    await fabric.ping();
    // All that was published has come to the program, and it could print next to nothing of it.
    await expect
      .poll(() => bytesReadBy(listener.child.pid as number) - before, { timeout: 20_000 })
      .toBeGreaterThan(total * sizeBytes);
    listener.child.stdout?.resume();
    await expect
      .poll(() => listener.stdout().endsWith(`${toBase64(utf8('the last one'))}"}\n`), { timeout: 20_000 })
      .toBe(true);
    listener.child.kill('SIGTERM');
    const { code, stdout, stderr } = await listener.ended;
    const dropped = Number(/vak: (\d+) messages were dropped/.exec(stderr)?.[1] ?? 0);
    expect(code).toBe(4);
    expect(dropped).toBeGreaterThan(0);
    expect(jsonLines(stdout).length + dropped).toBe(total);
  } finally {
    await fabric.close();
    await server.stop();
  }
}, 60_000);
