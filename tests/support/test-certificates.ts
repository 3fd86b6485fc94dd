/**
 * Certificates for tests of TLS, made by openssl in a temporary folder.
 * Law: they live a day, and their files are gone when they are given.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** PEM texts. */
interface Certificate {
  readonly cert: string;
  readonly key: string;
}

interface TestCertificates {
  readonly ca: string;
  readonly server: Certificate;
  readonly client: Certificate;
}

/** An authority of its own, a server's certificate and a client's, for names as openssl writes them. */
export function createTestCertificates(names = 'IP:127.0.0.1,DNS:localhost'): TestCertificates {
  const folder = mkdtempSync(join(tmpdir(), 'vak-tls-'));
  const path = (name: string): string => join(folder, name);
  const openssl = (...words: string[]): void => void execFileSync('openssl', words, { cwd: folder, stdio: 'pipe' });
  const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  const made = (name: string): Certificate => ({
    cert: readFileSync(path(`${name}.pem`), 'utf8'),
    key: readFileSync(path(`${name}.key`), 'utf8'),
  });
  const sign = (name: string, usage: string): Certificate => {
    writeFileSync(path(`${name}.ext`), `subjectAltName=${names}\nextendedKeyUsage=${usage}\n`);
    openssl('req', ...newKey, '-keyout', `${name}.key`, '-out', `${name}.csr`, '-subj', `/CN=${name}`);
    openssl(
      ...['x509', '-req', '-in', `${name}.csr`, '-CA', 'ca.pem', '-CAkey', 'ca.key', '-CAcreateserial'],
      ...['-days', '1', '-extfile', `${name}.ext`, '-out', `${name}.pem`],
    );
    return made(name);
  };
  try {
    openssl(
      'req',
      '-x509',
      ...newKey,
      '-keyout',
      'ca.key',
      '-out',
      'ca.pem',
      '-days',
      '1',
      '-subj',
      '/CN=test authority',
    );
    return { ca: made('ca').cert, server: sign('server', 'serverAuth'), client: sign('client', 'clientAuth') };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
