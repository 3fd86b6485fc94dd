/**
 * Certificates and keys of TLS in PEM (protocol.md B9).
 * Law: they are looked at before a server is asked: a file that is none would else be told as a fault of the server, or of TLS.
 */
import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import { toText } from '../../shared/base/bytes.ts';
import { VakError } from '../../shared/base/vak-error.ts';
import type { Secret } from '../identity/secret.ts';

const certificateBlock = /-----BEGIN ((?:X509 |TRUSTED )?CERTIFICATE)-----[A-Za-z0-9+/=\s]*-----END \1-----/g;

function refuse(field: string, what: string): never {
  throw new VakError('invalid-input', `${field}: ${what}`, { details: { field } });
}

/** The first of the certificates that a PEM text holds; all are read. Throws `invalid-input` that names `field`. */
export function readCertificates(pem: Uint8Array, field: string): X509Certificate {
  const blocks = toText(pem).match(certificateBlock) ?? [];
  const read = blocks.map((block, i) => {
    try {
      return new X509Certificate(block);
    } catch {
      return refuse(field, `certificate ${i + 1} of ${blocks.length} in the file cannot be read; export it again`);
    }
  });
  const [first] = read;
  return first ?? refuse(field, 'no certificate is in the file; name a PEM file, which has BEGIN CERTIFICATE in it');
}

function readKey(key: Secret, field: string): KeyObject {
  const pem = key.reveal();
  if (/-----BEGIN ENCRYPTED |^Proc-Type: 4,ENCRYPTED/m.test(toText(pem))) {
    return refuse(field, 'the key is under a passphrase; name one that is not');
  }
  try {
    return createPrivateKey({ key: Buffer.from(pem.buffer, pem.byteOffset, pem.byteLength), format: 'pem' });
  } catch {
    return refuse(field, 'no private key is in the file; name a PEM file, which has BEGIN PRIVATE KEY in it');
  }
}

/** A client's certificate with its key, by the names of their fields. */
export interface ClientPair {
  readonly cert: readonly [pem: Uint8Array, field: string];
  readonly key: readonly [pem: Secret, field: string];
}

/** Throws `invalid-input` that names the field that cannot be read, or says that the two are not of each other. */
export function checkClientPair({ cert: [cert, certField], key: [key, keyField] }: ClientPair): void {
  const certificate = readCertificates(cert, certField);
  if (certificate.checkPrivateKey(readKey(key, keyField))) return;
  refuse(keyField, `it is not the key of the certificate of ${certField}; name the two that were made together`);
}
