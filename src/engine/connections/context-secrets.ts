/**
 * The secrets of a context in the key store (product.md "Configuration").
 * Law: one name for one part of one context; a context's own secrets never meet another server's address.
 */

import type { KeyStore } from '../identity/key-store.ts';
import type { Secret } from '../identity/secret.ts';

/** What a context may have of its own. Certificates are no secrets; they lie there because settings name no files. */
export const contextSecretParts = ['jwt', 'seed', 'user', 'password', 'token', 'tlsCa', 'tlsCert', 'tlsKey'] as const;
export type ContextSecretPart = (typeof contextSecretParts)[number];

/** Name under which the key store's `credentials` hold it. */
export function contextSecretName(context: string, part: ContextSecretPart): string {
  return `contexts.${context}.${part}`;
}

/** Replaces all that the key store holds of a context; nothing given: forgets it. The secrets stay the caller's. Throws `locked`. */
export async function storeContextSecrets(
  keyStore: Pick<KeyStore, 'update'>,
  context: string,
  secrets: ReadonlyMap<ContextSecretPart, Secret>,
): Promise<void> {
  await keyStore.update((contents) => {
    const credentials = new Map(contents.credentials);
    for (const part of contextSecretParts) {
      const secret = secrets.get(part);
      if (secret === undefined) credentials.delete(contextSecretName(context, part));
      else credentials.set(contextSecretName(context, part), secret);
    }
    return { ...contents, credentials };
  });
}

/** Which credentials of its own a context has; `jwt` and `nkey` go before the others, as they do when it connects. */
export function contextCredentials(
  context: string,
  credentials: ReadonlyMap<string, Secret>,
): 'none' | 'password' | 'token' | 'nkey' | 'jwt' {
  const has = (part: ContextSecretPart): boolean => credentials.has(contextSecretName(context, part));
  if (has('jwt')) return 'jwt';
  if (has('seed')) return 'nkey';
  if (has('user') && has('password')) return 'password';
  return has('token') ? 'token' : 'none';
}
