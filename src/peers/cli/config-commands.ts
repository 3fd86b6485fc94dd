/** `vak config get|set|delete`: the settings of the profile, by flat key. */

import type { SettingsFile } from '../../engine/settings/settings-file.ts';
import { VakError } from '../../shared/base/vak-error.ts';
import { isSecretName } from '../../shared/settings/secret-shape.ts';
import { rowOf, type SettingValue, settingRows } from '../../shared/settings/setting-keys.ts';
import { showKey } from '../../shared/settings/settings-problem.ts';
import { settingKeys } from '../../shared/settings/settings-schema.ts';
import { type Command, type ExitCode, exitCodes } from './command.ts';
import type { Output } from './output.ts';
import { withProfile } from './profile.ts';

const width = Math.max(...settingRows.map(({ key }) => key.length));
const keyTable = settingRows
  .map(
    ({ key, allowed, fallback, help }) =>
      `  ${key.padEnd(width)}  ${help}; ${allowed} (default: ${fallback ?? 'none'})`,
  )
  .join('\n');

/** A value as text on a line by itself; nothing where none is set. */
export function showValue(value: SettingValue): string {
  return value === null ? '' : String(value);
}

/** A value in a list. */
export function listValue(key: string, value: SettingValue): string {
  return `${key} = ${value ?? '(none)'}`;
}

/** What the text of an argument means for a setting; what means nothing is left as it is, to be refused with its type. */
export function parseValue(key: string, text: string): SettingValue {
  const type = rowOf(key)?.type;
  if (type === 'boolean' && (text === 'true' || text === 'false')) return text === 'true';
  if (type === 'integer' && /^-?\d{1,15}$/.test(text)) return Number(text);
  return text;
}

function showOne(settings: SettingsFile, key: string, output: Output): ExitCode {
  const { value, isSet } = settings.get(key);
  output.data({ key, value, isSet }, showValue(value));
  return settings.problems().some((one) => one.key === key) ? exitCodes.no : exitCodes.done;
}

function showAll(settings: SettingsFile, output: Output): ExitCode {
  for (const key of settingKeys(settings.settings())) {
    const { value, isSet } = settings.get(key);
    output.data({ key, value, isSet }, `${listValue(key, value)}${isSet ? '' : '  (default)'}`);
  }
  return settings.problems().length === 0 ? exitCodes.done : exitCodes.no;
}

const get: Command = {
  words: ['config', 'get'],
  changes: 'nothing',
  args: ['[KEY]'],
  options: {},
  summary: 'Prints a setting, or all of them.',
  notes: `Prints {key, value, isSet}. Exit code 1: something in the file is not used; stderr says what, and why.

Settings:
${keyTable}`,
  example: 'vak config get look.theme\nvak config get --json',
  async run({ args, common }, host) {
    return await withProfile(common, host, async (profile) => {
      const [key] = args;
      return key === undefined ? showAll(profile.settings, host.output) : showOne(profile.settings, key, host.output);
    });
  },
};

const set: Command = {
  words: ['config', 'set'],
  changes: 'machine',
  args: ['KEY', 'VALUE'],
  options: {},
  summary: 'Changes a setting.',
  notes: `A running app takes it over by itself. With --json prints {key, value, isSet}.

Settings:
${keyTable}`,
  example: 'vak config set look.theme dark\nvak config set idleLockMinutes 30',
  async run({ args, common }, host) {
    const [key = '', text = ''] = args;
    if (isSecretName(key)) {
      throw new VakError(
        'secret-misplaced',
        `${showKey(key)}: is a secret; use "vak config bus set", which reads it from stdin or a file`,
      );
    }
    return await withProfile(common, host, async (profile) => {
      await profile.settings.set(key, parseValue(key, text));
      const { value, isSet } = profile.settings.get(key);
      host.output.talk(listValue(key, value));
      host.output.change({ key, value, isSet });
      return undefined;
    });
  },
};

/** Takes a key out of the settings. Throws `not-found` for what is neither set nor a setting. */
export async function deleteSetting(settings: SettingsFile, key: string, output: Output): Promise<void> {
  const wasSet = await settings.delete(key);
  const isSetting = rowOf(key) !== undefined;
  if (!wasSet && !isSetting) {
    throw new VakError('not-found', `${showKey(key)}: is not in the settings; "vak config get" lists them`);
  }
  output.talk(wasSet ? `${showKey(key)} is deleted` : `${showKey(key)} was not set`);
  output.change({ key: showKey(key), wasSet });
}

const remove: Command = {
  words: ['config', 'delete'],
  changes: 'machine',
  args: ['KEY'],
  options: {},
  summary: 'Takes a setting out of the file: its default applies again.',
  notes:
    'KEY may also name a section (contexts.prod), or anything else that stands in the file. With --json prints {key, wasSet}.',
  example: 'vak config delete look.theme',
  async run({ args, common }, host) {
    return await withProfile(common, host, async (profile) => {
      await deleteSetting(profile.settings, args[0] ?? '', host.output);
      return undefined;
    });
  },
};

export const configCommands: readonly Command[] = [get, set, remove];
