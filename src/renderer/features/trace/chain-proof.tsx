/** Proofs that an envelope lies in its chain (protocol E14): saving one, and what became of a check. */
import { FileCheck } from 'lucide-react';
import { visibleText } from '../../../shared/base/visible-text.ts';
import type { ChainProofVerdict, ChainReport } from '../../../shared/contract/chain-report.ts';
import { ActionButton } from '../../actions/action-button.tsx';
import { Button } from '../../ui/button.tsx';
import { CopyFact, DetailFact, DetailFacts } from '../../ui/detail-facts.tsx';
import { ErrorNotice } from '../../ui/error-notice.tsx';
import { rangeWords } from './chain-words.ts';
import { readPlace } from './chain-work.ts';
import { useChainState, useChainWork } from './use-chains.ts';

function Outcome() {
  const problem = useChainState((state) => state.proofProblem);
  const saved = useChainState((state) => state.saved);
  return (
    <>
      {problem !== null && <ErrorNotice report={problem} />}
      {saved !== null && (
        <p className="tone-ok" role="status" data-testid="chain-saved">
          Saved: places {rangeWords(saved)} to a signed checkpoint, in {visibleText(saved.path)}
        </p>
      )}
    </>
  );
}

export function ChainProof({ report }: { readonly report: ChainReport }) {
  const work = useChainWork();
  const place = useChainState((state) => state.place);
  if (report.seen === null) return null;
  const isWrong = place.trim() !== '' && readPlace(place) === undefined;
  return (
    <section className="chain-section" aria-label="Proof">
      <h3 className="detail-heading">Proof that an envelope lies in it</h3>
      <div className="chain-proof">
        <label className="dim" htmlFor="chain-place">
          place
        </label>
        <input
          id="chain-place"
          className="field-input data"
          type="text"
          inputMode="numeric"
          autoComplete="off"
          aria-invalid={isWrong || undefined}
          title={isWrong ? 'A place is a whole number from 0 on.' : undefined}
          data-testid="chain-place"
          value={place}
          onChange={(event) => work.setPlace(event.target.value)}
        />
        <ActionButton action="trace.prove" label="Save proof…" />
      </div>
      <Outcome />
    </section>
  );
}

const signatures: Readonly<Record<NonNullable<ChainProofVerdict['signature']>, string>> = {
  valid: 'valid, by a key that the workspace granted',
  sound: 'holds, by a key that nobody here knows',
  unsigned: 'none',
  invalid: 'does not hold',
};

/** Of a proof's file; nothing while none was checked. */
export function ProofVerdict() {
  const work = useChainWork();
  const verdict = useChainState((state) => state.verdict);
  const isChosen = useChainState((state) => state.report !== null);
  const problem = useChainState((state) => state.proofProblem);
  // Without a chain there is no other place for it.
  if (verdict === null) return problem === null || isChosen ? null : <ErrorNotice report={problem} />;
  const { isOk, name, source, range, signature, errors } = verdict;
  return (
    <section className="chain-check" data-ok={isOk} aria-label="Checked proof" data-testid="chain-check">
      <p className={isOk ? 'tone-ok' : 'tone-bad'} role="status">
        <FileCheck size={14} aria-hidden="true" /> {name}: {isOk ? 'it proves what it says' : 'it proves nothing'}
      </p>
      <DetailFacts>
        <CopyFact name="source" value={source} />
        {range !== null && <DetailFact name="places">{rangeWords(range)}</DetailFact>}
        {signature !== null && <DetailFact name="signature">{signatures[signature]}</DetailFact>}
      </DetailFacts>
      {errors.map((error) => (
        <p key={error}>{error}</p>
      ))}
      <Button onClick={work.clearVerdict}>Close</Button>
    </section>
  );
}
