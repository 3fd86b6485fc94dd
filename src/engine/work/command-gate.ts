/**
 * Who may command a worker: each request is an envelope, and is let through once or refused with its true cause (E13, I4, E11).
 * Law: signers are judged by the grants that the worker was given, for ever: newer ones do not reach it.
 */
import { rolesThatMayPublish } from '../../shared/protocol/acl.ts';
import type { Grant } from '../../shared/protocol/identity-records.ts';
import { createRequestGate, type RequestGate } from '../control/request-gate.ts';
import { createLastingSources } from '../control/request-sources.ts';
import { createSignatureCheck } from '../envelope/envelope-signature.ts';
import type { SerialFloor } from '../identity/serial-floor.ts';
import type { RecordChecks } from '../identity/signed-record.ts';
import { createSignerResolution, type SignerResolution } from '../identity/signer-resolution.ts';
import type { Clock } from '../ports/clock.ts';
import type { Directory, Stored } from '../ports/directory.ts';

/** Lets commands through. */
export type CommandGate = RequestGate;

/** What the gate is made of. */
export interface CommandGateDeps {
  readonly workspace: string;
  /** Root's public nkey. */
  readonly rootPublic: string;
  /** Grants of those who may command, as main knows them. */
  readonly commanders: readonly Grant[];
  readonly clock: Pick<Clock, 'now'>;
  readonly checks: RecordChecks;
}

/** Most sources of commanders that are remembered; a worker lives shorter than that many restarts of them. */
const maxSources = 64;

/** Judges signers by the grants that were given. */
function resolutionOver({ workspace, rootPublic, commanders, checks }: CommandGateDeps): SignerResolution {
  const grants = new Map<string, readonly Stored<Grant>[]>();
  for (const record of commanders)
    grants.set(record.peer, [...(grants.get(record.peer) ?? []), { record, storedMs: 0 }]);
  const directory: Pick<Directory, 'grants' | 'grantedPeers'> = {
    grants: (peer) => grants.get(peer) ?? [],
    grantedPeers: () => [...grants.keys()],
  };
  const floor: Pick<SerialFloor, 'judge' | 'raise'> = { judge: () => 'known', raise() {} };
  return createSignerResolution({ ws: workspace, rootPublic, directory, floor, checks });
}

/** Creates the gate of one worker. */
export function createCommandGate(deps: CommandGateDeps): CommandGate {
  const { workspace, clock, checks } = deps;
  const signatures = createSignatureCheck({
    verifier: checks.verifier,
    resolution: resolutionOver(deps),
    rolesFor: (subject, { agentid, sessionid = '' }) => ({
      roles: rolesThatMayPublish(subject, { workspace, peer: agentid, session: sessionid }),
    }),
  });
  const sources = createLastingSources({
    max: maxSources,
    whenFull: 'Too many sources command this worker; start it again.',
  });
  return createRequestGate({ checkSignature: signatures.check, sources, clock });
}
