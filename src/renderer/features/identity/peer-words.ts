/** What is said of a peer's standing (protocol.md I2). Pure. */
import type { PeerState, PeerSummary } from '../../../shared/contract/access-contract.ts';

export interface PeerWords {
  readonly word: string;
  readonly tone: 'ok' | 'wait' | 'bad' | 'quiet';
  readonly meaning: string;
}

export const peerWords: Readonly<Record<PeerState, PeerWords>> = {
  own: { word: 'this profile', tone: 'quiet', meaning: 'Its keys are held here' },
  pinned: {
    word: 'pinned',
    tone: 'quiet',
    meaning: 'Its key is the one that was seen first. Nobody has compared it: compare its safety number',
  },
  verified: { word: 'verified', tone: 'ok', meaning: 'You have compared its safety number' },
  changed: {
    word: 'key changed',
    tone: 'bad',
    meaning: 'A card with another signing key came. Nothing is sent to it until you accept that key',
  },
  blocked: { word: 'blocked', tone: 'bad', meaning: 'You have blocked it: nothing is sent to it' },
};

/** What most needs somebody comes first, then by name. */
export function sortPeers(peers: readonly PeerSummary[]): readonly PeerSummary[] {
  const rank: Readonly<Record<PeerState, number>> = { changed: 0, blocked: 1, pinned: 2, verified: 2, own: 3 };
  return [...peers].sort((a, b) => rank[a.state] - rank[b.state] || (a.peer < b.peer ? -1 : 1));
}

/** `1 key changed · 3 pinned · 2 of this profile`. */
export function peersSummary(peers: readonly PeerSummary[]): string {
  const count = (state: PeerState): number => peers.filter((one) => one.state === state).length;
  const parts = (['changed', 'blocked', 'pinned', 'verified'] as const).map(
    (state) => [count(state), peerWords[state].word] as const,
  );
  const own = count('own');
  const words = parts.filter(([many]) => many > 0).map(([many, word]) => `${many} ${word}`);
  return [...words, ...(own > 0 ? [`${own} of this profile`] : [])].join(' · ');
}

/** Why the key of a peer may have changed: what is known of it, in a sentence, and what follows. */
export function changeCause({ peer, offered }: PeerSummary): string {
  if (offered === null) return '';
  return offered.isGranted
    ? `The root of the workspace has granted the new key, so whoever holds the root knows of it: most likely ${peer} was set up anew. Compare the safety number to be sure.`
    : `The root of the workspace has not granted the new key. Somebody may speak in the name of ${peer}: ask ${peer} on another way, and compare the safety number.`;
}
