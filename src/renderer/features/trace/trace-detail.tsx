/** What is known of one row of a trace, and what it leads to. */
import { visibleText } from '../../../shared/base/visible-text.ts';
import type { TraceReport, TraceRow } from '../../../shared/contract/trace-contract.ts';
import { showChain } from '../../state/view-store.ts';
import { Button } from '../../ui/button.tsx';
import { CopyFact, DetailFact, DetailFacts } from '../../ui/detail-facts.tsx';
import { formatCount, formatDateTime, formatDuration } from '../../ui/format.ts';
import { useViewState, useWorkbench } from '../../workbench.tsx';
import { skewWords, stateWords } from './trace-words.ts';
import { openRow, openWords } from './use-trace.ts';

function spentIn({ segments }: TraceRow, kind: 'wait' | 'work', nowMs: number): number {
  return segments
    .filter((one) => one.kind === kind)
    .reduce((sum, { fromMs, toMs }) => sum + Math.max(0, (toMs ?? nowMs) - fromMs), 0);
}

function Times({ row, nowMs }: { readonly row: TraceRow; readonly nowMs: number }) {
  const zone = useViewState((state) => state.timeZone);
  const { publishedMs, storedMs, fromMs, toMs, segments } = row;
  return (
    <>
      {publishedMs !== null && <DetailFact name="published">{formatDateTime(publishedMs, zone)}</DetailFact>}
      {storedMs !== null && <DetailFact name="stored">{formatDateTime(storedMs, zone)}</DetailFact>}
      {fromMs !== publishedMs && <DetailFact name="began">{formatDateTime(fromMs, zone)}</DetailFact>}
      {toMs !== fromMs && (
        <DetailFact name="ended">{toMs === null ? 'it goes on' : formatDateTime(toMs, zone)}</DetailFact>
      )}
      {row.kind === 'task' && segments.length > 0 && (
        <>
          <DetailFact name="waited">{formatDuration(spentIn(row, 'wait', nowMs))}</DetailFact>
          <DetailFact name="worked on">{formatDuration(spentIn(row, 'work', nowMs))}</DetailFact>
        </>
      )}
    </>
  );
}

export function TraceDetail({ row, report }: { readonly row: TraceRow; readonly report: TraceReport }) {
  const { view } = useWorkbench();
  const words = openWords(row);
  const skew = report.skews.find(({ peer }) => peer === row.peer);
  const state = stateWords(row.state);
  return (
    <article className="trace-detail" aria-label="What is known of it">
      <header className="trace-detail-head">
        <h2 className="trace-detail-title">{row.title}</h2>
        {state !== '' && <p className="dim">{state}</p>}
        {row.source !== null && (
          <Button onClick={() => showChain(view, row.source ?? '')} data-testid="trace-open-chain">
            Its chain
          </Button>
        )}
        {words !== undefined && (
          <Button onClick={() => openRow(view, row)} data-testid="trace-open-row">
            {words}
          </Button>
        )}
      </header>
      {row.why !== null && <p className="trace-why data">{row.why}</p>}
      {row.isInferred && (
        <p className="dim">It has left its stream; this is what its receipts and dead letters tell.</p>
      )}
      {skew !== undefined && <p className="tone-wait">{skewWords(skew)}; times are corrected by it.</p>}
      <DetailFacts>
        <Times row={row} nowMs={report.readAtMs} />
        <CopyFact name="id" value={row.id} />
        <CopyFact name="peer" value={row.peer} />
        <CopyFact name="session" value={row.session === null ? null : visibleText(row.session)} />
        <CopyFact name="subject" value={row.subject} />
        <CopyFact name="caused by" value={row.parentId} />
        <CopyFact name="span id" value={row.spanId} />
        <CopyFact name="chain" value={row.source} />
        {row.chainSeq !== null && <DetailFact name="place">{formatCount(row.chainSeq)}</DetailFact>}
      </DetailFacts>
    </article>
  );
}
