/** Compares the safety number with a peer (protocol.md I2): digits read aloud, a QR code, or a text that is compared by machine. */
import { Check, CircleX, TriangleAlert } from 'lucide-react';
import { useEffect, useState } from 'react';
import type { PeerSummary, SafetyReport } from '../../../shared/contract/access-contract.ts';
import { compareSafety, type SafetyComparison, safetyGroups } from '../../../shared/protocol/safety-text.ts';
import { AreaField } from '../../ui/area-field.tsx';
import { Button } from '../../ui/button.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { describeError } from '../../ui/describe-error.ts';
import { Dialog, DialogActions } from '../../ui/dialog.tsx';
import { ErrorNotice } from '../../ui/error-notice.tsx';
import { useAttempt } from '../../ui/use-attempt.ts';
import { useSnapshot, useWorkbench } from '../../workbench.tsx';
import { Fingerprint } from './fingerprint.tsx';
import { changeCause } from './peer-words.ts';
import { QrCode } from './qr-code.tsx';
import { useAccessWork, useAccessWorkState } from './use-access-work.ts';

type Loaded =
  | { readonly kind: 'loading' }
  | { readonly kind: 'loaded'; readonly report: SafetyReport }
  | { readonly kind: 'failed'; readonly error: unknown };

/** The report of a peer, read anew when its keys change. */
function useSafety(peer: PeerSummary): Loaded {
  const { client } = useWorkbench();
  const [loaded, setLoaded] = useState<Loaded>({ kind: 'loading' });
  const key = `${peer.peer} ${peer.offered?.sign ?? peer.sign}`;
  useEffect(() => {
    let isCurrent = true;
    const take = (next: Loaded): void => {
      if (isCurrent) setLoaded(next);
    };
    const [name = ''] = key.split(' ');
    client.access.safety({ peer: name }).then(
      (report) => take({ kind: 'loaded', report }),
      (error: unknown) => take({ kind: 'failed', error }),
    );
    return () => {
      isCurrent = false;
    };
  }, [client, key]);
  return loaded;
}

function Digits({ number }: Pick<SafetyReport, 'number'>) {
  return (
    // One text for screen readers and the clipboard, in the order in which it is read.
    <p className="safety-digits data" data-testid="safety-number">
      {safetyGroups(number).map((group, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: groups of one number never move, and may be equal.
        <span key={index}>{group} </span>
      ))}
    </p>
  );
}

const faces = {
  same: { icon: Check, tone: 'identity-ok' },
  different: { icon: CircleX, tone: 'identity-bad' },
  unreadable: { icon: TriangleAlert, tone: 'identity-wait' },
} as const;

function Verdict({ verdict }: { readonly verdict: SafetyComparison | undefined }) {
  if (verdict === undefined) return <p className="safety-verdict" role="status" data-testid="safety-verdict" />;
  const { icon: Icon, tone } = faces[verdict.kind];
  return (
    <p className={`safety-verdict ${tone}`} role="status" data-testid="safety-verdict" data-verdict={verdict.kind}>
      <Icon size={14} aria-hidden="true" />
      {verdict.kind === 'same' ? 'They are the same: both know the same two keys.' : verdict.why}
    </p>
  );
}

interface ComparisonProps {
  readonly peer: PeerSummary;
  readonly report: SafetyReport;
}

function Keys({ report }: Pick<ComparisonProps, 'report'>) {
  return (
    <dl className="safety-keys">
      {report.peers.map(({ peer, sign }, index) => (
        <div key={peer}>
          <dt className="dim">
            {peer}
            {index === 0 ? ' (you)' : ''}
          </dt>
          <dd>
            <Fingerprint name={`signing key of ${peer}`} value={sign} />
          </dd>
        </div>
      ))}
    </dl>
  );
}

/** What is compared, to be read or scanned. */
function Shown({ peer, report }: ComparisonProps) {
  return (
    <>
      {peer.offered !== null && (
        <p className="identity-notice safety-cause">
          <TriangleAlert className="identity-bad" size={14} aria-hidden="true" />
          <span>This is the number with its new key. {changeCause(peer)}</span>
        </p>
      )}
      <div className="safety-pair">
        <div className="safety-numbers">
          <Digits number={report.number} />
          <CopyButton text={safetyGroups(report.number).join(' ')}>Copy the number</CopyButton>
          <Keys report={report} />
        </div>
        <QrCode text={report.text} label={`QR code with both signing keys, yours and that of ${peer.peer}`} />
      </div>
    </>
  );
}

function Comparison({ peer, report }: ComparisonProps) {
  const work = useAccessWork();
  const [read, setRead] = useState('');
  const attempt = useAttempt();
  const pair = { ws: report.ws, peers: report.peers };
  const verdict = read.trim() === '' ? undefined : compareSafety(read, { pair, number: report.number });
  const isChanged = peer.offered !== null;
  const differs = verdict?.kind === 'different' ? 'what was read differs' : undefined;
  const mark = (): void => {
    if (isChanged) work.askAccept(peer, true);
    else void attempt.run('Mark as verified', () => work.setVerified(peer, true));
  };
  return (
    <div className="dialog-body">
      <Shown peer={peer} report={report} />
      <AreaField
        label="Compare by machine (optional)"
        hint="Paste their sixty digits, or what a scanner read from their QR code."
        rows={2}
        value={read}
        maxLength={2048}
        data-testid="safety-read"
        onChange={(event) => setRead(event.target.value)}
      />
      <Verdict verdict={verdict} />
      {attempt.report !== undefined && <ErrorNotice report={attempt.report} />}
      <DialogActions>
        <Button
          variant="danger"
          data-testid="safety-differ"
          disabledReason={peer.state === 'blocked' ? 'it is blocked already' : undefined}
          onClick={() => void work.differ(peer.peer)}
        >
          They differ: block {peer.peer}
        </Button>
        <Button onClick={work.close}>Later</Button>
        <Button variant="primary" data-testid="safety-match" disabledReason={differs} onClick={mark}>
          {isChanged ? 'They match: accept the key…' : 'They match'}
        </Button>
      </DialogActions>
    </div>
  );
}

function SafetyBody({ peer }: { readonly peer: PeerSummary }) {
  const loaded = useSafety(peer);
  if (loaded.kind === 'loading') return <p className="dialog-body late dim">Computing the number…</p>;
  if (loaded.kind === 'loaded') {
    // What is marked is what was shown: a key that came this moment is shown first.
    const isCurrent = loaded.report.peers[1].sign === (peer.offered?.sign ?? peer.sign);
    return isCurrent ? <Comparison peer={peer} report={loaded.report} /> : null;
  }
  return (
    <div className="dialog-body">
      <ErrorNotice report={describeError('Compute the safety number', loaded.error)} />
    </div>
  );
}

export function SafetyDialog() {
  const work = useAccessWork();
  const name = useAccessWorkState((state) => state.comparing);
  const peer = useSnapshot('access.peers')?.peers.find((one) => one.peer === name);
  if (name === undefined || peer === undefined) return null;
  return (
    <Dialog
      isOpen
      kind="wide"
      title={`Compare the safety number with ${name}`}
      description={`Have ${name} open the same page for you, or run vak safety. Read the digits to each other where you know each other’s voice, or scan: if all are the same, nobody stands between you.`}
      onClose={work.close}
    >
      <SafetyBody peer={peer} />
    </Dialog>
  );
}
