/** Why something cannot be done with a connection now; undefined: it can. Pure. */
import type { ConnectionContext, ConnectionsState } from '../../../shared/contract/connections-contract.ts';

type State = Pick<ConnectionsState, 'current' | 'status'>;
type Context = Pick<ConnectionContext, 'name' | 'kind'>;

const isCurrent = (state: State, { name }: Context): boolean => state.current === name;

/** One that is closed can be used again: that connects anew. */
export function whyNotUse(state: State, context: Context): string | undefined {
  return isCurrent(state, context) && state.status.kind !== 'closed' ? 'it is in use already' : undefined;
}

export function whyNotEdit({ kind }: Context): string | undefined {
  return kind === 'embedded' ? 'the embedded bus is always there as it is' : undefined;
}

export function whyNotRemove(state: State, context: Context): string | undefined {
  return whyNotEdit(context) ?? (isCurrent(state, context) ? 'it is in use; use another one first' : undefined);
}

/** Only a server that others run needs credentials from outside. */
export function whyNotImport({ kind }: Context): string | undefined {
  if (kind === 'remote') return undefined;
  return kind === 'managed' ? 'the app makes credentials for its own server' : 'the embedded bus needs none';
}
