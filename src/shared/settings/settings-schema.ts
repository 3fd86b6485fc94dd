/**
 * Settings as the rest of the house reads them, and how they are read from a parsed file (product.md "Configuration").
 * Law: a bad key falls back to its default and is named with its type and what is allowed, never with its value.
 */
import { misplacedSecrets } from './misplaced-secrets.ts';
import {
  type contextColours,
  type contextKinds,
  contextRows,
  embeddedContext,
  fixedRows,
  isContextName,
  rowOf,
  type SettingRow,
  type SettingValue,
  type themes,
  type timeZones,
} from './setting-keys.ts';
import {
  describeValue,
  type Fields,
  fieldsOf,
  maxProblems,
  problemOf,
  type SettingsProblem,
} from './settings-problem.ts';

export type ContextKind = (typeof contextKinds)[number];

/** A named connection. Only `embedded` has an engine so far; the others are kept. */
export interface ContextSettings {
  readonly name: string;
  readonly kind: ContextKind;
  readonly natsUrl: string | null;
  readonly colour: (typeof contextColours)[number];
  readonly readOnly: boolean;
}

export interface Settings {
  /** `embedded` first, always there; then those of the file, in its order. */
  readonly contexts: readonly ContextSettings[];
  readonly currentContext: string;
  readonly policy: { readonly acceptPlain: boolean; readonly acceptUnsigned: boolean };
  readonly look: {
    readonly theme: (typeof themes)[number];
    readonly timeZone: (typeof timeZones)[number];
    readonly zoomPercent: number;
  };
  readonly natsUrl: string | null;
  /** Name of the variable with the workspace secret, never the secret. */
  readonly workspaceSecretEnv: string;
  readonly idleLockMinutes: number;
  /** When a queue is an alert; 0: never. */
  readonly alerts: { readonly lagLimit: number; readonly ageLimitSec: number; readonly noConsumerSec: number };
  /** Lists are one text with commas between (`listOf`); null: none. `mutedUntil`: RFC 3339. */
  readonly notifications: {
    readonly desktop: boolean;
    readonly mutedKinds: string | null;
    readonly mutedQueues: string | null;
    readonly mutedUntil: string | null;
  };
  /** What others in rooms are told of this profile's peers. */
  readonly rooms: { readonly receipts: boolean; readonly typing: boolean };
  /** `KEYID=ID` with commas between (`keyAliasesOf`). */
  readonly keyAliases: string | null;
  /** Filters with a name (`savedFiltersOf`). */
  readonly filters: { readonly messages: string | null; readonly letters: string | null };
  /** What streams of our own engines keep, where that may be bounded closer than the protocol does. */
  readonly retention: {
    readonly workMiB: number;
    readonly receiptsDays: number;
    readonly receiptsMiB: number;
    readonly approvalsDays: number;
    readonly approvalsMiB: number;
    readonly deadLettersDays: number;
    readonly deadLettersMiB: number;
  };
  /** Budgets of the app's memory. */
  readonly memory: {
    readonly bufferMessages: number;
    readonly bufferMiB: number;
    readonly terminalLines: number;
    readonly telemetryMinutes: number;
  };
}

export interface ReadSettings {
  readonly settings: Settings;
  readonly problems: readonly SettingsProblem[];
}

const maxContexts = 100;
/** Settings that stand together in an object of their own. */
const sectionNames = ['policy', 'look', 'filters', 'alerts', 'notifications', 'rooms', 'retention', 'memory'] as const;
const isSection = (name: string | undefined): name is (typeof sectionNames)[number] =>
  (sectionNames as readonly (string | undefined)[]).includes(name);

/** Reads values at their rows, and notes what is wrong. */
interface Reader {
  read(fields: Fields, row: SettingRow, field: string): SettingValue;
  /** The object at a field; empty, with a problem noted, if it is something else. */
  section(fields: Fields, key: string): Fields;
  note(problem: SettingsProblem): void;
}

function createReader(problems: SettingsProblem[]): Reader {
  const noted = new Set(problems.map(({ key }) => key));
  const note = (problem: SettingsProblem): void => {
    if (noted.has(problem.key) || problems.length >= maxProblems) return;
    noted.add(problem.key);
    problems.push(problem);
  };
  return {
    note,
    read(fields, row, field) {
      if (!fields.has(field)) return row.fallback;
      const value = fields.get(field);
      const problem = problemOf(row, value);
      if (problem === undefined) return value as SettingValue;
      note(problem);
      return row.fallback;
    },
    section(fields, key) {
      const found = fieldsOf(fields.get(key));
      if (found === undefined && fields.has(key)) {
        const message = `${key}: found ${describeValue(fields.get(key))}, allowed: an object`;
        note({ code: 'invalid-input', key, message });
      }
      return found ?? new Map();
    },
  };
}

function readContext(name: string, fields: Fields, reader: Reader): ContextSettings {
  const at = (field: string): SettingValue => {
    const row = contextRows.find(({ key }) => key === `contexts.<name>.${field}`) as SettingRow;
    const named = { ...row, key: `contexts.${name}.${field}` };
    return reader.read(fields, named, field);
  };
  const isBuiltIn = name === embeddedContext;
  const kind = at('kind') as ContextKind;
  const context = { name, kind: isBuiltIn ? 'embedded' : kind, natsUrl: at('url') as string | null } as const;
  if (isBuiltIn && fields.has('kind') && kind !== 'embedded') {
    const message = `contexts.${name}.kind: found another kind, allowed: embedded (the name belongs to it)`;
    reader.note({ code: 'invalid-input', key: `contexts.${name}.kind`, message });
  }
  if (context.kind === 'remote' && context.natsUrl === null) {
    const message = `contexts.${name}.url: missing, a remote context needs the address of its server`;
    reader.note({ code: 'invalid-input', key: `contexts.${name}.url`, message });
  }
  return { ...context, colour: at('colour') as ContextSettings['colour'], readOnly: at('readOnly') as boolean };
}

function readContexts(root: Fields, reader: Reader): ContextSettings[] {
  const section = reader.section(root, 'contexts');
  const builtIn = fieldsOf(section.get(embeddedContext)) ?? new Map<string, unknown>();
  const contexts = [readContext(embeddedContext, builtIn, reader)];
  const refuse = (key: string, message: string): void => reader.note({ code: 'invalid-input', key, message });
  for (const [name, value] of section) {
    const fields = fieldsOf(value);
    if (!isContextName(name)) {
      refuse('contexts', `contexts: found a name of ${name.length} characters, allowed: 1–64 of A–Z a–z 0–9 _ -`);
    } else if (fields === undefined) {
      refuse(`contexts.${name}`, `contexts.${name}: found ${describeValue(value)}, allowed: an object`);
    } else if (contexts.length >= maxContexts) {
      refuse('contexts', `contexts: found ${section.size}, allowed: at most ${maxContexts}`);
    } else if (name !== embeddedContext) {
      contexts.push(readContext(name, fields, reader));
    }
  }
  return contexts;
}

/** Reads the object of a settings file. Total: whatever is wrong becomes a problem, and its default applies. */
export function readSettings(value: unknown): ReadSettings {
  const root = fieldsOf(value) ?? new Map<string, unknown>();
  const values = new Map<string, SettingValue>();
  const found: SettingsProblem[] = [];
  const secretVariable = root.get('workspaceSecretEnv');
  found.push(...misplacedSecrets(value, typeof secretVariable === 'string' ? secretVariable : ''));
  const reader = createReader(found);
  const sections = new Map(sectionNames.map((name) => [name as string, reader.section(root, name)]));
  for (const row of fixedRows) {
    const [first = '', second] = row.key.split('.');
    const fields = second === undefined ? root : (sections.get(first) ?? root);
    values.set(row.key, reader.read(fields, row, second ?? first));
  }
  const contexts = readContexts(root, reader);
  const at = <T>(key: string): T => values.get(key) as T;
  return { settings: buildSettings(contexts, at, reader), problems: found };
}

/** A section whose fields are all rows, by its keys. */
function sectionAt<S extends 'retention' | 'memory'>(section: S, at: <T>(key: string) => T): Settings[S] {
  const keys = fixedRows.map(({ key }) => key).filter((key) => key.startsWith(`${section}.`));
  return Object.fromEntries(keys.map((key) => [key.slice(section.length + 1), at(key)])) as unknown as Settings[S];
}

function buildSettings(contexts: readonly ContextSettings[], at: <T>(key: string) => T, reader: Reader): Settings {
  const wanted = at<string>('currentContext');
  const isThere = contexts.some(({ name }) => name === wanted);
  if (!isThere) {
    const message = `currentContext: found a name of ${wanted.length} characters that no context has, allowed: ${embeddedContext}, or the name of a context that is set`;
    reader.note({ code: 'invalid-input', key: 'currentContext', message });
  }
  return {
    contexts,
    currentContext: isThere ? wanted : embeddedContext,
    policy: { acceptPlain: at('policy.acceptPlain'), acceptUnsigned: at('policy.acceptUnsigned') },
    look: { theme: at('look.theme'), timeZone: at('look.timeZone'), zoomPercent: at('look.zoomPercent') },
    natsUrl: at('natsUrl'),
    workspaceSecretEnv: at('workspaceSecretEnv'),
    idleLockMinutes: at('idleLockMinutes'),
    alerts: {
      lagLimit: at('alerts.lagLimit'),
      ageLimitSec: at('alerts.ageLimitSec'),
      noConsumerSec: at('alerts.noConsumerSec'),
    },
    notifications: {
      desktop: at('notifications.desktop'),
      mutedKinds: at('notifications.mutedKinds'),
      mutedQueues: at('notifications.mutedQueues'),
      mutedUntil: at('notifications.mutedUntil'),
    },
    rooms: { receipts: at('rooms.receipts'), typing: at('rooms.typing') },
    keyAliases: at('keyAliases'),
    filters: { messages: at('filters.messages'), letters: at('filters.letters') },
    retention: sectionAt('retention', at),
    memory: sectionAt('memory', at),
  };
}

/** The value at a flat key; undefined if the key is no setting, or is of a context that is not there. */
export function settingAt(settings: Settings, key: string): SettingValue | undefined {
  const [section, name, field] = key.split('.');
  if (section === 'contexts') {
    const context = settings.contexts.find((one) => one.name === name);
    const fields = new Map(Object.entries(context ?? {})).set('url', context?.natsUrl);
    return field === undefined || field === 'name' || field === 'natsUrl'
      ? undefined
      : (fields.get(field) as SettingValue);
  }
  if (isSection(section) && name !== undefined) return fieldsOf(settings[section])?.get(name) as SettingValue;
  return name === undefined && rowOf(key) !== undefined ? (fieldsOf(settings)?.get(key) as SettingValue) : undefined;
}

/** Every flat key that has a value now: the fixed ones, then those of each context. */
export function settingKeys(settings: Settings): readonly string[] {
  const ofContexts = settings.contexts.flatMap(({ name }) => contextRows.map(({ key }) => key.replace('<name>', name)));
  return [...fixedRows.map(({ key }) => key), ...ofContexts];
}
