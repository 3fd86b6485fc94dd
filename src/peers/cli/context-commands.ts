/** `vak context add|ls|use|rm`: the named connections of the profile (product.md "Configuration"). */
import { storeContextSecrets } from '../../engine/connections/context-secrets.ts';
import { VakError } from '../../shared/base/vak-error.ts';
import { contextColours, embeddedContext, isContextName } from '../../shared/settings/setting-keys.ts';
import type { ContextSettings } from '../../shared/settings/settings-schema.ts';
import type { Command } from './command.ts';
import { checkUrl } from './connection-options.ts';
import { addContext, disposeAll, readContextSecrets } from './context-add.ts';
import { contextImport } from './context-import.ts';
import { contextTest } from './context-test.ts';
import { contextNeed } from './example-needs.ts';
import type { Output } from './output.ts';
import { unlockKeyStore } from './passphrase.ts';
import { checkProfile, type Profile, withProfile } from './profile.ts';

function rowValue({ name, kind, natsUrl, colour, readOnly }: ContextSettings, isCurrent: boolean) {
  return { name, kind, url: natsUrl, colour, readOnly, isCurrent };
}

function show(context: ContextSettings, isCurrent: boolean, output: Output): void {
  const { name, kind, natsUrl, colour, readOnly } = context;
  const text = `${isCurrent ? '*' : ' '} ${name}  ${kind}  ${natsUrl ?? '–'}  ${colour}${readOnly ? '  read-only' : ''}`;
  output.data(rowValue(context, isCurrent), text);
}

/** A name that a context of the profile has. Throws `invalid-input`, as `--context` does. */
function existing(name: string, { settings }: Profile): ContextSettings {
  const found = settings.settings().contexts.find((one) => one.name === name);
  if (found !== undefined) return found;
  throw new VakError('invalid-input', 'NAME: there is none of this name; see vak context ls');
}

function newName(name: string): string {
  if (isContextName(name) && name !== embeddedContext) return name;
  const allowed = `1–64 of A–Z a–z 0–9 _ -, and not ${embeddedContext}`;
  throw new VakError('invalid-input', `NAME: found ${name.length} characters, allowed: ${allowed}`);
}

const add: Command = {
  words: ['context', 'add'],
  changes: 'machine',
  args: ['NAME'],
  options: {
    url: { value: 'URL', help: 'address of the server, nats:// or tls://; several with commas between' },
    managed: { help: 'the server that the app runs on this machine, instead of --url' },
    colour: { value: 'C', help: `marks the environment: ${contextColours.join(', ')}` },
    'read-only': { help: 'every action that publishes is off' },
    user: { value: 'NAME', help: 'user name, with --password-file' },
    'password-file': { value: 'FILE', help: 'file with the password, mode 0600' },
    'token-file': { value: 'FILE', help: 'file with a token, mode 0600' },
  },
  summary: 'Adds a connection under a name.',
  notes: `What --creds, --nkey-file, --password-file, --token-file and --tls-… name is copied into the key store, and used for this
context alone. A name that is taken is left as it is: exit code 1. With --json prints what vak context ls prints.`,
  needs: "~/prod.creds is that server's credentials file, mode 0600, and the profile has a key store to keep it in",
  example: `vak context add prod --url tls://nats.example.com:4222 --creds ~/prod.creds --colour red
vak context add look --url nats://127.0.0.1:4222 --read-only
vak context add here --managed`,
  async run(input, host) {
    const { args, common, option, isOn } = input;
    const name = newName(args[0] ?? '');
    const url = option('url');
    if ((url === undefined) !== isOn('managed')) {
      throw new VakError('invalid-input', '--url, --managed: give the address of its server, or --managed');
    }
    const natsUrl = url === undefined ? null : checkUrl(url, '--url');
    const colour = option('colour');
    if (colour !== undefined && !(contextColours as readonly string[]).includes(colour)) {
      throw new VakError(
        'invalid-input',
        `--colour: found ${colour.length} characters, allowed: ${contextColours.join(', ')}`,
      );
    }
    const secrets = await readContextSecrets(input);
    try {
      return await withProfile(common, host, async (profile) => {
        checkProfile(profile, common);
        const kind = natsUrl === null ? 'managed' : 'remote';
        await addContext({ name, kind, natsUrl, colour, readOnly: isOn('read-only'), secrets }, profile, host);
        host.output.talk(
          `context ${name} is added; vak context test ${name} tries it, vak context use ${name} makes it the current one`,
        );
        host.output.change(rowValue(existing(name, profile), false));
        return undefined;
      });
    } finally {
      disposeAll(secrets);
    }
  },
};

const list: Command = {
  words: ['context', 'ls'],
  changes: 'nothing',
  args: [],
  options: {},
  summary: 'Lists the connections of the profile.',
  notes:
    'Prints {name, kind: embedded|managed|remote, url, colour, readOnly, isCurrent}, one a line. No secret is shown.',
  example: 'vak context ls --json',
  async run({ common }, host) {
    return await withProfile(common, host, ({ settings }) => {
      const { contexts, currentContext, natsUrl } = settings.settings();
      for (const one of contexts) show(one, one.name === currentContext, host.output);
      if (natsUrl !== null)
        host.output.talk('vak: the setting natsUrl stands above the current one; see vak config bus get');
      return undefined;
    });
  },
};

const use: Command = {
  words: ['context', 'use'],
  changes: 'machine',
  args: ['NAME'],
  options: {},
  summary: 'Makes a connection the current one, for the app too.',
  notes: 'A running app takes it over by itself. With --json prints {name}.',
  needs: contextNeed,
  example: 'vak context use prod',
  async run({ args: [name = ''], common }, host) {
    return await withProfile(common, host, async (profile) => {
      checkProfile(profile, common);
      existing(name, profile);
      await profile.settings.set('currentContext', name);
      const { natsUrl } = profile.settings.settings();
      host.output.talk(`context ${name} is the current one`);
      if (natsUrl !== null) host.output.talk('vak: the setting natsUrl stands above it; vak config bus delete natsUrl');
      host.output.change({ name });
      return undefined;
    });
  },
};

const remove: Command = {
  words: ['context', 'rm'],
  changes: 'machine',
  args: ['NAME'],
  options: {},
  summary: 'Takes a connection away, and what the key store holds of it.',
  notes: `Where the profile has a key store it is opened, so that no credentials stay behind. If it was the current one, the current one
is ${embeddedContext} again. What waits in an outbox for its server stays there, and stderr says how it is sent. With --json
prints {name}.`,
  needs: contextNeed,
  example: 'vak context rm prod',
  async run({ args: [name = ''], common }, host) {
    return await withProfile(common, host, async (profile) => {
      checkProfile(profile, common);
      const { settings, keyStore } = profile;
      const context = existing(name, profile);
      if (name === embeddedContext) throw new VakError('invalid-input', `NAME: ${embeddedContext} is always there`);
      if (keyStore.state().kind !== 'absent') {
        await unlockKeyStore(keyStore, host);
        await storeContextSecrets(keyStore, name, new Map());
      }
      // Read only here: the store of an outbox has a native part.
      const { leftoversOf } = await import('./context-leftovers.ts');
      const left = await leftoversOf(context, profile, host);
      const wasCurrent = settings.settings().currentContext === name;
      if (wasCurrent) await settings.delete('currentContext');
      await settings.delete(`contexts.${name}`);
      host.output.talk(`context ${name} is taken away`);
      if (wasCurrent) host.output.talk(`vak: it was the current one; that is ${embeddedContext} now`);
      for (const line of left) host.output.talk(`vak: ${line}`);
      host.output.change({ name });
      return undefined;
    });
  },
};

export const contextCommands: readonly Command[] = [add, list, use, contextTest, remove, contextImport];
