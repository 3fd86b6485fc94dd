/** This peer's card: who it is, its public keys, how long they hold, and what to do about it. */
import { Copy, KeyRound, RefreshCw, TriangleAlert } from 'lucide-react';
import type { SelfSummary } from '../../../shared/contract/identity-contract.ts';
import { ActionButton } from '../../actions/action-button.tsx';
import { Fact, Facts, Panel } from '../../ui/panel.tsx';
import { rootAdvice } from './access-reasons.ts';
import { describeExpiry } from './expiry.ts';
import { ExpiryText } from './expiry-text.tsx';
import { Fingerprint } from './fingerprint.tsx';
import { standingOf } from './grant-standing.ts';
import { GrantBadge } from './standing-badge.tsx';

export interface SelfPanelProps {
  readonly self: SelfSummary;
  readonly nowMs: number;
}

/** What the end of the box key means, where it is near or past. */
function BoxKeyNotice({ self, nowMs }: SelfPanelProps) {
  const { tone } = describeExpiry(self.boxExpiresAtMs, nowMs, 'utc');
  if (tone === 'plain') return null;
  const words =
    tone === 'bad'
      ? 'The box key has ended: others seal no room key to this peer until you renew it. Rooms that it is in go on with the keys that it has.'
      : 'The box key ends soon. Renew it: what was sealed to the old one can still be opened for 30 days.';
  return (
    <p className="identity-notice" data-testid="identity-box-notice">
      <TriangleAlert className={`identity-${tone}`} size={14} aria-hidden="true" />
      {words}
    </p>
  );
}

function Roles({ self, nowMs }: SelfPanelProps) {
  const [grant] = self.grants;
  if (grant === undefined) return <span className="identity-words dim">none: ask whoever holds the root</span>;
  return (
    <>
      <span className="identity-words">{grant.roles.join(', ') || 'none'}</span>
      <GrantBadge standing={standingOf(grant, nowMs)} />
    </>
  );
}

export function SelfPanel({ self, nowMs }: SelfPanelProps) {
  return (
    <Panel title="This peer" summary="its card, which others know it by" data-testid="identity-self">
      <Facts>
        <Fact label="Peer">
          <span data-testid="identity-peer">{self.peer}</span>
        </Fact>
        <Fact label="Name">
          <span className="identity-words">{self.name}</span>
        </Fact>
        <Fact label="Kind">
          <span className="identity-words">{self.kind}</span>
        </Fact>
        <Fact label="Workspace">{self.workspace}</Fact>
        <Fact label="Roles">
          <Roles self={self} nowMs={nowMs} />
        </Fact>
        <Fact label="Signing key" meaning="Ed25519, as an nkey: what its signatures are checked with">
          <Fingerprint name="signing key" value={self.sign} />
        </Fact>
        <Fact label="Box key (X25519)" meaning="What room keys are sealed to; it is renewed every 30 days">
          <Fingerprint name="box key" value={self.box} />
        </Fact>
        <Fact label="Box key until">
          <ExpiryText endsAtMs={self.boxExpiresAtMs} nowMs={nowMs} />
        </Fact>
        {/* A serial names a version; it is no amount, so its digits are not parted. */}
        <Fact label="Card serial">{self.cardSerial}</Fact>
        <Fact label="Workspace root" meaning="Whoever holds it grants and revokes">
          <Fingerprint name="root key" value={self.rootPublic} />
          <span
            className={self.holdsRoot ? 'identity-state' : 'identity-state dim'}
            data-testid="identity-root"
            title={self.holdsRoot ? undefined : rootAdvice}
          >
            {self.holdsRoot && <KeyRound size={14} aria-hidden="true" />}
            {self.holdsRoot ? 'held here: this peer can grant' : 'held elsewhere: grants come from there'}
          </span>
        </Fact>
      </Facts>
      <BoxKeyNotice self={self} nowMs={nowMs} />
      <div className="identity-buttons">
        <ActionButton action="access.copyCard" icon={Copy} label="Copy card" />
        <ActionButton action="access.renewCard" icon={RefreshCw} label="Renew box key" />
      </div>
    </Panel>
  );
}
