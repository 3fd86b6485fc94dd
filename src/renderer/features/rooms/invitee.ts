/** Whom an invitation is for, as it was typed or pasted. Pure. */
import type { PeerSummary } from '../../../shared/contract/access-contract.ts';
import type { RoomMemberReport } from '../../../shared/contract/rooms-contract.ts';

export type Invitee =
  | { readonly kind: 'none'; readonly why: string }
  | { readonly kind: 'peer'; readonly peer: string }
  | { readonly kind: 'card'; readonly text: string };

/** As much of a card as the engine takes. */
const maxCardLength = 16_384;

/** What begins as JSON is a card; the engine proves it. */
export function readInvitee(typed: string): Invitee {
  const text = typed.trim();
  if (text === '') return { kind: 'none', why: 'name a peer first' };
  if (text.startsWith('{'))
    return text.length > maxCardLength ? { kind: 'none', why: 'it is too long for a card' } : { kind: 'card', text };
  if (/^[A-Za-z0-9_-]{1,64}$/.test(text)) return { kind: 'peer', peer: text };
  return { kind: 'none', why: 'a peer id has at most 64 letters, digits, - and _; a card begins with {' };
}

const maxShown = 6;

/** Others whose cards are known, who are not in the room or invited, and whose id or name has what was typed. */
export function invitablePeers(
  peers: readonly PeerSummary[],
  members: readonly RoomMemberReport[],
  typed: string,
): readonly PeerSummary[] {
  const part = typed.trim().toLowerCase();
  const taken = new Set(members.flatMap(({ peer, sign }) => [peer, sign]));
  return peers
    .filter(({ state, peer, sign }) => state !== 'own' && state !== 'blocked' && !taken.has(peer) && !taken.has(sign))
    .filter(({ peer, name }) => `${peer} ${name}`.toLowerCase().includes(part))
    .slice(0, maxShown);
}
