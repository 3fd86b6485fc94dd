import { generateKeyPairSync } from 'node:crypto';
import { expect, test } from 'vitest';
import { refusal } from '../../../tests/support/expected-failure.ts';
import { createTestCertificates } from '../../../tests/support/test-certificates.ts';
import { utf8 } from '../../shared/base/bytes.ts';
import { secretFromText } from '../identity/secret.ts';
import { checkClientPair, readCertificates } from './tls-parts.ts';

const { ca, client, server } = createTestCertificates();
const pair = (cert: string, key: string) => () =>
  checkClientPair({ cert: [utf8(cert), '--tls-cert'], key: [secretFromText(key), '--tls-key'] });
const locked = generateKeyPairSync('ed25519', {
  publicKeyEncoding: { type: 'spki', format: 'pem' },
  privateKeyEncoding: { type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase: 'x' },
}).privateKey;

test('B9 certificates are read, several too, whatever stands around them', () => {
  expect(readCertificates(utf8(`of ours:\r\n${ca}\n${server.cert}`), '--tls-ca').subject).toBe('CN=test authority');
  expect(pair(client.cert, client.key)).not.toThrow();
});

test.each([
  ['nothing', ''],
  ['words', 'rubbish\n'],
  ['a key', client.key],
  ['a certificate that is cut off', ca.slice(0, 200)],
])('B9 %s as an authority is refused by its name', (_, text) => {
  const error = refusal(() => readCertificates(utf8(text), '--tls-ca'));
  expect(error).toMatchObject({ code: 'invalid-input', message: expect.stringMatching(/^--tls-ca: no certificate/) });
});

test('B9 of several certificates the one that cannot be read is named', () => {
  const broken = `${ca}${ca.replace(/\n[A-Za-z0-9+/]{60,}\n/, '\nAAAA\n')}`;
  const error = refusal(() => readCertificates(utf8(broken), '--tls-ca'));
  expect(error.message).toMatch(/^--tls-ca: certificate 2 of 2 .* export it again$/);
});

test.each([
  ['rubbish for a certificate', pair('rubbish', client.key), /^--tls-cert: no certificate/],
  ['rubbish for a key', pair(client.cert, 'rubbish'), /^--tls-key: no private key/],
  ['a certificate for a key', pair(client.cert, client.cert), /^--tls-key: no private key/],
  ['a key under a passphrase', pair(client.cert, locked), /^--tls-key: the key is under a passphrase/],
  ['the key of another', pair(client.cert, server.key), /^--tls-key: it is not the key of .* --tls-cert/],
])('B9 %s is refused by its name, and nothing of it is shown', (_, check, message) => {
  const error = refusal(check);
  expect(error.message).toMatch(message);
  expect(JSON.stringify(error)).not.toMatch(/BEGIN [A-Z ]+-----|MII/);
});
