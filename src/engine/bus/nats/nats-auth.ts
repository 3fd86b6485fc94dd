/**
 * How a client proves to a nats-server who it is: password, token, nkey, user JWT, credentials file (protocol.md B9).
 * Law: no secret reaches an error; what is opened here answers the server without failing, and is erased after the try.
 */
import type { Auth } from 'nats';
import { toBase64Url } from '../../../shared/base/base64url.ts';
import { toText, utf8 } from '../../../shared/base/bytes.ts';
import type { Disposable } from '../../../shared/base/disposer.ts';
import { VakError } from '../../../shared/base/vak-error.ts';
import { createNkeySigner } from '../../identity/nkey.ts';
import { createSecret, type Secret } from '../../identity/secret.ts';

export type NatsAuth =
  | { readonly kind: 'password'; readonly user: string; readonly password: Secret }
  | { readonly kind: 'token'; readonly token: Secret }
  /** `seed`: `SU…`. */
  | { readonly kind: 'nkey'; readonly seed: Secret }
  | { readonly kind: 'jwt'; readonly jwt: Secret; readonly seed: Secret }
  /** `text`: a `.creds` file as it is; lines may end in CRLF. */
  | { readonly kind: 'creds'; readonly text: Secret };

/** Credentials as somebody gave them: a JWT alone is proved by a key that is elsewhere. */
export type GivenAuth = NatsAuth | { readonly kind: 'jwt-alone'; readonly jwt: Secret };

/** Credentials for one try to connect. */
export interface OpenCredentials extends Disposable {
  /** What goes into CONNECT. Never throws. */
  answer(nonce: string | undefined): Auth;
  /** When the JWT ends, ms since the epoch; undefined if it says nothing, or there is none. */
  readonly expiresMs: number | undefined;
}

const maxCredsBytes = 64 * 1024;
const lineFeed = 0x0a;
const carriageReturn = 0x0d;
const dash = 0x2d;

/** Lines without their ends, as views of the bytes: the seed must not become a text. */
function* linesOf(bytes: Uint8Array): Generator<Uint8Array> {
  let from = 0;
  while (from < bytes.length) {
    const found = bytes.indexOf(lineFeed, from);
    const end = found < 0 ? bytes.length : found;
    yield bytes.subarray(from, end > from && bytes[end - 1] === carriageReturn ? end - 1 : end);
    from = end + 1;
  }
}

function trimmed(line: Uint8Array): Uint8Array {
  const isSpace = (byte: number | undefined): boolean => byte === 0x20 || byte === 0x09;
  let [from, to] = [0, line.length];
  while (from < to && isSpace(line[from])) from++;
  while (to > from && isSpace(line[to - 1])) to--;
  return line.subarray(from, to);
}

/** First line of each framed part, by the name in its frame. */
function framedParts(bytes: Uint8Array): ReadonlyMap<string, Uint8Array> {
  const found = new Map<string, Uint8Array>();
  let part: string | undefined;
  const hasMark = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
  for (const line of linesOf(hasMark ? bytes.subarray(3) : bytes)) {
    const content = trimmed(line);
    const frame = content[0] === dash ? /^-{3,}\s*(BEGIN|END) (.+?)\s*-{3,}$/.exec(toText(content)) : null;
    if (frame !== null) part = frame[1] === 'BEGIN' ? frame[2] : undefined;
    else if (part !== undefined && content.length > 0 && !found.has(part)) found.set(part, content);
  }
  return found;
}

/** The first three parts of a JWT, and nothing else. */
const jwtForm = /^\s*(eyJ[\w-]+\.[\w-]+\.[\w-]+)\s*$/;

/**
 * JWT and seed of a `.creds` text, or a JWT alone, in its frame or without; the caller disposes both.
 * Throws `invalid-input` for what has no JWT in it.
 */
export function readCreds(text: Secret): { readonly jwt: Secret; readonly seed: Secret | undefined } {
  const bytes = text.reveal();
  const refuse = (why: string): never => {
    const message = `creds: ${why} (${bytes.length} bytes); expected the frames NATS USER JWT and USER NKEY SEED`;
    throw new VakError('invalid-input', message, { details: { field: 'creds' } });
  };
  if (bytes.length > maxCredsBytes) return refuse(`longer than ${maxCredsBytes} bytes`);
  const parts = framedParts(bytes);
  const bare = parts.size === 0 ? jwtForm.exec(toText(bytes))?.[1] : undefined;
  const jwt = parts.get('NATS USER JWT') ?? (bare === undefined ? refuse('no JWT in it') : utf8(bare));
  const seed = parts.get('USER NKEY SEED');
  // Where a part has another name nobody knows whether a seed was meant.
  if (seed === undefined && parts.size > 1) return refuse('no seed in it');
  return { jwt: createSecret(jwt.slice()), seed: seed && createSecret(seed.slice()) };
}

/** What a JWT says, read without trust: only to say why it does not do. */
function claimsOf(jwt: string): { readonly exp?: unknown; readonly sub?: unknown } {
  try {
    const claims: unknown = JSON.parse(Buffer.from(jwt.split('.')[1] ?? '', 'base64url').toString('utf8'));
    return typeof claims === 'object' && claims !== null ? claims : {};
  } catch {
    return {};
  }
}

/** When a JWT ends, ms since the epoch; undefined: it does not say. */
export function expiryOf(jwt: string): number | undefined {
  const seconds = claimsOf(jwt).exp;
  return typeof seconds === 'number' && seconds > 0 ? seconds * 1000 : undefined;
}

/** Whose JWT it is (`U…`); undefined: it does not say. */
export function subjectOf(jwt: string): string | undefined {
  const { sub } = claimsOf(jwt);
  return typeof sub === 'string' ? sub : undefined;
}

/**
 * What a server may ask to have signed. The same key signs envelopes, and nothing that those sign is such a text: each has a zero byte
 * behind its label.
 */
const nonceForm = /^[\x21-\x7e]{1,128}$/;

function openSeed(seed: Secret, jwt: string | undefined): OpenCredentials {
  const signer = createNkeySigner(seed);
  return {
    expiresMs: jwt === undefined ? undefined : expiryOf(jwt),
    answer(nonce) {
      // A server that asks no nkey gives no nonce, and looks at nothing of this.
      const isAsked = nonce !== undefined && nonceForm.test(nonce);
      const sig = isAsked ? toBase64Url(signer.sign(utf8(nonce))) : '';
      return jwt === undefined ? { nkey: signer.nkey, sig } : { jwt, nkey: signer.nkey, sig };
    },
    dispose: () => signer.dispose(),
  };
}

function withoutSeed(answer: Auth): OpenCredentials {
  return { expiresMs: undefined, answer: () => answer, dispose: () => {} };
}

/** Throws `invalid-input` or `invalid-payload` for what cannot be such credentials, `locked` if a secret is erased. */
export function openCredentials(auth: NatsAuth | undefined): OpenCredentials {
  if (auth === undefined) return withoutSeed(undefined);
  switch (auth.kind) {
    case 'password':
      return withoutSeed({ user: auth.user, pass: toText(auth.password.reveal()) });
    case 'token':
      return withoutSeed({ auth_token: toText(auth.token.reveal()) });
    case 'nkey':
      return openSeed(auth.seed, undefined);
    case 'jwt':
      return openSeed(auth.seed, toText(auth.jwt.reveal()));
    case 'creds': {
      const { jwt, seed } = readCreds(auth.text);
      try {
        if (seed === undefined) throw new VakError('invalid-input', 'creds: no seed in it; name the file that has one');
        return openSeed(seed, toText(jwt.reveal()));
      } finally {
        jwt.dispose();
        seed?.dispose();
      }
    }
  }
}
