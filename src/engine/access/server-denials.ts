/**
 * What a nats-server refused a peer, as the operator is told of it (protocol.md A4, A5).
 * Law: the rule that is named is that of the policy; where that allows what was refused, it is said that the server knows another grant.
 */
import { explainHolder } from '../../shared/protocol/acl.ts';
import { explainServer } from '../../shared/protocol/explain-server.ts';
import type { GrantedHolder } from '../../shared/protocol/server-rights.ts';
import { isToken, parseSubject } from '../../shared/protocol/subject.ts';
import { createDenialTeller, type DenialTellerDeps, shownTry } from './denial-teller.ts';

/** A right that the server did not find; it does not always say which. */
export interface ServerDenial {
  readonly operation: 'publish' | 'subscribe';
  readonly subject: string | undefined;
}

export interface ServerDenialsDeps extends Omit<DenialTellerDeps, 'side'> {
  readonly workspace: string;
  /** What the peer is granted as far as is known here; undefined: nothing is known. */
  readonly granted: () => Pick<GrantedHolder, 'roles' | 'queues' | 'holdsRoot'> | undefined;
}

/** Whoever may not list all streams asks for its own ones instead (A13): nothing that it wanted was refused. */
const asksAll = '$JS.API.STREAM.LIST';

const behind =
  'the grant allows it: the server was told of another one, or shown other credentials; export anew (vak acl export)';

function isFabricSubject(subject: string): boolean {
  try {
    parseSubject(subject);
    return true;
  } catch {
    return false;
  }
}

/** Which rule of the policy says so. */
export function explainServerDenial(holder: GrantedHolder, { operation, subject }: ServerDenial): string {
  if (subject === undefined) return 'A4 the server did not say what it refused';
  const { workspace, peer, roles, queues } = holder;
  if (subject.startsWith('vak.') && (operation === 'subscribe' || isFabricSubject(subject))) {
    const sessions = { has: isToken, values: () => [peer] };
    const asked = { workspace, peer, roles, queues: new Set(queues), sessions };
    const { allowed, rule } = explainHolder(asked, operation, subject);
    return allowed ? `${rule}: ${behind}` : rule;
  }
  const { allowed, rule } = explainServer(holder, operation, subject);
  return allowed ? `${rule}: ${behind}` : rule;
}

/** Creates what takes note of refusals. Never throws. */
export function createServerDenials(deps: ServerDenialsDeps): (denial: ServerDenial) => void {
  const { workspace, peer, granted, logger } = deps;
  const tell = createDenialTeller({ ...deps, side: 'server' });

  function ruleOf(denial: ServerDenial): string {
    const known = granted();
    if (known === undefined) return 'A4 the server; what the peer is granted is not known here';
    try {
      return explainServerDenial({ workspace, peer, ...known }, denial);
    } catch (thrown) {
      logger.bug('access.server-denial', thrown);
      return 'A4 the server';
    }
  }
  return (denial) => {
    if (denial.subject === asksAll) return;
    tell(shownTry({ action: denial.operation, subject: denial.subject ?? '?' }), ruleOf(denial));
  };
}
