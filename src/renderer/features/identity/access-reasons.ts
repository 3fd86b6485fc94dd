/** Why something cannot be done with grants and peers now. Pure; undefined: it can. */
import type { PeerState, PeerSummary } from '../../../shared/contract/access-contract.ts';
import type { ConnectionsState } from '../../../shared/contract/connections-contract.ts';
import type { GrantSummary, SelfSummary } from '../../../shared/contract/identity-contract.ts';
import { readOnlyLack } from '../../ui/connection-words.ts';

export interface AccessSituation {
  readonly connection: ConnectionsState | undefined;
  readonly self: SelfSummary | null | undefined;
  readonly grant: GrantSummary | undefined;
  readonly peer: PeerSummary | undefined;
}

/** What to do where the root is not. */
export const rootAdvice =
  'the root key of this workspace is held elsewhere: have it granted there (vak grant add), and take it over here (vak grant import)';

export function whyNotGrant({ connection, self }: Pick<AccessSituation, 'connection' | 'self'>): string | undefined {
  return readOnlyLack(connection) ?? (self?.holdsRoot === true ? undefined : rootAdvice);
}

/** Of what the root signs and does not go over the bus. */
export function whyNotSign({ self }: Pick<AccessSituation, 'self'>): string | undefined {
  return self?.holdsRoot === true ? undefined : 'the root key of this workspace is held elsewhere: do it there';
}

export function whyNotRenewCard({ connection }: Pick<AccessSituation, 'connection'>): string | undefined {
  return readOnlyLack(connection);
}

export function whyNotChangeGrant(situation: AccessSituation): string | undefined {
  const { grant, self } = situation;
  if (grant === undefined) return 'select a grant first';
  return (
    whyNotGrant(situation) ??
    (self?.peer === grant.peer ? 'it is your own, and you could grant nothing after' : undefined)
  );
}

export function whyNotRevoke(situation: AccessSituation): string | undefined {
  return whyNotChangeGrant(situation) ?? (situation.grant?.roles.length === 0 ? 'it has no role' : undefined);
}

const notOwn = ({ peer }: Pick<AccessSituation, 'peer'>): string | undefined => {
  if (peer === undefined) return 'select a peer first';
  return peer.state === 'own' ? 'its keys are held in this profile' : undefined;
};

export function whyNotCompare(situation: Pick<AccessSituation, 'peer'>): string | undefined {
  return notOwn(situation);
}

export function whyNotAccept(situation: Pick<AccessSituation, 'peer'>): string | undefined {
  return notOwn(situation) ?? (situation.peer?.offered === null ? 'its key has not changed' : undefined);
}

export function whyNotBlock(situation: Pick<AccessSituation, 'peer'>): string | undefined {
  return notOwn(situation);
}

const unverified: ReadonlySet<PeerState> = new Set(['pinned', 'changed', 'blocked']);

export function whyNotUnverify(situation: Pick<AccessSituation, 'peer'>): string | undefined {
  const { peer } = situation;
  return (
    notOwn(situation) ?? (peer !== undefined && unverified.has(peer.state) ? 'it is not marked as verified' : undefined)
  );
}
