/** `vak context import-nats`: the contexts of the `nats` command line, taken over. */
import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { type NatsCliContext, natsCliFolder, readNatsCliContexts } from '../../engine/connections/nats-cli-contexts.ts';
import { isVakError, VakError } from '../../shared/base/vak-error.ts';
import { visibleText } from '../../shared/base/visible-text.ts';
import { type CliHost, type Command, exitCodes } from './command.ts';
import { addContext, disposeAll } from './context-add.ts';
import { checkProfile, type Profile, withProfile } from './profile.ts';

/** Adds one; why not, if not. */
async function importOne(context: NatsCliContext, profile: Profile, host: CliHost): Promise<string | undefined> {
  const { name, url: natsUrl, secrets } = context;
  try {
    await addContext({ name, kind: 'remote', natsUrl, colour: undefined, readOnly: false, secrets }, profile, host);
    return undefined;
  } catch (error) {
    // What is wrong with the passphrase is wrong with all of them.
    if (!isVakError(error) || error.code === 'wrong-passphrase' || error.code === 'aborted') throw error;
    return error.message;
  }
}

export const contextImport: Command = {
  words: ['context', 'import-nats'],
  changes: 'machine',
  args: ['[FOLDER]'],
  options: {},
  summary: 'Adds the contexts of the nats command line; its files are only read.',
  notes: `FOLDER is the one with its context files (default: nats/context in the user's configuration folder). Passwords, tokens, seeds,
credentials and certificates are copied into the key store. Prints {name, outcome: added, url, notes} or {name, outcome:
skipped, why}, one a line; exit code 1 if any was skipped, as those are whose name is taken.`,
  needs: '~/backup/nats/context is such a folder',
  example: 'vak context import-nats\nvak context import-nats ~/backup/nats/context --json',
  async run({ args: [given], common }, host) {
    const { environment, homeFolder: home, output } = host;
    const folder = given === undefined ? natsCliFolder(environment, home) : resolve(given);
    if (given !== undefined && statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true) {
      throw new VakError('invalid-input', 'FOLDER: there is no such folder; check the path');
    }
    return await withProfile(common, host, async (profile) => {
      checkProfile(profile, common);
      const { contexts, skipped } = await readNatsCliContexts({ folder, home });
      const left: { readonly name: string; readonly why: string }[] = [...skipped];
      try {
        for (const context of contexts) {
          const { name, url, notes } = context;
          const why = await importOne(context, profile, host);
          if (why !== undefined) left.push({ name, why });
          else output.data({ name, outcome: 'added', url, notes }, [`added    ${name}  ${url}`, ...notes].join('\n  '));
        }
      } finally {
        for (const { secrets } of contexts) disposeAll(secrets);
      }
      for (const { name, why } of left) {
        output.data({ name, outcome: 'skipped', why }, `skipped  ${visibleText(name)}: ${visibleText(why)}`);
      }
      if (contexts.length + skipped.length === 0)
        output.talk('vak: there are no contexts of the nats command line there');
      return left.length === 0 ? exitCodes.done : exitCodes.no;
    });
  },
};
