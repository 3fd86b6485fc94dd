/** Whether the identity of a command may publish what it is to (protocol.md A1, A2). */
import { grantAt } from '../../engine/identity/grant-timeline.ts';
import type { StoredIdentity } from '../../engine/identity/key-store.ts';
import { checkRecipient } from '../../engine/identity/recipient-check.ts';
import { VakError } from '../../shared/base/vak-error.ts';
import { explainAccess } from '../../shared/protocol/acl.ts';
import type { OpenWorkspace } from './workspace.ts';

/** Throws `forbidden` with the subject unless a role of the identity lets it publish there (A1, A2), and if nothing is sent to that peer (I2). */
export function checkRights(subject: string, session: string, { identity, open, nowMs }: Publisher): void {
  checkRecipient(subject, open.pins);
  const { workspace } = open;
  const { peer } = identity;
  const grant = grantAt(open.timelines(open.contents())(peer), nowMs)?.grant;
  const roles = grant?.roles ?? [];
  const queues = grant?.queues.length ? grant.queues : [undefined];
  const mayPublish = roles.some((role) =>
    queues.some((queue) => explainAccess({ role, workspace, peer, session, queue }, 'publish', subject).allowed),
  );
  if (mayPublish) return;
  const has = roles.length === 0 ? 'it has no role' : `its roles are ${roles.join(', ')}`;
  throw new VakError('forbidden', `publish ${subject}: ${peer} may not, ${has}; see vak acl explain and vak grant add`);
}

/** Who publishes, and when, ms since the epoch. */
export interface Publisher {
  readonly identity: StoredIdentity;
  readonly open: OpenWorkspace;
  readonly nowMs: number;
}

/** Throws `forbidden` unless the identity is an operator now. */
export function requireOperator(what: string, { identity, open, nowMs }: Publisher): void {
  const roles = grantAt(open.timelines(open.contents())(identity.peer), nowMs)?.grant.roles ?? [];
  if (roles.includes('operator')) return;
  throw new VakError('forbidden', `${what}: ${identity.peer} may not, it is no operator; see vak grant ls`);
}
