/** One peer: its card, its keys whole, what is known of them, and what can be done. */
import { Ban, KeyRound, ShieldCheck, ShieldOff, TriangleAlert, UserPlus, X } from 'lucide-react';
import { visibleText } from '../../../shared/base/visible-text.ts';
import type { PeerSummary } from '../../../shared/contract/access-contract.ts';
import type { GrantSummary } from '../../../shared/contract/identity-contract.ts';
import { ActionButton } from '../../actions/action-button.tsx';
import { formatDateTime, formatRelative } from '../../ui/format.ts';
import { IconButton } from '../../ui/icon-button.tsx';
import { Fact, Facts } from '../../ui/panel.tsx';
import { useViewState } from '../../workbench.tsx';
import { ExpiryText } from './expiry-text.tsx';
import { Fingerprint } from './fingerprint.tsx';
import { standingOf } from './grant-standing.ts';
import { changeCause, peerWords } from './peer-words.ts';
import { GrantBadge, PeerBadge } from './standing-badge.tsx';

export interface PeerDetailProps {
  readonly peer: PeerSummary;
  readonly grant: GrantSummary | undefined;
  readonly nowMs: number;
  readonly onClose: () => void;
}

function Moment({ ms, nowMs }: { readonly ms: number; readonly nowMs: number }) {
  const zone = useViewState((state) => state.timeZone);
  return (
    <>
      <span className="data">{formatDateTime(ms, zone)}</span>
      <span className="identity-words dim">{formatRelative(Math.min(ms, nowMs), nowMs)}</span>
    </>
  );
}

/** What came, and its true cause. */
function Changed({ peer, nowMs }: Pick<PeerDetailProps, 'peer' | 'nowMs'>) {
  const zone = useViewState((state) => state.timeZone);
  const { offered } = peer;
  if (offered === null) return null;
  return (
    <div className="peer-changed" data-testid="peer-changed">
      <p className="identity-notice">
        <TriangleAlert className="identity-bad" size={14} aria-hidden="true" />
        <span>
          A card with another signing key came {formatRelative(Math.min(offered.seenMs, nowMs), nowMs)} (
          {formatDateTime(offered.seenMs, zone)}). Nothing is sent to {peer.peer} until you accept that key.{' '}
          {changeCause(peer)}
        </span>
      </p>
      <Facts>
        <Fact label="New signing key">
          <Fingerprint name={`new signing key of ${peer.peer}`} value={offered.sign} />
        </Fact>
        <Fact label="Card serial">{offered.cardSerial}</Fact>
      </Facts>
    </div>
  );
}

function Granted({ grant, nowMs }: Pick<PeerDetailProps, 'grant' | 'nowMs'>) {
  if (grant === undefined) return <span className="identity-words dim">nothing</span>;
  return (
    <>
      <span className="identity-words">{grant.roles.join(', ')}</span>
      {grant.queues.length > 0 && <span>{grant.queues.join(', ')}</span>}
      <GrantBadge standing={standingOf(grant, nowMs)} />
    </>
  );
}

/** Its card, and what is known of it. */
function CardFacts({ peer, grant, nowMs }: Omit<PeerDetailProps, 'onClose'>) {
  const { firstSeenMs, sinceMs, state } = peer;
  return (
    <Facts>
      <Fact label="Name">
        <span className="identity-words">{visibleText(peer.name)}</span>
      </Fact>
      <Fact label="Kind">
        <span className="identity-words">{peer.agent ? `${peer.kind}, an agent` : peer.kind}</span>
      </Fact>
      <Fact label="Signing key">
        <Fingerprint name={`signing key of ${peer.peer}`} value={peer.sign} />
      </Fact>
      <Fact label="Box key (X25519)">
        <Fingerprint name={`box key of ${peer.peer}`} value={peer.box} />
      </Fact>
      <Fact label="Box key until">
        <ExpiryText endsAtMs={peer.boxExpiresAtMs} nowMs={nowMs} />
      </Fact>
      <Fact label="Card serial">{peer.cardSerial}</Fact>
      {firstSeenMs !== null && (
        <Fact label="First seen">
          <Moment ms={firstSeenMs} nowMs={nowMs} />
        </Fact>
      )}
      {sinceMs !== null && (
        <Fact label={state === 'blocked' ? 'Blocked' : 'Verified'}>
          <Moment ms={sinceMs} nowMs={nowMs} />
        </Fact>
      )}
      <Fact label="Granted">
        <Granted grant={grant} nowMs={nowMs} />
      </Fact>
    </Facts>
  );
}

export function PeerDetail({ peer, grant, nowMs, onClose }: PeerDetailProps) {
  const { state } = peer;
  return (
    <>
      <header className="peer-detail-head">
        <h2 className="data">{peer.peer}</h2>
        <PeerBadge state={state} />
        <IconButton icon={X} label="Close the peer" keys="Escape" side="left" onClick={onClose} />
      </header>
      <div className="peer-detail-body">
        {state !== 'changed' && <p className="peer-meaning dim">{peerWords[state].meaning}.</p>}
        <Changed peer={peer} nowMs={nowMs} />
        <CardFacts {...{ peer, grant, nowMs }} />
      </div>
      <div className="identity-bar" role="group" aria-label="The selected peer">
        <ActionButton action="access.compare" icon={ShieldCheck} label="Compare…" variant="primary" />
        {peer.offered !== null && <ActionButton action="access.acceptKey" icon={KeyRound} label="Accept key…" />}
        {state === 'verified' && <ActionButton action="access.unverify" icon={ShieldOff} label="Take back" />}
        <ActionButton action="access.block" icon={Ban} label={state === 'blocked' ? 'Let it go' : 'Block'} />
        <ActionButton action="access.grantPeer" icon={UserPlus} label="Grant…" />
      </div>
    </>
  );
}
