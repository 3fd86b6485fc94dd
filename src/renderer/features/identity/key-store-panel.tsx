/** The key store behind this peer: how it is protected, when it locks, and what can be done with it. */
import { Archive, ArchiveRestore, Lock, LockOpen, RectangleEllipsis, ShieldCheck, TriangleAlert } from 'lucide-react';
import { backupAdvice } from '../../../shared/base/backup-words.ts';
import type { BackupStanding, KeyStoreState } from '../../../shared/contract/identity-contract.ts';
import { ActionButton } from '../../actions/action-button.tsx';
import { formatDateTime, type Zone } from '../../ui/format.ts';
import { keychainName } from '../../ui/keychain-words.ts';
import { Fact, Facts, Panel } from '../../ui/panel.tsx';
import { useViewState } from '../../workbench.tsx';

function Keychain({ keychain }: Pick<KeyStoreState, 'keychain'>) {
  return keychain.isReal ? (
    <span className="identity-state">
      <ShieldCheck className="identity-ok" size={14} aria-hidden="true" />
      {keychainName(keychain)}
    </span>
  ) : (
    <span>
      {keychain.name} <span className="identity-words dim">no real keychain; the passphrase protects the keys</span>
    </span>
  );
}

function idleWords(minutes: number): string {
  if (minutes === 0) return 'never by itself';
  return `after ${minutes} min without use`;
}

/** A date, since a backup is looked for by it. */
function Backup({ backup, zone }: { readonly backup: BackupStanding; readonly zone: Zone }) {
  const { last } = backup;
  if (last === null) return <span className="identity-words">none was made in this profile</span>;
  return (
    <span className="identity-words">
      {formatDateTime(last.atMs, zone)}
      {last.how === 'restored' && <span className="dim"> these keys came from one then</span>}
    </span>
  );
}

interface KeyStorePanelProps {
  readonly keyStore: KeyStoreState;
  readonly backup: BackupStanding;
}

export function KeyStorePanel({ keyStore, backup }: KeyStorePanelProps) {
  const zone = useViewState((state) => state.timeZone);
  const advice = backupAdvice(backup);
  const { keychain, slots, idleLockMinutes, notices } = keyStore;
  return (
    <Panel title="Key store" summary="encrypted on this machine" data-testid="identity-key-store">
      <Facts>
        <Fact label="State">
          <span className="identity-state">
            <LockOpen className="identity-ok" size={14} aria-hidden="true" />
            open
          </span>
        </Fact>
        <Fact label="Keychain">
          <Keychain keychain={keychain} />
        </Fact>
        <Fact label="Opens with">
          <span className="identity-words">{slots.join(' or ')}</span>
        </Fact>
        <Fact label="Locks">
          <span className="identity-words">{idleWords(idleLockMinutes)}</span>
        </Fact>
        <Fact label="Last backup">
          <Backup backup={backup} zone={zone} />
        </Fact>
      </Facts>
      {notices.map((notice) => (
        <p key={notice} className="identity-notice">
          <TriangleAlert className="identity-wait" size={14} aria-hidden="true" />
          {notice}
        </p>
      ))}
      {advice !== undefined && (
        <p className="identity-notice" data-testid="identity-backup-advice">
          <Archive className="identity-wait" size={14} aria-hidden="true" />
          {advice}
        </p>
      )}
      <div className="identity-buttons">
        <ActionButton action="identity.lock" label="Lock" icon={Lock} />
        <ActionButton action="identity.backup" label="Back up…" icon={Archive} />
        <ActionButton action="identity.restore" label="Restore…" icon={ArchiveRestore} />
        <ActionButton action="identity.changePassphrase" label="Change passphrase…" icon={RectangleEllipsis} />
      </div>
    </Panel>
  );
}
