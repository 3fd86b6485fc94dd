/** Icon and word of how a grant or a peer stands. */
import { Ban, Check, CircleX, Clock, KeyRound, type LucideIcon, Pin, ShieldAlert, ShieldCheck } from 'lucide-react';
import type { PeerState } from '../../../shared/contract/access-contract.ts';
import { type GrantStanding, standingWords } from './grant-standing.ts';
import { peerWords } from './peer-words.ts';

const grantIcons: Readonly<Record<GrantStanding, LucideIcon>> = {
  'in-force': Check,
  soon: Clock,
  ended: CircleX,
  revoked: Ban,
};

const peerIcons: Readonly<Record<PeerState, LucideIcon>> = {
  own: KeyRound,
  pinned: Pin,
  verified: ShieldCheck,
  changed: ShieldAlert,
  blocked: Ban,
};

interface Face {
  readonly icon: LucideIcon;
  readonly word: string;
  readonly tone: string;
  readonly meaning: string;
}

function Badge({ icon: Icon, word, tone, meaning }: Face) {
  return (
    <span className={`identity-state ${tone === 'quiet' ? 'dim' : `identity-${tone}`}`} title={meaning}>
      <Icon size={13} aria-hidden="true" />
      {word}
    </span>
  );
}

export function GrantBadge({ standing }: { readonly standing: GrantStanding }) {
  return <Badge icon={grantIcons[standing]} {...standingWords[standing]} />;
}

export function PeerBadge({ state }: { readonly state: PeerState }) {
  return <Badge icon={peerIcons[state]} {...peerWords[state]} />;
}
