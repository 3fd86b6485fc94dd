/** Whether the identity of a command may publish what it is to (protocol.md A1, A2). */
import { refusalError } from '../../engine/access/refusal-words.ts';
import { grantAt } from '../../engine/identity/grant-timeline.ts';
import type { StoredIdentity } from '../../engine/identity/key-store.ts';
import { checkRecipient } from '../../engine/identity/recipient-check.ts';
import { explainHolder } from '../../shared/protocol/acl.ts';
import type { OpenWorkspace } from './workspace.ts';

/** Throws `forbidden` with the subject unless a role of the identity lets it publish there (A1, A2), and if nothing is sent to that peer (I2). */
export function checkRights(subject: string, session: string, { identity, open, nowMs }: Publisher): void {
  checkRecipient(subject, open.pins);
  const { workspace } = open;
  const { peer } = identity;
  const { roles = [], queues = [] } = grantAt(open.timelines(open.contents())(peer), nowMs)?.grant ?? {};
  const holder = { workspace, peer, roles, queues: new Set(queues), sessions: new Set([session]) };
  const { allowed, rule } = explainHolder(holder, 'publish', subject);
  if (!allowed) throw refusalError({ action: 'publish', subject, peer, roles, rule, side: 'engine' });
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
  const rule = 'A1 default deny: for the role operator alone';
  throw refusalError({ action: what, subject: '', peer: identity.peer, roles, rule, side: 'engine' });
}
