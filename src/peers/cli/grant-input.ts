/** Roles, keys and times as they are typed for grants. */
import { VakError } from '../../shared/base/vak-error.ts';
import { type Role, roles } from '../../shared/protocol/roles.ts';

const isoTime = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:\d\d))?$/;
const userKey = /^U[A-Z2-7]{55}$/;

/** Roles of `--role`. Throws `invalid-input` that lists them. */
export function readRoles(names: readonly string[]): readonly Role[] {
  const isRole = (name: string): name is Role => (roles as readonly string[]).includes(name);
  if (names.every(isRole)) return [...names];
  throw new VakError('invalid-input', `--role: there is no such role, allowed: ${roles.join(', ')}`);
}

/** A public key by its form. Throws `invalid-input` that names the option. */
export function readKey(text: string, option: string): string {
  if (userKey.test(text)) return text;
  throw new VakError('invalid-input', `${option}: found ${text.length} characters, allowed: U and 55 of A–Z 2–7`);
}

/** Seconds since the epoch of `--until`, rounded down; 0 without it. Throws `invalid-input`. */
export function readUntil(text: string | undefined): number {
  if (text === undefined) return 0;
  const ms = isoTime.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isFinite(ms) && ms >= 1000) return Math.floor(ms / 1000);
  throw new VakError('invalid-input', '--until: no ISO time; give for example 2027-01-31 or 2027-01-31T12:00:00Z');
}
