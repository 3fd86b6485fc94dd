/** `vak config bus set|delete`: what the bus is built from; its secrets go to the key store and are never shown. */
import { checkBusSecret, deleteBusSecret, isCredential, storeBusSecret } from '../../engine/settings/bus-secrets.ts';
import { environmentSecretId } from '../../engine/settings/secret-sources.ts';
import { VakError } from '../../shared/base/vak-error.ts';
import { checkToken } from '../../shared/protocol/subject.ts';
import { natsJwtName, natsSeedName } from '../../shared/settings/secret-shape.ts';
import { checkBusKey, isPlainKey, plainKeys } from './bus-keys.ts';
import type { CliHost, Command, CommandInput } from './command.ts';
import { configBusGet } from './config-bus-get.ts';
import { deleteSetting, parseValue } from './config-commands.ts';
import { unlockKeyStore } from './passphrase.ts';
import { checkProfile, type Profile, withProfile } from './profile.ts';
import { readSecretInput } from './secret-input.ts';

/** What a command line sets, and with what. */
interface Setting {
  readonly key: string;
  readonly profile: Profile;
  readonly input: CommandInput;
  readonly host: CliHost;
}

async function setPlain({ key, profile, input, host }: Setting): Promise<undefined> {
  const [, text] = input.args;
  if (input.option('id') !== undefined) throw new VakError('invalid-input', `--id: ${key} has none; leave it out`);
  if (text === undefined) throw new VakError('invalid-input', `vak config bus set ${key}: VALUE is missing`);
  await profile.settings.set(key, parseValue(key, text));
  const { value, isSet } = profile.settings.get(key);
  host.output.talk(`${key} is set`);
  host.output.change({ key, value, isSet });
}

/** The id of `--id`. Throws `invalid-input` for what has none, and for the one that stands for the environment's. */
function readSecretId(key: string, { option }: CommandInput): { readonly id?: string } {
  const id = option('id');
  if (id === undefined) return {};
  if (isCredential(key)) throw new VakError('invalid-input', `--id: ${key} has none; leave it out`);
  if (id !== environmentSecretId) return { id: checkToken(id, '--id') };
  throw new VakError('invalid-input', `--id: ${id} is the one of the environment; give another`);
}

async function setSecret(setting: Setting): Promise<undefined> {
  const { key, profile, input, host } = setting;
  if (input.args.length > 1) {
    const message = `${key}: no secret is taken from the command line; give it on stdin or with --file`;
    throw new VakError('secret-misplaced', message);
  }
  checkProfile(profile, input.common);
  const givenId = readSecretId(key, input);
  if (profile.keyStore.state().kind === 'absent') {
    throw new VakError('not-found', 'there is no key store in this profile; make one with vak id new');
  }
  const secret = await readSecretInput(key, input.option('file'), host);
  const { workspace } = input.common;
  let id: string | undefined;
  try {
    checkBusSecret(key, secret);
    await unlockKeyStore(profile.keyStore, host);
    const { randomness } = host;
    id = await storeBusSecret(profile.keyStore, { name: key, secret, workspace, randomness, ...givenId });
  } finally {
    secret.dispose();
  }
  const where = id === undefined ? '' : `, as secret ${id} of workspace ${workspace}`;
  host.output.talk(`${key} is set${where}`);
  host.output.change({ key, set: true, source: 'key-store', ...(id === undefined ? {} : { id }) });
}

async function deleteCredential({ key, profile, host }: Setting): Promise<undefined> {
  await unlockKeyStore(profile.keyStore, host);
  const wasSet = await deleteBusSecret(profile.keyStore, key);
  host.output.talk(wasSet ? `${key} is deleted from the key store` : `${key} was not in the key store`);
  host.output.change({ key, wasSet });
}

const set: Command = {
  words: ['config', 'bus', 'set'],
  changes: 'machine',
  args: ['KEY', '[VALUE]'],
  options: {
    file: { value: 'FILE', help: 'file with the secret, mode 0600, instead of stdin' },
    id: { value: 'ID', help: 'id of a workspace secret, as it has where it comes from (default: the next free one)' },
  },
  summary: 'Sets where the bus is, or puts one of its secrets into the key store.',
  notes: `KEY: ${plainKeys.join(', ')} with a VALUE; or ${natsJwtName}, ${natsSeedName}, or the name that
workspaceSecretEnv gives (VAK_WORKSPACE_SECRET), whose secret is read from --file, a pipe, or the terminal: never from an argument.
A workspace secret (16 bytes at least) is added under a new id, and those before stay (vak secret lists them); all profiles of a workspace must give it one id. With --json prints {key, value, isSet} or {key, set, source, id?}.`,
  needs: '~/seed holds the seed of an nkey (SU…), mode 0600',
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
  changes: 'machine',
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
