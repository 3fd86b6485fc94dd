/**
 * The table of settings by flat dotted key (product.md "Configuration").
 * Law: every setting has one row with its type, what is allowed, its default and a line of help; no row holds a secret.
 */
import { isNoticeKind, noticeKinds } from '../protocol/incident-kinds.ts';
import { isToken } from '../protocol/subject.ts';
import { isKeyAlias } from './key-aliases.ts';
import { type Applies, limitRows } from './limit-rows.ts';
import { areSavedFilters, savedFiltersForm } from './saved-filters.ts';
import { isVariableName, secretShapeOf, workspaceSecretName } from './secret-shape.ts';
import { leastZoomPercent, mostZoomPercent, plainZoomPercent } from './zoom-steps.ts';

/** Value of a setting; null where none is set and none is needed. */
export type SettingValue = string | number | boolean | null;

/** A row of the table. In `contexts.<name>.…` the name stands for any context's. */
export interface SettingRow {
  readonly key: string;
  readonly type: 'boolean' | 'integer' | 'string';
  /** What is allowed, for people. */
  readonly allowed: string;
  readonly fallback: SettingValue;
  readonly help: string;
  /** Whether it decides about the bus behind the app, so that a change rebuilds it. */
  readonly isBus: boolean;
  /** When another value counts; at once if left out. */
  readonly applies?: Applies;
  accepts(value: unknown): boolean;
}

export const contextKinds = ['embedded', 'managed', 'remote'] as const;
export const contextColours = ['grey', 'blue', 'green', 'amber', 'red', 'violet'] as const;
export const themes = ['system', 'dark', 'light'] as const;
export const timeZones = ['local', 'utc'] as const;
/** The context that is always there. */
export const embeddedContext = 'embedded';

const maxUrlLength = 2048;
const maxServers = 16;
const host = String.raw`(?:[A-Za-z0-9](?:[A-Za-z0-9.-]{0,251}[A-Za-z0-9])?|\[[0-9A-Fa-f:.]{2,45}\])`;
const server = new RegExp(`^(?:nats|tls)://${host}(?::(\\d{1,5}))?$`);

function isServer(text: string): boolean {
  const found = server.exec(text);
  if (found === null) return false;
  const port = found[1];
  return port === undefined || (Number(port) >= 1 && Number(port) <= 65_535);
}

function isServerList(value: unknown): boolean {
  if (typeof value !== 'string' || value.length > maxUrlLength) return false;
  const servers = value.split(',');
  return servers.length <= maxServers && servers.every(isServer);
}

const isBoolean = (value: unknown): boolean => typeof value === 'boolean';
const isIntegerIn = (least: number, most: number) => (value: unknown) =>
  Number.isInteger(value) && (value as number) >= least && (value as number) <= most;
const isOneOf = (allowed: readonly string[]) => (value: unknown) =>
  typeof value === 'string' && allowed.includes(value);

const maxListed = 64;

/** Parts of a list that is kept as one text, with commas between; none of null. */
export function listOf(text: string | null): readonly string[] {
  return text === null ? [] : text.split(',').map((part) => part.trim());
}

/** The text of a list; null for an empty one. */
export function listText(parts: readonly string[]): string | null {
  return parts.length === 0 ? null : parts.join(',');
}

/** A list in which each part is fit and stands once. */
const isListOf = (isPart: (part: string) => boolean) => (value: unknown) => {
  if (typeof value !== 'string') return false;
  const parts = listOf(value);
  return parts.length <= maxListed && new Set(parts).size === parts.length && parts.every(isPart);
};

const moment = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,3})?)?Z$/;

function isMoment(value: unknown): boolean {
  if (typeof value !== 'string' || !moment.test(value)) return false;
  const ms = Date.parse(value);
  // A day that a month does not have would silently be one of the next.
  return Number.isFinite(ms) && new Date(ms).toISOString().startsWith(value.slice(0, 16));
}

/** Whether a text may name a context. */
export function isContextName(value: unknown): boolean {
  return typeof value === 'string' && isToken(value) && secretShapeOf(value) === undefined;
}

const addresses = 'nats:// or tls:// address without a password; several with commas between';

/** When a queue is a matter for the Operations Center, and what of it is told on the desktop. */
const alertRows: readonly SettingRow[] = [
  {
    key: 'alerts.lagLimit',
    type: 'integer',
    allowed: '0 (never) to 1000000000 tasks',
    fallback: 1000,
    help: 'tasks that may wait in a queue or be under way before it is an alert',
    isBus: false,
    accepts: isIntegerIn(0, 1_000_000_000),
  },
  {
    key: 'alerts.ageLimitSec',
    type: 'integer',
    allowed: '0 (never) to 31536000 seconds',
    fallback: 600,
    help: 'seconds that the oldest task of a queue may stand in it before it is an alert',
    isBus: false,
    accepts: isIntegerIn(0, 31_536_000),
  },
  {
    key: 'alerts.noConsumerSec',
    type: 'integer',
    allowed: '0 (never) to 86400 seconds',
    fallback: 30,
    help: 'seconds that tasks may wait while nobody claims them before it is an alert',
    isBus: false,
    accepts: isIntegerIn(0, 86_400),
  },
  {
    key: 'notifications.desktop',
    type: 'boolean',
    allowed: 'true, false',
    fallback: true,
    help: 'tell new failures and waiting approvals on the desktop while the window is not in front',
    isBus: false,
    accepts: isBoolean,
  },
  {
    key: 'notifications.mutedKinds',
    type: 'string',
    allowed: `several with commas between: ${noticeKinds.join(', ')}`,
    fallback: null,
    help: 'kinds that are listed, but neither told on the desktop nor counted on the icon',
    isBus: false,
    accepts: isListOf(isNoticeKind),
  },
  {
    key: 'notifications.mutedQueues',
    type: 'string',
    allowed: 'names of queues with commas between, 64 at most',
    fallback: null,
    help: 'queues of which nothing is told on the desktop or counted on the icon',
    isBus: false,
    accepts: isListOf(isToken),
  },
  {
    key: 'notifications.mutedUntil',
    type: 'string',
    allowed: 'a time as 2026-11-30T14:00:00Z',
    fallback: null,
    help: 'nothing is told on the desktop until then',
    isBus: false,
    accepts: isMoment,
  },
];

/** What others in rooms are told without anything being said (docs/spec/rooms.md R54, R80). */
const roomRows: readonly SettingRow[] = [
  {
    key: 'rooms.receipts',
    type: 'boolean',
    allowed: 'true, false',
    fallback: true,
    help: 'tell the others in a room how far its messages were read here',
    isBus: false,
    accepts: isBoolean,
  },
  {
    key: 'rooms.typing',
    type: 'boolean',
    allowed: 'true, false',
    fallback: true,
    help: 'tell the others in a room while something is being written here',
    isBus: false,
    accepts: isBoolean,
  },
];

/** Rows without a name in their key. */
export const fixedRows: readonly SettingRow[] = [
  {
    key: 'natsUrl',
    type: 'string',
    allowed: addresses,
    fallback: null,
    help: 'NATS server of the bus; without it the current context decides',
    isBus: true,
    accepts: isServerList,
  },
  {
    key: 'workspaceSecretEnv',
    type: 'string',
    allowed: "a variable's name, not its value",
    fallback: workspaceSecretName,
    help: 'environment variable that holds the workspace secret',
    isBus: true,
    accepts: (value) => typeof value === 'string' && isVariableName(value),
  },
  {
    key: 'currentContext',
    type: 'string',
    allowed: `${embeddedContext}, or the name of a context that is set`,
    fallback: embeddedContext,
    help: 'connection that is used unless another is asked for',
    isBus: true,
    accepts: isContextName,
  },
  {
    key: 'policy.acceptPlain',
    type: 'boolean',
    allowed: 'true, false',
    fallback: false,
    help: 'take unsealed messages where sealed ones are expected',
    isBus: false,
    accepts: isBoolean,
  },
  {
    key: 'policy.acceptUnsigned',
    type: 'boolean',
    allowed: 'true, false',
    fallback: false,
    help: 'take unsigned messages where a signature is required',
    isBus: false,
    accepts: isBoolean,
  },
  {
    key: 'look.theme',
    type: 'string',
    allowed: themes.join(', '),
    fallback: 'system',
    help: 'colours of the app',
    isBus: false,
    accepts: isOneOf(themes),
  },
  {
    key: 'look.timeZone',
    type: 'string',
    allowed: timeZones.join(', '),
    fallback: 'utc',
    help: 'zone in which times are shown',
    isBus: false,
    accepts: isOneOf(timeZones),
  },
  {
    key: 'look.zoomPercent',
    type: 'integer',
    allowed: `${leastZoomPercent} to ${mostZoomPercent} percent`,
    fallback: plainZoomPercent,
    help: 'size of everything in the window',
    isBus: false,
    accepts: isIntegerIn(leastZoomPercent, mostZoomPercent),
  },
  {
    key: 'idleLockMinutes',
    type: 'integer',
    allowed: '0 (never) to 1440',
    fallback: 15,
    help: 'minutes without use after which the key store locks',
    isBus: false,
    accepts: isIntegerIn(0, 1440),
  },
  {
    key: 'keyAliases',
    type: 'string',
    allowed:
      'KEYID=ID with commas between: a key id of other software, and the id of the secret that opens it; 64 at most',
    fallback: null,
    help: 'foreign key ids, and which workspace secret opens what was sealed under each',
    isBus: false,
    accepts: isListOf(isKeyAlias),
  },
  ...(['messages', 'letters'] as const).map(
    (kind): SettingRow => ({
      key: `filters.${kind}`,
      type: 'string',
      allowed: savedFiltersForm,
      fallback: null,
      help: `filters of ${kind === 'letters' ? 'dead letters' : 'messages'} that were saved under a name`,
      isBus: false,
      accepts: areSavedFilters,
    }),
  ),
  ...alertRows,
  ...roomRows,
  ...limitRows,
];

/** Rows of one context; their keys are `contexts.<name>.<field>`. */
export const contextRows: readonly SettingRow[] = [
  {
    key: 'contexts.<name>.kind',
    type: 'string',
    allowed: contextKinds.join(', '),
    fallback: 'remote',
    help: 'which engine the connection uses',
    isBus: true,
    accepts: isOneOf(contextKinds),
  },
  {
    key: 'contexts.<name>.url',
    type: 'string',
    allowed: addresses,
    fallback: null,
    help: 'server of a remote context',
    isBus: true,
    accepts: isServerList,
  },
  {
    key: 'contexts.<name>.colour',
    type: 'string',
    allowed: contextColours.join(', '),
    fallback: 'grey',
    help: 'colour that marks the environment',
    isBus: false,
    accepts: isOneOf(contextColours),
  },
  {
    key: 'contexts.<name>.readOnly',
    type: 'boolean',
    allowed: 'true, false',
    fallback: false,
    help: 'whether every action that publishes is off',
    isBus: true,
    accepts: isBoolean,
  },
];

/** The whole table. */
export const settingRows: readonly SettingRow[] = [...fixedRows, ...contextRows];

/** The row of a key, with its context's name in place of `<name>`; undefined if it is no setting. */
export function rowOf(key: string): SettingRow | undefined {
  const fixed = fixedRows.find((row) => row.key === key);
  if (fixed !== undefined) return fixed;
  const [section, name, field, ...rest] = key.split('.');
  if (section !== 'contexts' || rest.length > 0 || !isContextName(name)) return undefined;
  const row = contextRows.find((one) => one.key === `contexts.<name>.${field}`);
  return row === undefined ? undefined : { ...row, key };
}
