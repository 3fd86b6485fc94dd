/** This peer's card: who it is, its public keys, how long they hold. */
import { KeyRound } from 'lucide-react';
import type { SelfSummary } from '../../../shared/contract/identity-contract.ts';
import { CopyValue } from '../../ui/copy-value.tsx';
import { Fact, Facts, Panel } from '../../ui/panel.tsx';
import { ExpiryText } from './expiry-text.tsx';

export interface SelfPanelProps {
  readonly self: SelfSummary;
  readonly nowMs: number;
}

export function SelfPanel({ self, nowMs }: SelfPanelProps) {
  return (
    <Panel title="This peer" data-testid="identity-self">
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
        <Fact label="Signing key">
          <CopyValue name="signing key" value={self.sign} />
        </Fact>
        <Fact label="Box key (X25519)">
          <CopyValue name="box key" value={self.box} />
        </Fact>
        <Fact label="Box key until">
          <ExpiryText endsAtMs={self.boxExpiresAtMs} nowMs={nowMs} />
        </Fact>
        {/* A serial names a version; it is no amount, so its digits are not parted. */}
        <Fact label="Card serial">{self.cardSerial}</Fact>
        <Fact label="Workspace root">
          <CopyValue name="root key" value={self.rootPublic} />
          <span className={self.holdsRoot ? 'identity-state' : 'identity-state dim'} data-testid="identity-root">
            {self.holdsRoot && <KeyRound size={14} aria-hidden="true" />}
            {self.holdsRoot ? 'held here: this peer can grant' : 'held elsewhere'}
          </span>
        </Fact>
      </Facts>
    </Panel>
  );
}
