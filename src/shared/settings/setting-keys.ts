/**
 * The table of settings by flat dotted key (product.md "Configuration").
 * Law: every setting has one row with its type, what is allowed, its default and a line of help; no row holds a secret.
 */
import { isToken } from '../protocol/subject.ts';
import { isVariableName, secretShapeOf, workspaceSecretName } from './secret-shape.ts';

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
const isOneOf = (allowed: readonly string[]) => (value: unknown) =>
  typeof value === 'string' && allowed.includes(value);

/** Whether a text may name a context. */
export function isContextName(value: unknown): boolean {
  return typeof value === 'string' && isToken(value) && secretShapeOf(value) === undefined;
}

const addresses = 'nats:// or tls:// address without a password; several with commas between';

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
    key: 'idleLockMinutes',
    type: 'integer',
    allowed: '0 (never) to 1440',
    fallback: 15,
    help: 'minutes without use after which the key store locks',
    isBus: false,
    accepts: (value) => Number.isInteger(value) && (value as number) >= 0 && (value as number) <= 1440,
  },
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
