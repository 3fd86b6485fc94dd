/**
 * One context file of the `nats` command line, and the secrets that it names (product.md "Engines and headless peers").
 * Law: what cannot be taken over is noted with why; neither a secret nor what stands in a foreign file is in a note.
 */
import { isAbsolute, join } from 'node:path';
import { z } from 'zod';
import { utf8 } from '../../shared/base/bytes.ts';
import { isVakError, VakError } from '../../shared/base/vak-error.ts';
import { natsJwtName } from '../../shared/settings/secret-shape.ts';
import { createNkeySigner } from '../identity/nkey.ts';
import { type Secret, secretFromText } from '../identity/secret.ts';
import { checkBusSecret } from '../settings/bus-secrets.ts';
import { readTextFile } from '../settings/read-text-file.ts';
import { readSecretFile } from '../settings/secret-file.ts';
import type { ContextSecretPart } from './context-secrets.ts';
import { readCredsFile } from './creds-file.ts';
import { checkClientPair, readCertificates } from './tls-parts.ts';

const text = z.string().max(8192).default('');
const fileSchema = z.object({
  ...{ description: text, url: text, user: text, password: text, token: text, creds: text, nkey: text },
  ...{ user_jwt: text, user_seed: text, ca: text, cert: text, key: text, nsc: text, socks_proxy: text },
  ...{ jetstream_domain: text, jetstream_api_prefix: text, inbox_prefix: text, windows_cert_store: text },
  tls_first: z.boolean().default(false),
});
export type NatsCliFile = z.infer<typeof fileSchema>;

/** Secrets of one context on the way to the caller, and what is said of them. */
export interface Gathered {
  readonly secrets: Map<ContextSecretPart, Secret>;
  readonly notes: string[];
}

const maxPemBytes = 64 * 1024;

/** Throws `invalid-input` naming the field. */
export function parseCliFile(content: string): NatsCliFile {
  let value: unknown;
  try {
    value = JSON.parse(content);
  } catch {
    throw new VakError('invalid-input', 'it is no JSON');
  }
  const parsed = fileSchema.safeParse(value);
  if (parsed.success) return parsed.data;
  const field = parsed.error.issues[0]?.path.join('.') ?? '';
  const what = field === '' ? 'it is no JSON object' : `${field}: not of the kind that nats writes`;
  throw new VakError('invalid-input', what);
}

function put({ secrets }: Gathered, part: ContextSecretPart, secret: Secret): void {
  secrets.get(part)?.dispose();
  secrets.set(part, secret);
}

/** Keeps a secret that passes a check, and erases one that does not. */
function putChecked(into: Gathered, part: ContextSecretPart, secret: Secret): void {
  try {
    if (part === 'jwt') checkBusSecret(natsJwtName, secret);
    if (part === 'seed') createNkeySigner(secret).dispose();
  } catch (error) {
    secret.dispose();
    throw error;
  }
  put(into, part, secret);
}

/** Runs a step; what it refuses becomes a note. Whether it went well. */
async function noting({ notes }: Gathered, field: string, step: () => Promise<void> | void): Promise<boolean> {
  try {
    await step();
    return true;
  } catch (error) {
    if (!isVakError(error)) throw error;
    notes.push(error.message.startsWith(`${field}:`) ? error.message : `${field}: ${error.message}`);
    return false;
  }
}

function pathOf(path: string, home: string): string {
  if (/^[a-z]{2,16}:\/\//.test(path)) {
    throw new VakError(
      'invalid-input',
      'secrets of another tool are not fetched; write them into a file and name that',
    );
  }
  const expanded = path === '~' || path.startsWith('~/') ? join(home, path.slice(1)) : path;
  if (isAbsolute(expanded)) return expanded;
  throw new VakError('invalid-input', 'the path is not absolute; write it whole');
}

async function readPem(path: string, field: string): Promise<Secret> {
  const found = await readTextFile(path, { maxBytes: maxPemBytes });
  if (found.kind === 'absent') throw new VakError('not-found', 'there is no such file; check the path');
  if (found.kind !== 'text') throw new VakError('invalid-input', found.reason);
  readCertificates(utf8(found.text), field);
  return secretFromText(found.text);
}

type Gather = (file: NatsCliFile, home: string, into: Gathered) => Promise<void> | void;

/** Ways to log in, in the order in which `nats` looks; the first whose field is set is the one. */
const ways: readonly (readonly [keyof NatsCliFile, Gather])[] = [
  [
    'user',
    ({ user, password }, _home, into) => {
      if (password === '') throw new VakError('invalid-input', 'there is no password with it');
      put(into, 'user', secretFromText(user));
      put(into, 'password', secretFromText(password));
    },
  ],
  [
    'creds',
    async ({ creds }, home, into) => {
      const { jwt, seed } = await readCredsFile(pathOf(creds, home), 'creds');
      put(into, 'jwt', jwt);
      if (seed !== undefined) put(into, 'seed', seed);
    },
  ],
  [
    'nsc',
    () => {
      throw new VakError(
        'invalid-input',
        'what the nsc tool holds is not read; export a .creds file and name it as creds',
      );
    },
  ],
  [
    'nkey',
    async ({ nkey, user_jwt }, home, into) => {
      putChecked(into, 'seed', await readSecretFile(pathOf(nkey, home), 'nkey'));
      if (user_jwt !== '') putChecked(into, 'jwt', secretFromText(user_jwt));
    },
  ],
  [
    'user_jwt',
    ({ user_jwt, user_seed }, _home, into) => {
      if (user_seed === '') throw new VakError('invalid-input', 'there is no seed with it');
      putChecked(into, 'jwt', secretFromText(user_jwt));
      putChecked(into, 'seed', secretFromText(user_seed));
    },
  ],
  ['token', ({ token }, _home, into) => put(into, 'token', secretFromText(token))],
];

const tlsFiles: readonly (readonly [keyof NatsCliFile, Gather])[] = [
  ['ca', async ({ ca }, home, into) => put(into, 'tlsCa', await readPem(pathOf(ca, home), 'ca'))],
  [
    'cert',
    async ({ cert, key }, home, into) => {
      if (key === '') throw new VakError('invalid-input', 'there is no key with it');
      put(into, 'tlsCert', await readPem(pathOf(cert, home), 'cert'));
    },
  ],
  [
    'key',
    async ({ cert, key }, home, into) => {
      if (cert === '') throw new VakError('invalid-input', 'there is no cert with it');
      const own = await readSecretFile(pathOf(key, home), 'key');
      put(into, 'tlsKey', own);
      const shown = into.secrets.get('tlsCert')?.reveal();
      if (shown !== undefined) checkClientPair({ cert: [shown, 'cert'], key: [own, 'key'] });
    },
  ],
];

const unsupported = {
  socks_proxy: 'proxies are not supported',
  jetstream_domain: 'JetStream domains are not supported; use the address of a server of that domain',
  jetstream_api_prefix: 'another prefix of JetStream is not supported',
  windows_cert_store: 'certificate stores are not read; name files as cert and key',
  tls_first: 'a TLS handshake before the greeting is not supported',
} as const;

function noteUnused(file: NatsCliFile, { notes }: Gathered): boolean {
  if (file.inbox_prefix !== '') notes.push('inbox_prefix: not taken over; ours is _INBOX.<workspace>.<peer>');
  const given = Object.entries(unsupported).filter(([field]) => Boolean(file[field as keyof typeof unsupported]));
  for (const [field, why] of given) notes.push(`${field}: ${why}`);
  return given.length === 0;
}

/** Gathers what the file names. False: the context would not work here; the notes say why. The secrets are the caller's either way. */
export async function gatherSecrets(file: NatsCliFile, home: string, into: Gathered): Promise<boolean> {
  const isSet = ([field]: readonly [keyof NatsCliFile, Gather]): boolean => file[field] !== '';
  const steps = [...ways.filter(isSet).slice(0, 1), ...tlsFiles.filter(isSet)];
  let isWhole = noteUnused(file, into);
  for (const [field, gather] of steps) {
    const isDone = await noting(into, field, () => gather(file, home, into));
    isWhole &&= isDone;
  }
  return isWhole;
}
