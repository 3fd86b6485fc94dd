/** The lock screen: who was here, since when, and the one button. A wrong passphrase is said in the window that asks for it. */
import { BellRing, Lock } from 'lucide-react';
import { useEffect, useRef } from 'react';
import type { KeyStoreState } from '../../../shared/contract/identity-contract.ts';
import { attentionWords } from '../../ui/attention-words.ts';
import { Button } from '../../ui/button.tsx';
import { ErrorNotice } from '../../ui/error-notice.tsx';
import { formatDateTime, formatRelative } from '../../ui/format.ts';
import { asksPassphrase, keychainName } from '../../ui/keychain-words.ts';
import { useAttempt } from '../../ui/use-attempt.ts';
import { useNow } from '../../ui/use-now.ts';
import { useSnapshot, useViewState, useWorkbench } from '../../workbench.tsx';
import { GateFrame, GateTitle } from './gate-frame.tsx';
import type { LastOpening } from './use-last-opening.ts';

export interface LockScreenProps {
  readonly keyStore: KeyStoreState;
  /** Undefined after a start: nobody has opened it in this window yet. */
  readonly lastOpening: LastOpening | undefined;
}

function WhoAndSince({ peer, name, workspace, lockedAtMs }: LastOpening) {
  const zone = useViewState((state) => state.timeZone);
  const nowMs = useNow();
  return (
    <dl className="gate-facts" data-testid="gate-who">
      <div>
        <dt>Peer</dt>
        <dd>
          {name} <span className="dim data">{peer}</span>
        </dd>
      </div>
      <div>
        <dt>Workspace</dt>
        <dd className="data">{workspace}</dd>
      </div>
      <div>
        <dt>Locked since</dt>
        <dd>
          <span className="data">{formatDateTime(lockedAtMs, zone)}</span>{' '}
          <span className="dim">{formatRelative(lockedAtMs, nowMs)}</span>
        </dd>
      </div>
    </dl>
  );
}

/** That something has come since it was locked, and how much; what it is cannot be said, since nothing can be judged. */
function News() {
  const news = useSnapshot('operations.lockedNews');
  if (news === undefined || news.incidentCount + news.approvalCount === 0) return null;
  const isOne = news.incidentCount + news.approvalCount === 1;
  return (
    <p className="gate-news" role="status" data-testid="gate-news">
      <BellRing size={16} aria-hidden="true" />
      New since it was locked: {attentionWords(news)}. Unlock to see {isOne ? 'it' : 'them'}.
    </p>
  );
}

/** Enter opens also where nothing has the focus, as after a click beside the button. */
function useEnter(onEnter: () => void): void {
  const latest = useRef(onEnter);
  latest.current = onEnter;
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent): void => {
      const isElsewhere = event.target instanceof Element && event.target.closest('button, a, input') !== null;
      if (event.key !== 'Enter' || event.repeat || event.defaultPrevented || isElsewhere) return;
      event.preventDefault();
      latest.current();
    };
    window.addEventListener('keydown', onKeyDown);
    return () => window.removeEventListener('keydown', onKeyDown);
  }, []);
}

export function LockScreen({ keyStore, lastOpening }: LockScreenProps) {
  const { client } = useWorkbench();
  const { isBusy, report, run } = useAttempt();
  const isAsked = asksPassphrase(keyStore);
  const unlock = (): void => void run('Unlock the key store', () => client.identity.unlock({}));
  useEnter(unlock);
  const busyLabel = isAsked ? 'Waiting for the passphrase window…' : 'Unlocking…';
  return (
    <GateFrame name="Locked" testId="gate-lock">
      <GateTitle icon={<Lock size={24} aria-hidden="true" />} title="The key store is locked">
        <p>
          Nothing can be signed, sealed or opened, and nothing of the stream is kept in this window. Workers of the
          local swarm run on.
        </p>
      </GateTitle>
      {lastOpening !== undefined && <WhoAndSince {...lastOpening} />}
      <News />
      {report !== undefined && <ErrorNotice report={report} />}
      <div className="gate-actions">
        <Button
          autoFocus
          variant="primary"
          keys="Enter"
          data-testid="gate-unlock"
          disabledReason={isBusy ? 'it is being opened' : undefined}
          onClick={unlock}
        >
          {isBusy ? busyLabel : 'Unlock'}
        </Button>
        <span className="dim">
          {isAsked ? 'asks for the passphrase in a window of its own' : `with ${keychainName(keyStore.keychain)}`}
        </span>
      </div>
    </GateFrame>
  );
}
