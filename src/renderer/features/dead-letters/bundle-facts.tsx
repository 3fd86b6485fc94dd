/** What a bundle of another workbench says of itself, and whether that is what was signed. */
import type { BundleReport } from '../../../shared/contract/bundles-contract.ts';
import { CopyFact, DetailFact, DetailFacts } from '../../ui/detail-facts.tsx';
import { formatBytes, formatCount, formatDateTime } from '../../ui/format.ts';
import { useViewState } from '../../workbench.tsx';
import { linesSentence, partsOf, signedSentence, verdictWord } from './bundle-words.ts';
import { StateMark } from './letter-marks.tsx';

interface BundleProps {
  readonly bundle: BundleReport;
}

function Verdict({ bundle }: BundleProps) {
  const { verdict, faults, badLineCount, errors } = bundle;
  return (
    <div className="bundle-verdict" data-testid="bundle-verdict" data-verdict={verdict}>
      <p>
        <StateMark word={verdictWord(bundle)} />
      </p>
      <p data-testid="bundle-signed">{signedSentence(bundle)}</p>
      <p data-testid="bundle-lines">{linesSentence(bundle)}</p>
      {errors.map((error) => (
        <p key={error} className="tone-bad">
          {error}
        </p>
      ))}
      {faults.length > 0 && (
        <ol className="bundle-faults" aria-label="Lines that are not as they were signed" data-testid="bundle-faults">
          {faults.map(({ line, kind, why }) => (
            <li key={line}>
              <span className="data">{formatCount(line)}</span>
              <span className="data dim">{kind}</span>
              <span>{why}</span>
            </li>
          ))}
        </ol>
      )}
      {bundle.cutAtLine === null && badLineCount > faults.length && (
        <p className="dim">{formatCount(badLineCount - faults.length)} more; vak bundle verify names them all.</p>
      )}
    </div>
  );
}

function Made({ bundle: { made, about, signed, name, sizeBytes } }: BundleProps) {
  const zone = useViewState((state) => state.timeZone);
  return (
    <DetailFacts title="From a bundle">
      <CopyFact name="file" value={name} />
      <DetailFact name="size">{formatBytes(sizeBytes)}</DetailFact>
      <DetailFact name="made">
        {made === null || made.atMs === null ? 'it does not say' : formatDateTime(made.atMs, zone)}
      </DetailFact>
      <CopyFact name="workspace" value={made?.workspace ?? null} />
      <CopyFact name="by" value={made?.by ?? null} />
      <CopyFact name="key" value={signed.signer} />
      <CopyFact name="environment" value={about?.environment ?? null} />
      <DetailFact name="scope">{about?.scope ?? 'it does not say'}</DetailFact>
      {about !== null && about.reason !== null && <DetailFact name="reason">{about.reason}</DetailFact>}
      <CopyFact name="operation" value={made?.operationId ?? null} />
    </DetailFacts>
  );
}

function Counted({ title, items }: { readonly title: string; readonly items: readonly (readonly [string, number])[] }) {
  if (items.length === 0) return null;
  return (
    <>
      <h3 className="detail-heading">{title}</h3>
      <ul className="bundle-counts">
        {items.map(([name, count]) => (
          <li key={name}>
            <span className="data">{formatCount(count)}</span>
            <span>{name}</span>
          </li>
        ))}
      </ul>
    </>
  );
}

export function BundleFacts({ bundle }: BundleProps) {
  const { about, redacted, leftOut, notes, envelopes, unreadableCount } = bundle;
  const signatures = [
    ['signed as granted', envelopes.grantedCount],
    ['signed, by whom is unknown here', envelopes.unknownCount],
    ['proven to be in their chains', envelopes.provenCount],
  ] as const;
  return (
    <div className="bundle-facts">
      <h2 className="visually-hidden">What is in the bundle</h2>
      <Verdict bundle={bundle} />
      <Made bundle={bundle} />
      <Counted title="In it" items={partsOf(bundle).map(({ name, count }) => [name, count] as const)} />
      {unreadableCount > 0 && (
        <p className="letter-why tone-bad">{formatCount(unreadableCount)} of its letters cannot be read as one.</p>
      )}
      <Counted title={`Of ${formatCount(envelopes.count)} envelopes`} items={signatures} />
      <Counted title="Taken out" items={redacted.map(({ kind, count }) => [kind, count] as const)} />
      {redacted.length === 0 && about !== null && (
        <p className="bundle-note dim">
          {about.isRedacted ? 'Nothing in it looked like a secret.' : 'Nothing was taken out: secrets were left in.'}
        </p>
      )}
      <Counted title="Left out" items={leftOut.map(({ why, count }) => [why, count] as const)} />
      {notes.map((note) => (
        <p key={note} className="bundle-note dim">
          {note}
        </p>
      ))}
    </div>
  );
}
