/**
 * The secrets that the bus is built from, in the key store (product.md "Configuration").
 * Law: checked for their form before they are stored, and shown by no error.
 */
import { toText } from '../../shared/base/bytes.ts';
import { VakError } from '../../shared/base/vak-error.ts';
import { natsJwtName, natsSeedName } from '../../shared/settings/secret-shape.ts';
import type { KeyStore } from '../identity/key-store.ts';
import { decodeNkeySeed } from '../identity/nkey.ts';
import type { Secret } from '../identity/secret.ts';
import { addWorkspaceSecret } from '../identity/workspace-secrets.ts';
import type { Randomness } from '../ports/randomness.ts';

/** Whether a name is that of a credential of its own; else it is the workspace secret's. */
export function isCredential(name: string): boolean {
  return name === natsJwtName || name === natsSeedName;
}

/** Throws `invalid-payload` or `invalid-input` for what cannot be such a secret. */
export function checkBusSecret(name: string, secret: Secret): void {
  if (name === natsSeedName) decodeNkeySeed(secret.reveal(), name).fill(0);
  if (name !== natsJwtName) return;
  if (/^eyJ[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+$/.test(toText(secret.reveal()))) return;
  throw new VakError(
    'invalid-input',
    `${name}: ${secret.length} bytes that are no JWT; give the JWT alone, without its frame`,
  );
}

/** What to store. */
export interface BusSecret {
  readonly name: string;
  /** Erased when it is stored, and when it cannot be. */
  readonly secret: Secret;
  readonly workspace: string;
  readonly randomness: Randomness;
  /** Of a workspace secret; the next free one if left out. */
  readonly id?: string;
}

/** Stores a secret and erases what was given; gives the id under which a workspace secret stands, as it is added beside those before. */
export async function storeBusSecret(
  keyStore: Pick<KeyStore, 'update'>,
  { name, secret, workspace, randomness, id: givenId }: BusSecret,
): Promise<string | undefined> {
  let id: string | undefined;
  try {
    checkBusSecret(name, secret);
    await keyStore.update((contents) => {
      if (isCredential(name)) return { ...contents, credentials: new Map([...contents.credentials, [name, secret]]) };
      const added = addWorkspaceSecret(contents, {
        ...{ workspace, randomness, given: secret },
        ...(givenId === undefined ? {} : { id: givenId }),
      });
      id = added.id;
      return added.contents;
    });
  } finally {
    secret.dispose();
  }
  return id;
}

/** Deletes a credential; false if there was none. Throws `invalid-input` for a workspace secret: what was sealed under it would be lost. */
export async function deleteBusSecret(keyStore: Pick<KeyStore, 'update'>, name: string): Promise<boolean> {
  if (!isCredential(name)) {
    const message = `${name}: workspace secrets are not deleted; what was sealed under them would be lost`;
    throw new VakError('invalid-input', message);
  }
  let wasSet = false;
  await keyStore.update((contents) => {
    const credentials = new Map(contents.credentials);
    wasSet = credentials.delete(name);
    return { ...contents, credentials };
  });
  return wasSet;
}
