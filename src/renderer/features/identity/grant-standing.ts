/** How a grant stands now, in words. Pure; the caller gives the present. */
import type { PeerSummary } from '../../../shared/contract/access-contract.ts';
import type { GrantSummary } from '../../../shared/contract/identity-contract.ts';
import { formatCount } from '../../ui/format.ts';
import { expiresSoonMs } from './expiry.ts';

export type GrantStanding = 'in-force' | 'soon' | 'ended' | 'revoked';

/** `notAfter` includes its second (I8). */
export function standingOf({ roles, notAfter }: GrantSummary, nowMs: number): GrantStanding {
  if (roles.length === 0) return 'revoked';
  if (notAfter === 0) return 'in-force';
  if (Math.floor(nowMs / 1000) > notAfter) return 'ended';
  return notAfter * 1000 - nowMs < expiresSoonMs ? 'soon' : 'in-force';
}

export interface StandingWords {
  readonly word: string;
  readonly tone: 'ok' | 'wait' | 'bad' | 'quiet';
  readonly meaning: string;
}

export const standingWords: Readonly<Record<GrantStanding, StandingWords>> = {
  'in-force': { word: 'in force', tone: 'ok', meaning: 'Its signatures count for these roles' },
  soon: { word: 'ends soon', tone: 'wait', meaning: 'It ends within a week; renew it, or let it end' },
  ended: { word: 'ended', tone: 'bad', meaning: 'Its time is over: what the peer signs now counts for no role' },
  revoked: { word: 'revoked', tone: 'quiet', meaning: 'Every role was taken; what it signed before still counts' },
};

/** `1 ends soon · 2 ended`; empty if all are in force. */
export function standingSummary(grants: readonly GrantSummary[], nowMs: number): string {
  const all = grants.map((grant) => standingOf(grant, nowMs));
  return (['soon', 'ended', 'revoked'] as const)
    .map((standing) => [all.filter((one) => one === standing).length, standing] as const)
    .filter(([count]) => count > 0)
    .map(
      ([count, standing]) =>
        `${formatCount(count)} ${count > 1 && standing === 'soon' ? 'end soon' : standingWords[standing].word}`,
    )
    .join(' · ');
}

/** What the key of a grant is to what is known of the peer; undefined: they agree, or nothing is known. */
export function keyDoubt({ peer, sign }: GrantSummary, peers: readonly PeerSummary[]): string | undefined {
  const known = peers.find((one) => one.peer === peer);
  if (known === undefined) return 'no card of this peer was seen here';
  return known.sign === sign ? undefined : 'the card that is known here has another signing key';
}

const stops: Readonly<Record<string, string>> = {
  worker: 'it gets no more tasks, and one that it holds goes back to its queue',
  coordinator: 'it puts no more tasks into queues',
  operator: 'it can act on nothing here any more',
  human: 'it can write in no room',
  bot: 'it can write in no room',
  observer: 'it hears nothing any more',
  membershipd: 'no room gets a new member while no other service orders their logs',
  'dlq-supervisor': 'what no worker ends stays in its queue while no other supervisor runs',
  provisioner: 'it makes no streams and buckets any more',
};

/** What stops when it is revoked, in one line. */
export function revokeConsequence({ roles }: Pick<GrantSummary, 'roles'>): string {
  const what = [...new Set(roles.flatMap((role) => stops[role] ?? []))].join('; ');
  return `At once: ${what}. What it signed before still counts. It stands in the signed record, and can be granted anew.`;
}
