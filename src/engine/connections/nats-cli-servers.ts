/**
 * The `url` of a context of the `nats` command line: several addresses, with a scheme or without, and what logs in (protocol.md B9).
 * Law: what comes out holds no secret; the user, password or token that stood in an address comes by itself.
 */
import { VakError } from '../../shared/base/vak-error.ts';

/** What stood before an @, under the names that a context's own fields have. */
export interface ServerLogin {
  readonly user: string;
  readonly password: string;
  readonly token: string;
}

export interface SplitServers {
  /** Addresses with commas between. */
  readonly url: string;
  readonly login: ServerLogin | undefined;
}

/** What `nats` uses where a context names nothing. */
const fallback = 'nats://127.0.0.1:4222';

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    throw new VakError('invalid-input', 'url: what stands before the @ is not percent-encoded');
  }
}

/** Of an address `scheme://rest`; the last @ is the one that counts. */
function splitOne(address: string): { readonly address: string; readonly login: ServerLogin | undefined } {
  const whole = address.includes('://') ? address : `nats://${address}`;
  const start = whole.indexOf('://') + 3;
  const at = whole.lastIndexOf('@');
  if (at < start) return { address: whole, login: undefined };
  const [user = '', ...rest] = whole.slice(start, at).split(':');
  const [name, password] = [decode(user), decode(rest.join(':'))];
  // In an address a user without a password is a token.
  const login = rest.length === 0 ? { user: '', password: '', token: name } : { user: name, password, token: '' };
  return { address: `${whole.slice(0, start)}${whole.slice(at + 1)}`, login };
}

/** Throws `invalid-input` if several addresses log in differently. */
export function splitServers(url: string): SplitServers {
  const addresses = url
    .split(',')
    .map((one) => one.trim())
    .filter((one) => one !== '');
  const split = (addresses.length === 0 ? [fallback] : addresses).map(splitOne);
  const logins = split.flatMap(({ login }) => login ?? []);
  const [first] = logins;
  if (logins.some((other) => JSON.stringify(other) !== JSON.stringify(first))) {
    throw new VakError('invalid-input', 'url: its addresses log in differently; give each a context of its own');
  }
  return { url: split.map(({ address }) => address).join(','), login: first };
}
