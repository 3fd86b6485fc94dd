/** A letter of a bundle of another workbench: the same sides as of one's own, and nothing that acts on it. */
import { X } from 'lucide-react';
import { useEffect, useState } from 'react';
import { isVakError } from '../../../shared/base/vak-error.ts';
import type { BundledEnvelope, BundledLetter, BundleReport } from '../../../shared/contract/bundles-contract.ts';
import { describeError } from '../../ui/describe-error.ts';
import { ErrorNotice } from '../../ui/error-notice.tsx';
import { formatCount, formatDateTime } from '../../ui/format.ts';
import { IconButton } from '../../ui/icon-button.tsx';
import { type PayloadMode, PayloadViews } from '../../ui/payload/payload-views.tsx';
import { useViewState, useWorkbench } from '../../workbench.tsx';
import { envelopeWords } from './bundle-words.ts';
import { LetterBody, LetterStanding, type LetterTab } from './letter-body.tsx';
import { StateMark } from './letter-marks.tsx';
import { LetterOutput } from './letter-output.tsx';
import { LetterAttributes, TaskFacts } from './letter-task.tsx';

interface Answer {
  readonly seq: number;
  readonly found: BundledLetter | undefined;
  readonly error: unknown;
}

function useBundledLetter({ bundleId }: BundleReport, seq: number): Omit<Answer, 'seq'> {
  const { client } = useWorkbench();
  const [answer, setAnswer] = useState<Answer>({ seq, found: undefined, error: undefined });
  useEffect(() => {
    const call = new AbortController();
    client.bundles.letter({ bundleId, seq }, { signal: call.signal }).then(
      (found) => {
        if (!call.signal.aborted) setAnswer({ seq, found, error: undefined });
      },
      (error: unknown) => {
        if (!call.signal.aborted && !isVakError(error, 'aborted')) setAnswer({ seq, found: undefined, error });
      },
    );
    return () => call.abort();
  }, [client, bundleId, seq]);
  return answer.seq === seq ? answer : { found: undefined, error: undefined };
}

function Envelopes({ envelopes }: { readonly envelopes: readonly BundledEnvelope[] }) {
  if (envelopes.length === 0) return null;
  return (
    <>
      <h3 className="detail-heading">Envelopes, verified here</h3>
      <ul className="letter-lines" data-testid="bundled-envelopes">
        {envelopes.map(({ of, id, type, by, payload, signature, isProven }) => (
          <li key={`${of} ${id}`}>
            <p>
              <StateMark word={envelopeWords[signature]} /> {of} <span className="data">{type}</span>{' '}
              <span className="dim">
                by {by}
                {isProven && ', in its chain'}
                {payload === 'withheld' && ', payload withheld: it was not sealed'}
              </span>
              {payload === 'changed' && <span className="tone-bad"> its payload was changed</span>}
            </p>
          </li>
        ))}
      </ul>
    </>
  );
}

/** The task in the words of whoever made the bundle. */
function BundledTask({ found: { letter, task, envelopes } }: { readonly found: BundledLetter }) {
  const [mode, setMode] = useState<PayloadMode>('json');
  return (
    <div className="letter-page" data-testid="letter-task">
      {task?.bytes != null && (
        <>
          <p className="letter-why dim">Opened where the bundle was made, in the words of whoever made it.</p>
          <div className="letter-payload" data-testid="letter-payload">
            <PayloadViews bytes={task.bytes} mode={mode} onMode={setMode} />
          </div>
        </>
      )}
      {task?.bytes == null && (
        <p className="letter-why tone-wait">{task?.problem ?? 'The bundle does not have its task opened.'}</p>
      )}
      <TaskFacts letter={letter} />
      <Envelopes envelopes={envelopes} />
      <LetterAttributes attributes={letter.attributes} />
    </div>
  );
}

function Origin({ bundle: { made }, isIntact }: { readonly bundle: BundleReport; readonly isIntact: boolean }) {
  const zone = useViewState((state) => state.timeZone);
  const at = made === null || made.atMs === null ? 'at no time that it says' : formatDateTime(made.atMs, zone);
  return (
    <p data-testid="bundled-origin">
      <span className="bundle-tag">from a bundle</span>
      <span className="dim">
        workspace {made?.workspace ?? 'unknown'}, {at}
      </span>
      {!isIntact && <span className="tone-bad">not as it was signed</span>}
    </p>
  );
}

export interface BundleLetterProps {
  readonly bundle: BundleReport;
  readonly seq: number;
  readonly onClose: () => void;
}

export function BundleLetter({ bundle, seq, onClose }: BundleLetterProps) {
  const { found, error } = useBundledLetter(bundle, seq);
  const [tab, setTab] = useState<LetterTab>('failure');
  return (
    <>
      <header className="letter-detail-head">
        <h2 className="letter-detail-name">Letter {formatCount(seq)}</h2>
        <IconButton icon={X} label="Close the letter" keys="Escape" side="left" onClick={onClose} />
      </header>
      {error !== undefined && (
        <div className="view-note">
          <ErrorNotice report={describeError(`Read letter ${formatCount(seq)} of the bundle`, error)} />
        </div>
      )}
      {found === undefined && error === undefined && <p className="view-note dim late">Reading the letter…</p>}
      {found !== undefined && (
        <>
          <LetterStanding letter={found.letter}>
            <Origin bundle={bundle} isIntact={found.isIntact} />
          </LetterStanding>
          <LetterBody
            {...{ letter: found.letter, tab, onTab: setTab }}
            output={<LetterOutput key={seq} around={found.around} isBundled />}
            task={<BundledTask key={seq} found={found} />}
          />
        </>
      )}
    </>
  );
}
