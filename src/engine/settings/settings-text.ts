/**
 * Edits of a settings file's text by flat key (product.md "Configuration").
 * Law: an edit that is not allowed, or that would leave a secret in the file, throws and gives no text.
 */
import { utf8 } from '../../shared/base/bytes.ts';
import { VakError } from '../../shared/base/vak-error.ts';
import { lineAt, membersOf, valueTextAt, withoutValueAt, withValueAt } from '../../shared/settings/json-text.ts';
import { isSecretName } from '../../shared/settings/secret-shape.ts';
import { rowOf, type SettingRow, type SettingValue } from '../../shared/settings/setting-keys.ts';
import { problemOf, type SettingsProblem, showKey } from '../../shared/settings/settings-problem.ts';
import { readSettings } from '../../shared/settings/settings-schema.ts';

/** Largest settings file that is read or written. */
export const maxSettingsBytes = 1024 * 1024;

function refusal({ code, key, message }: SettingsProblem): VakError {
  return new VakError(code, message, { details: { key } });
}

/** The row of a key. Throws `secret-misplaced` for the name of a secret, `not-found` for what is no setting. */
export function settingRow(key: string): SettingRow {
  const row = rowOf(key);
  if (row !== undefined) return row;
  const shown = showKey(key);
  if (isSecretName(key)) {
    throw new VakError(
      'secret-misplaced',
      `${shown}: is a secret and stands in no settings file; see "vak config bus set"`,
    );
  }
  throw new VakError('not-found', `${shown}: there is no such setting; "vak config get" lists them`);
}

/** Text with the setting changed. Throws `invalid-input`, `secret-misplaced`, `not-found`, `limit-exceeded`. */
export function withSetting(text: string, key: string, value: SettingValue): string {
  const row = settingRow(key);
  const problem = problemOf(row, value);
  if (problem !== undefined) throw refusal(problem);
  const path = key.split('.');
  const changed = withValueAt(text, path, JSON.stringify(value));
  if (changed === undefined) {
    const section = path.slice(0, -1).join('.');
    throw new VakError('invalid-input', `${section}: is no object in the file; delete ${section} first`);
  }
  const problems = readSettings(JSON.parse(changed)).problems;
  const hindrance = problems.find((one) => one.key === key || one.code === 'secret-misplaced');
  if (hindrance !== undefined) throw refusal(hindrance);
  return checkSize(`${changed}\n`);
}

function checkSize(text: string): string {
  const size = utf8(text).length;
  if (size <= maxSettingsBytes) return text;
  throw new VakError('limit-exceeded', `settings: ${size} bytes, at most ${maxSettingsBytes} are kept`);
}

/** The path that a dotted key means in this very text, in which names may hold dots themselves. */
function pathOf(text: string, key: string): readonly string[] | undefined {
  const members = membersOf(text) ?? [];
  if (members.some(({ name }) => name === key)) return [key];
  for (let dot = key.indexOf('.'); dot >= 0; dot = key.indexOf('.', dot + 1)) {
    const inner = valueTextAt(text, [key.slice(0, dot)]);
    const rest = inner === undefined ? undefined : pathOf(inner, key.slice(dot + 1));
    if (rest !== undefined) return [key.slice(0, dot), ...rest];
  }
  return undefined;
}

/** The line on which a dotted key stands, from 1; undefined if it does not. */
export function lineOfSetting(text: string, key: string): number | undefined {
  const path = pathOf(text, key);
  return path === undefined ? undefined : lineAt(text, path);
}

/** Text without the key, be it a setting, a section or an unknown one; undefined if it is not in the text. */
export function withoutSetting(text: string, key: string): string | undefined {
  const path = pathOf(text, key);
  return path === undefined ? undefined : `${withoutValueAt(text, path).trimEnd()}\n`;
}
