/** `vak config bus get|set|delete`: what the bus is built from; its secrets go to the key store and are never shown. */
import type { Secret } from '../../engine/identity/secret.ts';
import { addWorkspaceSecret } from '../../engine/identity/workspace-secrets.ts';
import { readSecretFile } from '../../engine/settings/secret-file.ts';
import {
  keyStoreSecrets,
  passphraseFileName,
  secretNames,
  secretSourceOf,
} from '../../engine/settings/secret-sources.ts';
import { VakError } from '../../shared/base/vak-error.ts';
import { isSecretName, natsJwtName, natsSeedName } from '../../shared/settings/secret-shape.ts';
import { showKey } from '../../shared/settings/settings-problem.ts';
import { checkSecret } from './bus-secret-check.ts';
import { type CliHost, type Command, type CommonOptions, exitCodes } from './command.ts';
import { deleteSetting, parseValue, showValue } from './config-commands.ts';
import { unlockKeyStore } from './passphrase.ts';
import { openProfile, type Profile } from './profile.ts';

const plainKeys = ['natsUrl', 'workspaceSecretEnv'] as const;

function isPlain(key: string): boolean {
  return (plainKeys as readonly string[]).includes(key);
}

function secretKeys({ settings }: Profile): readonly string[] {
  return secretNames(settings.settings().workspaceSecretEnv);
}

function checkKey(key: string, profile: Profile): void {
  const keys = [...plainKeys, ...secretKeys(profile)];
  if (keys.includes(key)) return;
  throw new VakError('invalid-input', `${showKey(key)}: is no bus setting; allowed: ${keys.join(', ')}`);
}

/** How the key store answers; undefined if it is locked and nothing opens it without asking. */
async function storedSecrets(profile: Profile, { workspace }: CommonOptions, host: CliHost) {
  const { keyStore, settings } = profile;
  const { kind } = keyStore.state();
  if (kind === 'absent') return () => undefined;
  const isAnswered = (host.environment[passphraseFileName] ?? '') !== '' || host.vault.backend().isReal;
  if (!isAnswered) {
    host.output.talk(`vak: the key store is locked; with ${passphraseFileName} set, what it holds is listed too`);
    return undefined;
  }
  await unlockKeyStore(keyStore, host);
  const { workspaceSecretEnv } = settings.settings();
  return keyStoreSecrets(keyStore.read(), { workspace, workspaceSecretEnv });
}

const get: Command = {
  words: ['config', 'bus', 'get'],
  args: ['[KEY]'],
  options: {},
  summary: 'Prints what the bus is built from.',
  notes: `Prints {key, value, isSet} of ${plainKeys.join(' and ')}, and of secrets {key, set, source: file|environment|key-store|null}: never
a secret. \`set\` is null where only the key store could hold it and that is locked.`,
  example: 'vak config bus get --json',
  async run({ args, common }, host) {
    const profile = await openProfile(common, host);
    try {
      const { settings } = profile;
      const [wanted] = args;
      if (wanted !== undefined) checkKey(wanted, profile);
      const isWanted = (key: string): boolean => wanted === undefined || wanted === key;
      for (const key of plainKeys.filter(isWanted)) {
        const { value, isSet } = settings.get(key);
        host.output.data(
          { key, value, isSet },
          wanted === undefined ? `${key} = ${showValue(value)}` : showValue(value),
        );
      }
      const names = secretKeys(profile).filter(isWanted);
      if (names.length === 0) return undefined;
      const keyStore = await storedSecrets(profile, common, host);
      for (const key of names) {
        const source = secretSourceOf(key, { environment: host.environment, ...(keyStore && { keyStore }) }) ?? null;
        const set = source === null && keyStore === undefined ? null : source !== null;
        const text =
          source === null ? (set === null ? 'unknown, the key store is locked' : 'not set') : `set (${source})`;
        host.output.data({ key, set, source }, wanted === undefined ? `${key} = ${text}` : text);
      }
      return undefined;
    } finally {
      profile.dispose();
    }
  },
};

/** The secret from `--file`, a pipe, or the terminal. */
async function readInput(key: string, file: string | undefined, { terminal }: CliHost): Promise<Secret> {
  if (file !== undefined) return await readSecretFile(file, '--file');
  return terminal.isInteractive ? await terminal.ask(key) : await terminal.readAll(`${key} from stdin`);
}

/** Puts a secret into the key store; gives the id under which a workspace secret stands. */
async function store(
  profile: Profile,
  { key, secret }: { key: string; secret: Secret },
  input: { common: CommonOptions; host: CliHost },
) {
  const { workspace } = input.common;
  const { randomness } = input.host;
  let id: string | undefined;
  await profile.keyStore.update((contents) => {
    if (key === natsJwtName || key === natsSeedName) {
      return { ...contents, credentials: new Map([...contents.credentials, [key, secret]]) };
    }
    const added = addWorkspaceSecret(contents, { workspace, randomness, given: secret });
    ({ id } = added);
    return added.contents;
  });
  return id;
}

const set: Command = {
  words: ['config', 'bus', 'set'],
  args: ['KEY', '[VALUE]'],
  options: { file: { value: 'FILE', help: 'file with the secret, mode 0600, instead of stdin' } },
  summary: 'Sets where the bus is, or puts one of its secrets into the key store.',
  notes: `KEY: ${plainKeys.join(', ')} with a VALUE; or ${natsJwtName}, ${natsSeedName}, or the name that
workspaceSecretEnv gives (VAK_WORKSPACE_SECRET), whose secret is read from --file, a pipe, or the terminal: never from an argument.
A workspace secret is added under a new id, and those before stay. With --json prints {key, value, isSet} or {key, set, source, id?}.`,
  example:
    'vak config bus set natsUrl tls://nats.example.com:4222\nvak config bus set VAK_BUS_NATS_NKEY_SEED --file ~/seed',
  async run({ args, common, option }, host) {
    const [key = '', text] = args;
    if (text !== undefined && !isPlain(key)) {
      // Whatever the key is, the value may be the secret.
      throw new VakError(
        'secret-misplaced',
        `${showKey(key)}: no secret is taken from the command line; give it on stdin or with --file`,
      );
    }
    const profile = await openProfile(common, host);
    try {
      checkKey(key, profile);
      if (isPlain(key)) {
        if (text === undefined) throw new VakError('invalid-input', `vak config bus set ${key}: VALUE is missing`);
        await profile.settings.set(key, parseValue(key, text));
        const { value, isSet } = profile.settings.get(key);
        host.output.change({ key, value, isSet });
        return undefined;
      }
      if (profile.keyStore.state().kind === 'absent') {
        throw new VakError('not-found', 'there is no key store in this profile; make one with vak id new');
      }
      const secret = await readInput(key, option('file'), host);
      checkSecret(key, secret);
      await unlockKeyStore(profile.keyStore, host);
      const id = await store(profile, { key, secret }, { common, host });
      host.output.talk(
        id === undefined ? `${key} is set` : `${key} is set, as secret ${id} of workspace ${common.workspace}`,
      );
      host.output.change({ key, set: true, source: 'key-store', ...(id === undefined ? {} : { id }) });
      return exitCodes.done;
    } finally {
      profile.dispose();
    }
  },
};

const remove: Command = {
  words: ['config', 'bus', 'delete'],
  args: ['KEY'],
  options: {},
  summary: 'Deletes a bus setting, or credentials from the key store; without natsUrl the bus is embedded again.',
  notes:
    'Workspace secrets are not deleted: what was sealed under one would be lost. With --json prints {key, wasSet}.',
  example: 'vak config bus delete natsUrl',
  async run({ args, common }, host) {
    const [key = ''] = args;
    const profile = await openProfile(common, host);
    try {
      checkKey(key, profile);
      if (isPlain(key)) {
        await deleteSetting(profile.settings, key, host.output);
        return undefined;
      }
      if (!isSecretName(key) || (key !== natsJwtName && key !== natsSeedName)) {
        throw new VakError(
          'invalid-input',
          `${key}: workspace secrets are not deleted; what was sealed under them would be lost`,
        );
      }
      await unlockKeyStore(profile.keyStore, host);
      const wasSet = profile.keyStore.read().credentials.has(key);
      await profile.keyStore.update((contents) => ({
        ...contents,
        credentials: new Map([...contents.credentials].filter(([name]) => name !== key)),
      }));
      host.output.talk(wasSet ? `${key} is deleted from the key store` : `${key} was not in the key store`);
      host.output.change({ key, wasSet });
      return undefined;
    } finally {
      profile.dispose();
    }
  },
};

export const configBusCommands: readonly Command[] = [get, set, remove];
