/**
 * Where secrets come from (product.md "Configuration", cli.md).
 * Law: the file that `NAME_FILE` names goes before the variable `NAME`, and that before the key store; only the kind of
 * the source is ever told, and a source that is there but unfit is an error, not a reason to look at the next.
 */

import { VakError } from '../../shared/base/vak-error.ts';
import { natsJwtName, natsSeedName } from '../../shared/settings/secret-shape.ts';
import type { KeyStoreContents } from '../identity/key-store.ts';
import { type Secret, secretFromText } from '../identity/secret.ts';
import { maxSecretBytes, readSecretFile } from './secret-file.ts';

/** Variable that names the file with the key store's passphrase. */
export const passphraseFileName = 'VAK_PASSPHRASE_FILE';
/** Id of the workspace secret that does not come from the key store. */
export const environmentSecretId = 'env';

export type SecretSourceKind = 'file' | 'environment' | 'key-store';

/** A secret and the kind of its source. */
export interface FoundSecret {
  readonly secret: Secret;
  readonly source: SecretSourceKind;
}

/** Variables by name, as the composition root read them. */
export type Environment = Readonly<Record<string, string | undefined>>;

export interface SecretSources {
  readonly environment: Environment;
  /** What the key store holds under a name; left out where there is none, or it is locked. */
  readonly keyStore?: (name: string) => Secret | undefined;
}

/** Names of a profile's secrets; `workspaceSecretEnv` is the setting. */
export function secretNames(workspaceSecretEnv: string): readonly string[] {
  return [natsJwtName, natsSeedName, workspaceSecretEnv];
}

/** Which source a secret would come from, without reading it; undefined: none has it. */
export function secretSourceOf(name: string, { environment, keyStore }: SecretSources): SecretSourceKind | undefined {
  if (isGiven(environment[`${name}_FILE`])) return 'file';
  if (isGiven(environment[name])) return 'environment';
  return keyStore?.(name) === undefined ? undefined : 'key-store';
}

function isGiven(text: string | undefined): text is string {
  return text !== undefined && text !== '';
}

/**
 * Reads a secret from the first source that has it; undefined if none has. Throws `invalid-input`, `limit-exceeded`.
 * Those from the key store are the store's own: do not dispose them.
 */
export async function readSecret(name: string, sources: SecretSources): Promise<FoundSecret | undefined> {
  const { environment, keyStore } = sources;
  const path = environment[`${name}_FILE`];
  if (isGiven(path)) return { secret: await readSecretFile(path, `${name}_FILE`), source: 'file' };
  const text = environment[name];
  if (isGiven(text)) {
    if (text.length > maxSecretBytes)
      throw new VakError('limit-exceeded', `${name}: more than ${maxSecretBytes} bytes`);
    return { secret: secretFromText(text), source: 'environment' };
  }
  const secret = keyStore?.(name);
  return secret === undefined ? undefined : { secret, source: 'key-store' };
}

/** Takes secrets out of an environment that is handed on; the paths of their files too. */
export function scrubEnvironment(environment: Record<string, string | undefined>, names: readonly string[]): void {
  for (const name of names) {
    delete environment[name];
    delete environment[`${name}_FILE`];
  }
}

/** How the key store answers for the names of {@link secretNames}: credentials by name, the workspace's newest active secret. */
export function keyStoreSecrets(
  contents: KeyStoreContents,
  { workspace, workspaceSecretEnv }: { readonly workspace: string; readonly workspaceSecretEnv: string },
): (name: string) => Secret | undefined {
  return (name) => {
    if (name !== workspaceSecretEnv) return contents.credentials.get(name);
    const secrets = contents.workspaces.find((one) => one.workspace === workspace)?.secrets ?? [];
    return secrets.findLast(({ state }) => state === 'active')?.secret;
  };
}
