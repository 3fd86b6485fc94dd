/** The fields of a connection that is added or changed, and where an error of the engine belongs. Pure. */
import { VakError } from '../../../shared/base/vak-error.ts';
import type { ConnectionContext } from '../../../shared/contract/connections-contract.ts';
import { isContextName } from '../../../shared/settings/setting-keys.ts';

export interface ConnectionFields {
  readonly name: string;
  readonly kind: 'managed' | 'remote';
  readonly url: string;
  readonly colour: string;
  readonly isReadOnly: boolean;
}

/** What is wrong, by field. */
export type ConnectionErrors = Partial<Record<keyof ConnectionFields, string>>;

/** What `connections.save` takes. */
export interface ConnectionInput extends Omit<ConnectionFields, 'url'> {
  readonly url: string | null;
}

export type ConnectionForm =
  | { readonly kind: 'ready'; readonly input: ConnectionInput }
  | { readonly kind: 'wrong'; readonly errors: ConnectionErrors };

/** Fields of a context, or those that a new one begins with. */
export function fieldsOf(context: ConnectionContext | undefined): ConnectionFields {
  if (context === undefined) return { name: '', kind: 'remote', url: '', colour: 'blue', isReadOnly: false };
  const { name, kind, url, colour, isReadOnly } = context;
  return { name, kind: kind === 'managed' ? 'managed' : 'remote', url: url ?? '', colour, isReadOnly };
}

/** What the engine cannot know, and what can be said of all fields at once; `taken` are the names that a new one would write over. */
export function readConnectionForm(fields: ConnectionFields, taken: readonly string[]): ConnectionForm {
  const errors: ConnectionErrors = {};
  const name = fields.name.trim();
  const servers = fields.url
    .split(',')
    .map((server) => server.trim())
    .filter((server) => server !== '');
  if (name === '') errors.name = 'Give it a name, such as prod-eu.';
  else if (!isContextName(name)) errors.name = 'Letters, digits, _ and - only, at most 64.';
  else if (taken.includes(name)) errors.name = 'A connection of that name is there already; edit that one.';
  if (fields.kind === 'remote' && servers.length === 0) errors.url = 'Give the address of a server.';
  if (Object.keys(errors).length > 0) return { kind: 'wrong', errors };
  const url = fields.kind === 'remote' ? servers.join(',') : null;
  return { kind: 'ready', input: { ...fields, name, url } };
}

/** Names that the engine may give a field: those of the contract and of the settings file. */
const fieldNames: ReadonlyMap<string, keyof ConnectionFields> = new Map([
  ['name', 'name'],
  ['kind', 'kind'],
  ['url', 'url'],
  ['colour', 'colour'],
  ['isReadOnly', 'isReadOnly'],
  ['readOnly', 'isReadOnly'],
]);

/** The fields that the dialog shows: a context keeps its name, and only a remote one has servers. */
function shownFields(kind: ConnectionFields['kind'], isNew: boolean): ReadonlySet<keyof ConnectionFields> {
  const hidden = [...(isNew ? [] : ['name']), ...(kind === 'remote' ? [] : ['url'])];
  return new Set([...fieldNames.values()].filter((name) => !hidden.includes(name)));
}

export interface ErrorPlace {
  readonly kind: ConnectionFields['kind'];
  readonly isNew: boolean;
}

/** A message without the name of the field that it stands at. */
function withoutName(message: string, named: string): string {
  return message.startsWith(`${named}: `) ? message.slice(named.length + 2) : message;
}

/** The error at its field (`url`, `contexts.prod.url`); undefined if it names none that is shown. */
export function errorAtField(error: unknown, { kind, isNew }: ErrorPlace): ConnectionErrors | undefined {
  if (!(error instanceof VakError)) return undefined;
  const named = String(error.details?.['field'] ?? error.details?.['key'] ?? '');
  const field = fieldNames.get(named.split('.').at(-1) ?? '');
  return field === undefined || !shownFields(kind, isNew).has(field)
    ? undefined
    : { [field]: withoutName(error.message, named) };
}
