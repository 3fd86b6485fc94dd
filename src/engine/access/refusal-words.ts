/**
 * What whoever is refused is told, in one form for every command, call and side (protocol.md A5, A20).
 * Law: what was tried, by whom with which roles, the rule that decided, and who refused it; nothing of it is more than fits a line.
 */
import { type ErrorCode, VakError } from '../../shared/base/vak-error.ts';
import { type DeniedAccess, shownTry } from './denial-teller.ts';

/** A refusal. */
export interface Refusal extends Pick<DeniedAccess, 'peer' | 'action' | 'subject' | 'rule' | 'side'> {
  /** Undefined: what the peer is granted is not known here. */
  readonly roles: readonly string[] | undefined;
}

function standingWords(roles: readonly string[] | undefined): string {
  if (roles === undefined) return 'its roles are not known here';
  return roles.length === 0 ? 'it has no role' : `its roles are ${roles.join(', ')}`;
}

/** The error of a refusal: `forbidden` of the engine, `unauthorized` of the server, where it came from as its cause. */
export function refusalError({ peer, roles, rule, side, ...tried }: Refusal, cause?: unknown): VakError {
  const { action, subject } = shownTry(tried);
  const code: ErrorCode = side === 'server' ? 'unauthorized' : 'forbidden';
  const what = subject === '' ? action : `${action} ${subject}`;
  const message = `${what}: ${peer} may not, ${standingWords(roles)}; refused by the ${side}, rule: ${rule}; see vak acl explain`;
  const details = { action, subject, peer, rule, side, roles: (roles ?? []).join(', ') };
  return new VakError(code, message, { details, ...(cause === undefined ? {} : { cause }) });
}
