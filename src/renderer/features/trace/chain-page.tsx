/** What the streams hold of one chain: what holds, what is wrong and where, what is missing, and its proofs (product.md "Trace"). */
import { CircleCheck, CircleX, Link2, type LucideIcon, Minus, TriangleAlert } from 'lucide-react';
import { visibleText } from '../../../shared/base/visible-text.ts';
import type { ChainReport } from '../../../shared/contract/chain-report.ts';
import { Button } from '../../ui/button.tsx';
import { CopyFact, DetailFact, DetailFacts } from '../../ui/detail-facts.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { ErrorNotice } from '../../ui/error-notice.tsx';
import { formatCount } from '../../ui/format.ts';
import { Reading, StaleMark } from '../../ui/view-states.tsx';
import { ChainFindings } from './chain-findings.tsx';
import { ChainProof, ProofVerdict } from './chain-proof.tsx';
import { type ChainTone, kindWords, placesWords, rangeWords, sourceName, verdictWords } from './chain-words.ts';
import { useChainState, useChainWork } from './use-chains.ts';

const icons: Readonly<Record<ChainTone, LucideIcon>> = {
  ...{ ok: CircleCheck, wait: TriangleAlert, bad: CircleX, dim: Minus },
};

function Verdict({ report }: { readonly report: ChainReport }) {
  const { tone, words } = verdictWords(report);
  const Icon = icons[tone];
  return (
    <p className={`chain-verdict tone-${tone}`} data-tone={tone} data-testid="chain-verdict">
      <Icon size={14} aria-hidden="true" />
      {words}
    </p>
  );
}

function Facts({ report }: { readonly report: ChainReport }) {
  const { seen, verified, verifiedCount, headLeaf, kind, count } = report;
  const shown = verified.slice(0, 6).map(rangeWords).join(', ');
  const rest = verified.length - 6;
  return (
    <DetailFacts>
      <CopyFact name="source" value={visibleText(report.source)} />
      {kind !== null && <DetailFact name="carries">{kindWords[kind]}</DetailFact>}
      <DetailFact name="here">
        {seen === null ? 'nothing' : `${rangeWords(seen)} · ${formatCount(count)} envelopes`}
      </DetailFact>
      <DetailFact name="verified">
        <span data-testid="chain-verified">
          {shown === ''
            ? 'nothing'
            : `${shown}${rest > 0 ? `, and ${rest} more ranges` : ''} · ${placesWords(verifiedCount)}`}
        </span>
      </DetailFact>
      <CopyFact name="head" value={headLeaf} />
    </DetailFacts>
  );
}

/** How far it was looked, in sentences. */
function Limits({ report: { searches, leftOutCount, isCut } }: { readonly report: ChainReport }) {
  const lines = [
    ...searches.flatMap(({ stream, problem, isWhole, readCount }) => {
      if (problem !== null) return [`${stream} was not read: ${problem}.`];
      return isWhole ? [] : [`Only the newest ${formatCount(readCount)} messages of ${stream} were looked at.`];
    }),
    ...(leftOutCount === 0 ? [] : [`${formatCount(leftOutCount)} more envelopes of it were not looked at.`]),
    ...(isCut ? ['Of each list the first 200 are shown, of checkpoints the last.'] : []),
  ];
  if (lines.length === 0) return null;
  return (
    <ul className="chain-limits dim" data-testid="chain-limits">
      {lines.map((line) => (
        <li key={line}>{visibleText(line)}</li>
      ))}
    </ul>
  );
}

function Shown({ report }: { readonly report: ChainReport }) {
  const problem = useChainState((state) => state.problem);
  return (
    <article className="chain-report stale-edge" data-stale={problem !== null} aria-label="What the streams hold of it">
      <h2 className="chain-title">
        <span>{report.peer ?? 'Foreign source'}</span>
        <span className="dim data">{visibleText(sourceName(report))}</span>
      </h2>
      <StaleMark readAtMs={report.readAtMs} problem={problem && { message: problem.why }} data-testid="chain-stale" />
      <Verdict report={report} />
      <Facts report={report} />
      <ChainProof report={report} />
      <ChainFindings report={report} />
      <Limits report={report} />
    </article>
  );
}

function NothingChosen() {
  return (
    <EmptyState
      icon={Link2}
      title="No chain is chosen"
      what="Each envelope of a source names the hash of the one before it, so that what was changed, left out or said twice can be seen."
      next="Choose a source to see what holds of its chain, or check a proof that somebody gave you."
    />
  );
}

function Body() {
  const work = useChainWork();
  const { source, report, problem } = useChainState((state) => state);
  if (source === null) return <NothingChosen />;
  if (report !== null) return <Shown report={report} />;
  if (problem === null) return <Reading words="Looking through the streams…" />;
  return (
    <div className="view-note">
      <ErrorNotice report={problem}>
        <Button onClick={() => void work.refresh()}>Try again</Button>
      </ErrorNotice>
    </div>
  );
}

export function ChainPage() {
  return (
    <section className="chain-page" aria-label="Chain" data-testid="chain-page">
      <ProofVerdict />
      <Body />
    </section>
  );
}
