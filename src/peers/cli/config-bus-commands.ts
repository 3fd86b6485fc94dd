/** `vak config bus set|delete`: what the bus is built from; its secrets go to the key store and are never shown. */
import type { Secret } from '../../engine/identity/secret.ts';
import { addWorkspaceSecret } from '../../engine/identity/workspace-secrets.ts';
import { readSecretFile } from '../../engine/settings/secret-file.ts';
import { VakError } from '../../shared/base/vak-error.ts';
import { natsJwtName, natsSeedName } from '../../shared/settings/secret-shape.ts';
import { checkBusKey, isPlainKey, plainKeys } from './bus-keys.ts';
import { checkSecret } from './bus-secret-check.ts';
import type { CliHost, Command, CommandInput } from './command.ts';
import { configBusGet } from './config-bus-get.ts';
import { deleteSetting, parseValue } from './config-commands.ts';
import { unlockKeyStore } from './passphrase.ts';
import { checkProfile, type Profile, withProfile } from './profile.ts';

const isCredential = (key: string): boolean => key === natsJwtName || key === natsSeedName;

/** The secret from `--file`, a pipe, or the terminal. */
async function readInput(key: string, file: string | undefined, { terminal }: CliHost): Promise<Secret> {
  if (file !== undefined) return await readSecretFile(file, '--file');
  return terminal.isInteractive ? await terminal.ask(key) : await terminal.readAll(`${key} from stdin`);
}

/** What a command line sets, and with what. */
interface Setting {
  readonly key: string;
  readonly profile: Profile;
  readonly input: CommandInput;
  readonly host: CliHost;
}

async function setPlain({ key, profile, input, host }: Setting): Promise<undefined> {
  const [, text] = input.args;
  if (text === undefined) throw new VakError('invalid-input', `vak config bus set ${key}: VALUE is missing`);
  await profile.settings.set(key, parseValue(key, text));
  const { value, isSet } = profile.settings.get(key);
  host.output.talk(`${key} is set`);
  host.output.change({ key, value, isSet });
}

/** Puts a secret into the key store; gives the id under which a workspace secret stands. */
async function store(secret: Secret, { key, profile, input, host }: Setting): Promise<string | undefined> {
  const { workspace } = input.common;
  const { randomness } = host;
  let id: string | undefined;
  await profile.keyStore.update((contents) => {
    if (isCredential(key)) return { ...contents, credentials: new Map([...contents.credentials, [key, secret]]) };
    const added = addWorkspaceSecret(contents, { workspace, randomness, given: secret });
    ({ id } = added);
    return added.contents;
  });
  return id;
}

async function setSecret(setting: Setting): Promise<undefined> {
  const { key, profile, input, host } = setting;
  if (input.args.length > 1) {
    const message = `${key}: no secret is taken from the command line; give it on stdin or with --file`;
    throw new VakError('secret-misplaced', message);
  }
  checkProfile(profile, input.common);
  if (profile.keyStore.state().kind === 'absent') {
    throw new VakError('not-found', 'there is no key store in this profile; make one with vak id new');
  }
  const secret = await readInput(key, input.option('file'), host);
  checkSecret(key, secret);
  await unlockKeyStore(profile.keyStore, host);
  const id = await store(secret, setting);
  const where = id === undefined ? '' : `, as secret ${id} of workspace ${input.common.workspace}`;
  host.output.talk(`${key} is set${where}`);
  host.output.change({ key, set: true, source: 'key-store', ...(id === undefined ? {} : { id }) });
}

async function deleteCredential({ key, profile, host }: Setting): Promise<undefined> {
  if (!isCredential(key)) {
    const message = `${key}: workspace secrets are not deleted; what was sealed under them would be lost`;
    throw new VakError('invalid-input', message);
  }
  await unlockKeyStore(profile.keyStore, host);
  let wasSet = false;
  await profile.keyStore.update((contents) => {
    const credentials = new Map(contents.credentials);
    wasSet = credentials.delete(key);
    return { ...contents, credentials };
  });
  host.output.talk(wasSet ? `${key} is deleted from the key store` : `${key} was not in the key store`);
  host.output.change({ key, wasSet });
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
  async run(input, host) {
    return await withProfile(input.common, host, async (profile) => {
      const [key = ''] = input.args;
      checkBusKey(key, profile);
      const setting = { key, profile, input, host };
      return await (isPlainKey(key) ? setPlain(setting) : setSecret(setting));
    });
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
  async run(input, host) {
    return await withProfile(input.common, host, async (profile) => {
      const [key = ''] = input.args;
      checkBusKey(key, profile);
      if (!isPlainKey(key)) return await deleteCredential({ key, profile, input, host });
      await deleteSetting(profile.settings, key, host.output);
      return undefined;
    });
  },
};

export const configBusCommands: readonly Command[] = [configBusGet, set, remove];
