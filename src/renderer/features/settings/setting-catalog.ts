/** How settings are shown: their names, groups and controls, and what a filter finds. Pure. */
import type { SecretStatus, SettingsState, SettingValue } from '../../../shared/contract/settings-contract.ts';
import { embeddedContext, rowOf } from '../../../shared/settings/setting-keys.ts';

/** What a setting is changed with. */
export type Control =
  | { readonly kind: 'toggle' }
  | { readonly kind: 'choice'; readonly choices: readonly string[] }
  | { readonly kind: 'number' }
  | { readonly kind: 'text' };

export interface SettingGroup {
  readonly title: string;
  readonly values: readonly SettingValue[];
}

const labels: Readonly<Record<string, string>> = {
  natsUrl: 'NATS server',
  workspaceSecretEnv: 'Variable of the workspace secret',
  currentContext: 'Connection in use',
  'policy.acceptPlain': 'Accept unsealed messages',
  'policy.acceptUnsigned': 'Accept unsigned messages',
  'look.theme': 'Theme',
  'look.timeZone': 'Times',
  idleLockMinutes: 'Lock after minutes without use',
};

const contextLabels: Readonly<Record<string, string>> = {
  kind: 'Engine',
  url: 'Server',
  colour: 'Colour',
  readOnly: 'Read only',
};

const choiceLabels: Readonly<Record<string, string>> = {
  system: 'System',
  light: 'Light',
  dark: 'Dark',
  local: 'Local',
  utc: 'UTC',
};

const groupTitles = ['Connection', 'Encryption policy', 'Look', 'Security', 'More'] as const;

/** Name of the context that a key belongs to, or undefined. */
function contextOf(key: string): string | undefined {
  const [section, name, ...field] = key.split('.');
  return section === 'contexts' && field.length > 0 ? name : undefined;
}

/** What a setting is called; one that we have no word for keeps its key. */
export function settingLabel(key: string): string {
  const context = contextOf(key);
  if (context === undefined) return labels[key] ?? key;
  const field = key.split('.').at(-1) ?? '';
  return `${context}: ${(contextLabels[field] ?? field).toLowerCase()}`;
}

export function choiceLabel(choice: string): string {
  return choiceLabels[choice] ?? choice;
}

/** A setting whose allowed words are each a value is a choice out of them. */
function choicesOf(key: string, contexts: readonly string[]): readonly string[] {
  if (key === 'currentContext') return [...new Set([embeddedContext, ...contexts])];
  const row = rowOf(key);
  if (row?.type !== 'string') return [];
  const words = row.allowed.split(', ');
  return words.every((word) => row.accepts(word)) ? words : [];
}

/** Names of the contexts among the settings, in their order. */
export function contextNames(values: readonly SettingValue[]): readonly string[] {
  const names = values.map(({ key }) => contextOf(key)).filter((name) => name !== undefined);
  return [...new Set(names)];
}

/** What the setting is changed with; the current value is always among the choices. */
export function controlOf({ key, value }: Pick<SettingValue, 'key' | 'value'>, contexts: readonly string[]): Control {
  if (typeof value === 'boolean') return { kind: 'toggle' };
  if (typeof value === 'number' || rowOf(key)?.type === 'integer') return { kind: 'number' };
  const choices = choicesOf(key, contexts);
  if (choices.length === 0) return { kind: 'text' };
  const isKnown = value === null || choices.includes(String(value));
  return { kind: 'choice', choices: isKnown ? choices : [...choices, String(value)] };
}

/** More choices than these stand in a list. */
const maxRadios = 3;

/** Whether the control is one field, so that a label can belong to it. */
export function hasField(control: Control): boolean {
  return control.kind === 'choice' ? control.choices.length > maxRadios : control.kind !== 'toggle';
}

function groupOf(key: string): (typeof groupTitles)[number] {
  const [section = ''] = key.split('.');
  if (['natsUrl', 'workspaceSecretEnv', 'currentContext', 'contexts'].includes(section)) return 'Connection';
  if (section === 'policy') return 'Encryption policy';
  if (section === 'look') return 'Look';
  if (section === 'idleLockMinutes') return 'Security';
  return 'More';
}

/** Every setting in its group; groups without one are left out. */
export function groupSettings(values: readonly SettingValue[]): readonly SettingGroup[] {
  const groups = groupTitles.map((title) => ({ title, values: values.filter(({ key }) => groupOf(key) === title) }));
  return groups.filter((group) => group.values.length > 0);
}

function hasWords(query: string, texts: readonly string[]): boolean {
  const text = texts.join(' ').toLowerCase();
  const words = query
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
  return words.every((word) => text.includes(word));
}

/** The part of the settings whose names or help hold every word of the query; values are not looked at. */
export function filterSettings(
  { values, secrets }: Pick<SettingsState, 'values' | 'secrets'>,
  query: string,
): { readonly values: readonly SettingValue[]; readonly secrets: readonly SecretStatus[] } {
  return {
    values: values.filter(({ key, help }) => hasWords(query, [key, settingLabel(key), help, groupOf(key)])),
    secrets: secrets.filter(({ name, help }) => hasWords(query, [name, help, 'Secrets'])),
  };
}

/** Whether a setting is shown and changed in the table of connections. */
export function isOfConnections(key: string): boolean {
  return key === 'currentContext' || contextOf(key) !== undefined;
}

/** Whether what is looked for may stand in the table of connections. */
export function isAboutConnections(query: string): boolean {
  const names =
    'connections contexts currentContext server url nats credentials creds colour kind embedded managed remote';
  return hasWords(query, [names, 'read only readOnly read-only test import']);
}

/** Why a value is weaker than the default, if it is. */
export function weaknessOf({ key, value }: Pick<SettingValue, 'key' | 'value'>): string | undefined {
  if (key.startsWith('policy.accept') && value === true) return 'Weaker than the default.';
  if (key === 'idleLockMinutes' && value === 0) return 'It never locks by itself.';
  return undefined;
}

/** A message without the key that stands before it already. */
export function withoutKey(key: string, message: string): string {
  return key !== '' && message.startsWith(`${key}: `) ? message.slice(key.length + 2) : message;
}
