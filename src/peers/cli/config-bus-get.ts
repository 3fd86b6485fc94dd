/** `vak config bus get`: which bus settings and secrets there are, and where a secret would come from. */
import {
  environmentSecretId,
  keyStoreSecrets,
  passphraseFileName,
  type SecretSources,
  secretSourceOf,
} from '../../engine/settings/secret-sources.ts';
import { checkBusKey, plainKeys, secretKeys } from './bus-keys.ts';
import type { CliHost, Command, CommonOptions } from './command.ts';
import { listValue, showValue } from './config-commands.ts';
import { unlockKeyStore } from './passphrase.ts';
import { type Profile, withProfile } from './profile.ts';

type KeyStoreAnswer = NonNullable<SecretSources['keyStore']>;

/** How the key store answers; undefined if it is locked and nothing opens it without asking. */
async function storedSecrets(
  profile: Profile,
  { workspace }: CommonOptions,
  host: CliHost,
): Promise<KeyStoreAnswer | undefined> {
  const { keyStore, settings } = profile;
  if (keyStore.state().kind === 'absent') return () => undefined;
  const isAnswered = (host.environment[passphraseFileName] ?? '') !== '' || host.vault.backend().isReal;
  if (!isAnswered) {
    host.output.talk(`vak: the key store is locked; with ${passphraseFileName} set, what it holds is listed too`);
    return undefined;
  }
  await unlockKeyStore(keyStore, host);
  const { workspaceSecretEnv } = settings.settings();
  return keyStoreSecrets(keyStore.read(), { workspace, workspaceSecretEnv });
}

interface Asked {
  readonly key: string;
  readonly environment: CliHost['environment'];
  readonly keyStore: KeyStoreAnswer | undefined;
  readonly isWorkspaceSecret: boolean;
}

/** A line about a secret; `set` is null where nobody can tell. */
function secretLine({ key, environment, keyStore, isWorkspaceSecret }: Asked) {
  const source = secretSourceOf(key, keyStore === undefined ? { environment } : { environment, keyStore }) ?? null;
  if (source !== null) {
    const id = isWorkspaceSecret && source !== 'key-store' ? { id: environmentSecretId } : {};
    return { value: { key, set: true, source, ...id }, text: `set (${source})` };
  }
  if (keyStore === undefined) return { value: { key, set: null, source }, text: 'unknown, the key store is locked' };
  return { value: { key, set: false, source }, text: 'not set' };
}

export const configBusGet: Command = {
  words: ['config', 'bus', 'get'],
  changes: 'nothing',
  args: ['[KEY]'],
  options: {},
  summary: 'Prints what the bus is built from.',
  notes: `Prints {key, value, isSet} of ${plainKeys.join(' and ')}, and of secrets {key, set, source: file|environment|key-store|null}: never
a secret. A workspace secret that is not the key store's has the id env. "set" is null where only the key store could hold it and that is locked.`,
  example: 'vak config bus get --json',
  async run({ args, common }, host) {
    return await withProfile(common, host, async (profile) => {
      const [wanted] = args;
      if (wanted !== undefined) checkBusKey(wanted, profile);
      const isWanted = (key: string): boolean => wanted === undefined || wanted === key;
      const isList = wanted === undefined;
      for (const key of plainKeys.filter(isWanted)) {
        const { value, isSet } = profile.settings.get(key);
        host.output.data({ key, value, isSet }, isList ? listValue(key, value) : showValue(value));
      }
      const names = secretKeys(profile).filter(isWanted);
      if (names.length === 0) return undefined;
      const keyStore = await storedSecrets(profile, common, host);
      const { environment } = host;
      const { workspaceSecretEnv } = profile.settings.settings();
      for (const key of names) {
        const { value, text } = secretLine({
          key,
          environment,
          keyStore,
          isWorkspaceSecret: key === workspaceSecretEnv,
        });
        host.output.data(value, isList ? `${key} = ${text}` : text);
      }
      return undefined;
    });
  },
};
