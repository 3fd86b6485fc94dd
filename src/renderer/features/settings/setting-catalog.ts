/** How settings are shown: their names, groups and controls, and what a filter finds. Pure. */
import type { SecretStatus, SettingsState, SettingValue } from '../../../shared/contract/settings-contract.ts';
import { isNoticeKind, noticeKinds } from '../../../shared/protocol/incident-kinds.ts';
import { embeddedContext, rowOf } from '../../../shared/settings/setting-keys.ts';
import { noticeKindWords } from '../../ui/notice-kind-words.ts';

/** What a setting is changed with. */
export type Control =
  | { readonly kind: 'toggle' }
  | { readonly kind: 'choice'; readonly choices: readonly string[] }
  /** Any of them, kept as one text with commas between. */
  | { readonly kind: 'several'; readonly choices: readonly string[] }
  | { readonly kind: 'number'; readonly unit: string | undefined }
  /** A time in the future, chosen by how long from now. */
  | { readonly kind: 'until' }
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
  'look.zoomPercent': 'Zoom',
  idleLockMinutes: 'Lock after time without use',
  keyAliases: 'Aliases of foreign key ids',
  'filters.messages': 'Saved filters of messages',
  'filters.letters': 'Saved filters of dead letters',
  'retention.workMiB': 'Tasks that wait: size',
  'retention.receiptsDays': 'Receipts: age',
  'retention.receiptsMiB': 'Receipts: size',
  'retention.approvalsDays': 'Approvals: age',
  'retention.approvalsMiB': 'Approvals: size',
  'retention.deadLettersDays': 'Dead letters: age',
  'retention.deadLettersMiB': 'Dead letters: size',
  'memory.bufferMessages': 'Messages in memory',
  'memory.bufferMiB': 'Memory for messages',
  'memory.terminalLines': 'Lines of a terminal',
  'memory.telemetryMinutes': 'Telemetry of a session',
  'alerts.lagLimit': 'Lag of a queue',
  'alerts.ageLimitSec': 'Age of its oldest task',
  'alerts.noConsumerSec': 'Time without a consumer',
  'notifications.desktop': 'Notifications of the desktop',
  'notifications.mutedKinds': 'Muted kinds',
  'notifications.mutedQueues': 'Muted queues',
  'notifications.mutedUntil': 'Mute everything',
  'rooms.receipts': 'Tell what I have read',
  'rooms.typing': 'Tell when I write',
};

const units: Readonly<Record<string, string>> = {
  idleLockMinutes: 'min',
  'alerts.lagLimit': 'tasks',
  'alerts.ageLimitSec': 's',
  'alerts.noConsumerSec': 's',
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

const groupTitles = [
  ...(['Connection', 'Encryption policy', 'Retention', 'Memory', 'Alerts', 'Notifications', 'Rooms'] as const),
  ...(['Look', 'Security', 'More'] as const),
];

const unitsBySuffix = [
  ['Days', 'd'],
  ['MiB', 'MiB'],
  ['Messages', 'messages'],
  ['Lines', 'lines'],
  ['Minutes', 'min'],
  ['Percent', '%'],
] as const;

function unitOf(key: string): string | undefined {
  return units[key] ?? unitsBySuffix.find(([suffix]) => key.endsWith(suffix))?.[1];
}

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
  return choiceLabels[choice] ?? (isNoticeKind(choice) ? noticeKindWords[choice] : choice);
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
  if (typeof value === 'number' || rowOf(key)?.type === 'integer') return { kind: 'number', unit: unitOf(key) };
  if (key === 'notifications.mutedKinds') return { kind: 'several', choices: noticeKinds };
  if (key === 'notifications.mutedUntil') return { kind: 'until' };
  const choices = choicesOf(key, contexts);
  if (choices.length === 0) return { kind: 'text' };
  const isKnown = value === null || choices.includes(String(value));
  return { kind: 'choice', choices: isKnown ? choices : [...choices, String(value)] };
}

/** More choices than these stand in a list. */
const maxRadios = 3;

/** Whether the control is one field, so that a label can belong to it. */
export function hasField(control: Control): boolean {
  if (control.kind === 'choice') return control.choices.length > maxRadios;
  return control.kind === 'number' || control.kind === 'text';
}

/** Title of the part of the page that a setting stands in. */
export function groupOf(key: string): (typeof groupTitles)[number] {
  const [section = ''] = key.split('.');
  if (['natsUrl', 'workspaceSecretEnv', 'currentContext', 'contexts'].includes(section)) return 'Connection';
  if (section === 'policy' || section === 'keyAliases') return 'Encryption policy';
  if (section === 'retention') return 'Retention';
  if (section === 'memory') return 'Memory';
  if (section === 'alerts') return 'Alerts';
  if (section === 'notifications') return 'Notifications';
  if (section === 'rooms') return 'Rooms';
  if (section === 'look' || section === 'filters') return 'Look';
  if (section === 'idleLockMinutes') return 'Security';
  return 'More';
}

/** Every setting in its group; groups without one are left out. */
export function groupSettings(values: readonly SettingValue[]): readonly SettingGroup[] {
  const groups = groupTitles.map((title) => ({ title, values: values.filter(({ key }) => groupOf(key) === title) }));
  return groups.filter((group) => group.values.length > 0);
}

/** Whether texts hold every word of a query. */
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

/** Whether a setting is shown and changed in the table of connections; of the embedded one nothing is changed there. */
export function isOfConnections(key: string): boolean {
  const context = contextOf(key);
  return key === 'currentContext' || (context !== undefined && context !== embeddedContext);
}

/** Whether what is looked for may stand in the table of connections. */
export function isAboutConnections(query: string): boolean {
  const names =
    'connections contexts currentContext server url nats credentials creds colour kind embedded managed remote';
  return hasWords(query, [names, 'read only readOnly read-only test import']);
}

/** What else is looked for and found: parts of the page that are no settings, by what they are called and say. */
const parts = {
  workspaceSecrets: 'workspace secrets secret key ids add open only until revoke seal rotate',
  retention: 'retention streams keeps holds age size bytes messages stored',
  posture:
    'posture protection keychain passphrase sandbox engine durability server version JetStream transport TLS runtime Electron',
  about: 'this app version Electron Chromium Node platform environment workspace',
} as const;

export type SettingsPart = keyof typeof parts;

/** Whether what is looked for may stand in a part; `more`: what it shows now. */
export function isAboutPart(part: SettingsPart, query: string, more: readonly string[] = []): boolean {
  return hasWords(query, [parts[part], ...more]);
}

/** When another value counts, where that is not at once; undefined: at once. */
export function appliesWords({ applies, isWaiting }: Pick<SettingValue, 'applies' | 'isWaiting'>): string | undefined {
  if (applies === 'next-start')
    return isWaiting ? 'Waits for the next start of the app.' : 'Counts from the next start on.';
  if (applies === 'next-connection') return 'Counts when the connection is opened the next time.';
  return undefined;
}

/** Why a value is weaker than the default, if it is. */
export function weaknessOf({ key, value }: Pick<SettingValue, 'key' | 'value'>): string | undefined {
  if (key.startsWith('policy.accept') && value === true) return 'Weaker than the default.';
  if (key === 'idleLockMinutes' && value === 0) return 'It never locks by itself.';
  if (key.startsWith('alerts.') && value === 0) return 'It is never an alert.';
  if (key === 'notifications.desktop' && value === false) return 'Nothing is told on the desktop.';
  return undefined;
}

/** A message without the key that stands before it already. */
export function withoutKey(key: string, message: string): string {
  return key !== '' && message.startsWith(`${key}: `) ? message.slice(key.length + 2) : message;
}
