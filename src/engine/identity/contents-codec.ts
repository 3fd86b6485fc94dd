/**
 * What the key store holds, to and from the bytes that are sealed.
 * Law: strict both ways: whatever is written can be read again, and an error names a field, never what stands in it.
 */
import { z } from 'zod';
import { fromBase64, toBase64, toTextStrict, utf8 } from '../../shared/base/bytes.ts';
import { firstIssue } from '../../shared/base/issue-words.ts';
import { VakError } from '../../shared/base/vak-error.ts';
import { base64Of } from './base64-field.ts';
import { keyBytes } from './body-cipher.ts';
import type { KeyStoreContents, StoredBoxKey, StoredIdentity, StoredWorkspace } from './key-store.ts';
import type { Secret } from './secret.ts';

/** The longest secret: a NATS credentials file is far shorter. */
const maxSecretBytes = 64 * 1024;
const maxEntries = 100_000;

const name = z.string().min(1).max(256);
const ms = z.number().min(0);
const anySecret = base64Of(1, maxSecretBytes);

const boxKey = z.strictObject({ secret: base64Of(keyBytes), createdMs: ms, expiresMs: ms });

const identity = z.strictObject({
  peer: name,
  kind: z.enum(['human', 'bot', 'process']),
  agent: z.boolean(),
  name: z.string().max(256),
  signSeed: anySecret,
  boxKeys: z.array(boxKey).max(maxEntries),
  cardSerial: z.int().min(0),
});

const workspaceSecret = z.strictObject({
  id: name,
  secret: anySecret,
  state: z.enum(['active', 'open-only', 'revoked']),
  openOnlyUntilMs: ms.nullable(),
});

const workspace = z.strictObject({
  workspace: name,
  rootPublic: name,
  rootSeed: anySecret.nullable(),
  secrets: z.array(workspaceSecret).max(maxEntries),
});

/** A map as pairs: a key such as `__proto__` is a key like any other, and one that comes twice is seen. */
const namedSecrets = z
  .array(z.tuple([name, anySecret]))
  .max(maxEntries)
  .refine((pairs) => new Set(pairs.map(([key]) => key)).size === pairs.length, { error: 'a name twice' });

const body = z.strictObject({
  /** Rises with every write. */
  revision: z.int().min(1),
  identities: z.array(identity).max(maxEntries),
  workspaces: z.array(workspace).max(maxEntries),
  credentials: namedSecrets,
  roomKeys: namedSecrets,
});

/** The body as it is sealed: secrets are base64. */
export type StoreBody = z.infer<typeof body>;

/** A store without anything in it. */
export const emptyContents: KeyStoreContents = {
  identities: [],
  workspaces: [],
  credentials: new Map(),
  roomKeys: new Map(),
};

const text = (secret: Secret): string => toBase64(secret.reveal());
const pairs = (map: ReadonlyMap<string, Secret>): [string, string][] =>
  [...map].map(([key, secret]) => [key, text(secret)]);

/** Every field is named, so that nothing is written that is not meant to be. */
function fromContents(contents: KeyStoreContents, revision: number): StoreBody {
  const fromBoxKey = ({ secret, createdMs, expiresMs }: StoredBoxKey) => ({
    ...{ secret: text(secret), createdMs, expiresMs },
  });
  const fromIdentity = ({ peer, kind, agent, name, signSeed, boxKeys, cardSerial }: StoredIdentity) => ({
    ...{ peer, kind, agent, name, signSeed: text(signSeed), boxKeys: boxKeys.map(fromBoxKey), cardSerial },
  });
  const fromWorkspace = ({ workspace, rootPublic, rootSeed, secrets }: StoredWorkspace) => ({
    ...{ workspace, rootPublic, rootSeed: rootSeed === null ? null : text(rootSeed) },
    secrets: secrets.map(({ id, secret, state, openOnlyUntilMs }) => ({
      ...{ id, secret: text(secret), state, openOnlyUntilMs },
    })),
  });
  return {
    revision,
    identities: contents.identities.map(fromIdentity),
    workspaces: contents.workspaces.map(fromWorkspace),
    credentials: pairs(contents.credentials),
    roomKeys: pairs(contents.roomKeys),
  };
}

/** Checks contents and makes the body of them. Throws `invalid-input` naming the field, `locked` for an erased secret. */
export function toBody(contents: KeyStoreContents, revision: number): StoreBody {
  const checked = body.safeParse(fromContents(contents, revision));
  if (checked.success) return checked.data;
  throw new VakError('invalid-input', `key store: ${firstIssue(checked.error)}`);
}

/** The body's bytes; the caller erases them. */
export function encodeBody(value: StoreBody): Uint8Array {
  return utf8(JSON.stringify(value));
}

function parseJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(toTextStrict(bytes, 'body'));
  } catch {
    // A parser's message quotes the text, and here that is secrets: it stays out.
    throw new VakError('corrupt', `key store: its body is no JSON (${bytes.length} bytes)`);
  }
}

/** Reads and checks a body. Throws `corrupt` naming the field. */
export function decodeBody(bytes: Uint8Array): StoreBody {
  const parsed = body.safeParse(parseJson(bytes));
  if (parsed.success) return parsed.data;
  throw new VakError('corrupt', `key store: ${firstIssue(parsed.error)}`);
}

/** Makes the contents of a body. `makeSecret` takes ownership of the bytes that it is given. */
export function toContents(value: StoreBody, makeSecret: (bytes: Uint8Array) => Secret): KeyStoreContents {
  const secret = (base64: string): Secret => makeSecret(fromBase64(base64, 'secret'));
  const toMap = (entries: readonly (readonly [string, string])[]): ReadonlyMap<string, Secret> =>
    new Map(entries.map(([key, base64]) => [key, secret(base64)]));
  return {
    identities: value.identities.map((one) => ({
      ...one,
      signSeed: secret(one.signSeed),
      boxKeys: one.boxKeys.map((key) => ({ ...key, secret: secret(key.secret) })),
    })),
    workspaces: value.workspaces.map((one) => ({
      ...one,
      rootSeed: one.rootSeed === null ? null : secret(one.rootSeed),
      secrets: one.secrets.map((held) => ({ ...held, secret: secret(held.secret) })),
    })),
    credentials: toMap(value.credentials),
    roomKeys: toMap(value.roomKeys),
  };
}
