/**
 * What may become a context, judged before any of it is kept.
 * Law: a context is taken whole or not at all; the error names the field that is wrong, and nothing of its value.
 */
import { VakError } from '../../shared/base/vak-error.ts';
import { isContextName, rowOf } from '../../shared/settings/setting-keys.ts';

/** Fields of a context as they are given; `url` is null for one without servers. */
export interface ContextInput {
  readonly name: string;
  readonly kind: string;
  readonly url: string | null;
  readonly colour: string;
  readonly isReadOnly: boolean;
}

function refuse(field: string, problem: string): never {
  throw new VakError('invalid-input', `${field}: ${problem}`, { details: { field } });
}

/** Throws `invalid-input` for what the setting would not take, and says why where it is known. */
export function checkServers(url: string): void {
  if (/(^|,)\s*wss?:/i.test(url))
    refuse('url', 'NATS over WebSocket is not built in; name the nats:// or tls:// address');
  if (rowOf('natsUrl')?.accepts(url) !== true)
    refuse('url', `${url.length} characters that are no list of NATS addresses, such as nats://host:4222`);
}

/** Throws `invalid-input` that names the field. */
export function checkContextInput({ name, kind, url, colour, isReadOnly }: ContextInput): void {
  if (!isContextName(name))
    refuse('name', `${name.length} characters that are no name; it takes 1 to 64 of A–Z a–z 0–9 _ -, and no key`);
  for (const [field, value] of Object.entries({ kind, colour, readOnly: isReadOnly })) {
    const row = rowOf(`contexts.${name}.${field}`);
    if (row?.accepts(value) !== true) refuse(field, `expected one of ${row?.allowed}`);
  }
  if (kind !== 'remote') return;
  if (url === null) refuse('url', 'missing; a remote context needs an address');
  checkServers(url);
}
