/** Where the message stands in the chain of its source (E10, E11), with its neighbours. */
import { visibleText } from '../../../shared/base/visible-text.ts';
import type { ChainReport, NeighbourReport, TrustReport } from '../../../shared/contract/trust-report.ts';
import { Button } from '../../ui/button.tsx';
import { CopyFact, DetailFact, DetailFacts, TrustLine } from '../../ui/detail-facts.tsx';
import { formatCount } from '../../ui/format.ts';
import { MiddleText } from '../../ui/middle-text.tsx';
import { ChainBadge } from '../../ui/trust-badges.tsx';
import { chainSentence } from '../../ui/trust-sentences.ts';

interface NeighbourCardProps {
  readonly title: string;
  readonly neighbour: NeighbourReport | null;
  readonly onSelect: (seq: number) => void;
  readonly testId: string;
}

function NeighbourCard({ title, neighbour, onSelect, testId }: NeighbourCardProps) {
  return (
    <div className="inspector-card" data-testid={testId}>
      <p className="inspector-card-title">
        {title}
        {neighbour === null ? (
          <span className="dim"> not in the buffer</span>
        ) : (
          <span className="data"> {formatCount(neighbour.chainSeq)}</span>
        )}
      </p>
      {neighbour !== null && (
        <>
          <div className="inspector-card-hash data">
            <span className="dim">leaf</span>
            <MiddleText text={neighbour.leaf} />
          </div>
          <div className="inspector-card-hash data">
            <span className="dim">prev</span>
            <MiddleText text={neighbour.prevHash} />
          </div>
          <Button
            aria-label={`Select #${formatCount(neighbour.seq)}, the ${title} message`}
            onClick={() => onSelect(neighbour.seq)}
          >
            Select #{formatCount(neighbour.seq)}
          </Button>
        </>
      )}
    </div>
  );
}

function ChainFacts({ chain }: { readonly chain: ChainReport }) {
  const isForged = chain.actualPayloadHash !== chain.payloadHash;
  return (
    <DetailFacts>
      <CopyFact name="source" value={chain.source} />
      <DetailFact name="seqnum">{formatCount(chain.chainSeq)}</DetailFact>
      <CopyFact name="leaf" value={chain.leaf} />
      <CopyFact name="prevhash" value={chain.prevHash} isWrong={chain.verdict.kind === 'forged-link'} />
      <CopyFact name="payloadhash" value={chain.payloadHash} />
      {isForged && <CopyFact name="of what came" value={chain.actualPayloadHash} isWrong />}
      <CopyFact name="resumes" value={chain.resumes} />
    </DetailFacts>
  );
}

export interface InspectorChainProps {
  readonly trust: TrustReport;
  readonly onSelect: (seq: number) => void;
}

export function InspectorChain({ trust, onSelect }: InspectorChainProps) {
  const { chain, marks } = trust;
  return (
    <>
      <p className="inspector-verdict">
        <TrustLine badge={<ChainBadge mark={marks.chain} />}>
          {visibleText(chainSentence(chain, marks.chain))}
        </TrustLine>
      </p>
      {chain !== null && (
        <>
          <ChainFacts chain={chain} />
          <div className="inspector-cards">
            <NeighbourCard title="previous" neighbour={chain.previous} onSelect={onSelect} testId="chain-previous" />
            <NeighbourCard title="next" neighbour={chain.next} onSelect={onSelect} testId="chain-next" />
          </div>
        </>
      )}
    </>
  );
}
