/** Puts a context into the settings, and what it proves itself with into the key store (product.md "Configuration"). */
import { type ContextSecretPart, storeContextSecrets } from '../../engine/connections/context-secrets.ts';
import { readCredsFile } from '../../engine/connections/creds-file.ts';
import { createNkeySigner } from '../../engine/identity/nkey.ts';
import { createSecret, type Secret, secretFromText } from '../../engine/identity/secret.ts';
import { readSecretFile } from '../../engine/settings/secret-file.ts';
import { passphraseFileName } from '../../engine/settings/secret-sources.ts';
import { VakError } from '../../shared/base/vak-error.ts';
import type { ContextSettings } from '../../shared/settings/settings-schema.ts';
import { readTlsFiles } from './bus-credentials.ts';
import type { CliHost, CommandInput } from './command.ts';
import { unlockKeyStore } from './passphrase.ts';
import type { Profile } from './profile.ts';

export type ContextSecrets = ReadonlyMap<ContextSecretPart, Secret>;

/** A context that is to be. */
export interface NewContext extends Omit<ContextSettings, 'kind' | 'colour'> {
  readonly kind: 'managed' | 'remote';
  /** As typed: the settings say what is allowed. */
  readonly colour: string | undefined;
  /** They stay the caller's. */
  readonly secrets: ContextSecrets;
}

export function disposeAll(secrets: ContextSecrets): void {
  for (const secret of secrets.values()) secret.dispose();
}

/** Who the context is, from the files of the line. */
async function readLogin({ option, common }: CommandInput, put: (part: ContextSecretPart, secret: Secret) => void) {
  const { creds, nkeyFile } = common.connection;
  const [user, passwordFile, tokenFile] = [option('user'), option('password-file'), option('token-file')];
  const given = [creds, nkeyFile, passwordFile, tokenFile].filter((one) => one !== undefined).length;
  if (given > 1 || (user === undefined) !== (passwordFile === undefined)) {
    const all = '--creds, --nkey-file, --user with --password-file, --token-file';
    throw new VakError('invalid-input', `${all}: give one of them, or none`);
  }
  if (creds !== undefined) {
    const { jwt, seed } = await readCredsFile(creds, '--creds');
    put('jwt', jwt);
    if (seed !== undefined) put('seed', seed);
  }
  if (nkeyFile !== undefined) {
    const seed = await readSecretFile(nkeyFile, '--nkey-file');
    put('seed', seed);
    createNkeySigner(seed).dispose();
  }
  if (user !== undefined) put('user', secretFromText(user));
  if (passwordFile !== undefined) put('password', await readSecretFile(passwordFile, '--password-file'));
  if (tokenFile !== undefined) put('token', await readSecretFile(tokenFile, '--token-file'));
}

/** What the line gives a context of its own. The caller disposes it. Throws `invalid-input`, `invalid-payload`, `limit-exceeded`. */
export async function readContextSecrets(input: CommandInput): Promise<ContextSecrets> {
  const secrets = new Map<ContextSecretPart, Secret>();
  const put = (part: ContextSecretPart, secret: Secret): void => void secrets.set(part, secret);
  try {
    await readLogin(input, put);
    const tls = await readTlsFiles(input.common.connection);
    if (tls?.ca !== undefined) put('tlsCa', createSecret(tls.ca));
    if (tls?.cert !== undefined) put('tlsCert', createSecret(tls.cert));
    if (tls?.key !== undefined) put('tlsKey', tls.key);
    return secrets;
  } catch (error) {
    disposeAll(secrets);
    throw error;
  }
}

/** Replaces all that the key store holds of a context: one of the same name before it may have left something. */
async function storeSecrets({ name, secrets }: NewContext, { keyStore }: Profile, host: CliHost): Promise<void> {
  if (keyStore.state().kind === 'absent' && secrets.size === 0) return;
  const isAnswered = (host.environment[passphraseFileName] ?? '') !== '' || host.vault.backend().isReal;
  const isOpen = keyStore.state().kind === 'unlocked';
  if (secrets.size === 0 && !isOpen && !isAnswered) return;
  await unlockKeyStore(keyStore, host);
  await storeContextSecrets(keyStore, name, secrets);
}

/** Adds it. Throws `exists`, `invalid-input`, `not-found` (secrets, and no key store), `locked`. */
export async function addContext(context: NewContext, profile: Profile, host: CliHost): Promise<void> {
  const { settings } = profile;
  const { name, kind, natsUrl, colour, readOnly } = context;
  if (settings.settings().contexts.some((one) => one.name === name)) {
    throw new VakError(
      'exists',
      `context ${name}: there is one already; take it away with vak context rm, or use another name`,
    );
  }
  await storeSecrets(context, profile, host);
  // The address stands last: until then nothing can be reached, and so nothing changed, through half a context.
  if (readOnly) await settings.set(`contexts.${name}.readOnly`, true);
  if (colour !== undefined) await settings.set(`contexts.${name}.colour`, colour);
  await settings.set(`contexts.${name}.kind`, kind);
  if (natsUrl !== null) await settings.set(`contexts.${name}.url`, natsUrl);
}
