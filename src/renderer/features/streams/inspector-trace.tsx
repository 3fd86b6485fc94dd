/** The trace that the message belongs to (E4), and what caused it. */
import { visibleText } from '../../../shared/base/visible-text.ts';
import type { TraceReport } from '../../../shared/contract/trust-report.ts';
import { showTrace } from '../../state/view-store.ts';
import { Button } from '../../ui/button.tsx';
import { CopyFact, DetailFact, DetailFacts } from '../../ui/detail-facts.tsx';
import { useWorkbench } from '../../workbench.tsx';

export function InspectorTrace({ trace }: { readonly trace: TraceReport | null }) {
  const { view } = useWorkbench();
  if (trace === null) return <p className="inspector-wait dim">The message carries no trace context that is valid.</p>;
  return (
    <>
      <div className="inspector-verdict">
        <Button onClick={() => showTrace(view, trace.traceId)} data-testid="inspector-show-trace">
          Show the trace
        </Button>
      </div>
      <DetailFacts>
        <CopyFact name="trace id" value={trace.traceId} />
        <CopyFact name="span id" value={trace.spanId} />
        <DetailFact name="sampled">{trace.isSampled ? 'yes' : 'no'}</DetailFact>
        <DetailFact name="version">{visibleText(trace.version)}</DetailFact>
        <CopyFact name="tracestate" value={trace.tracestate} />
        <CopyFact name="causation id" value={trace.causationId} />
        <CopyFact name="traceparent" value={trace.traceparent} />
      </DetailFacts>
    </>
  );
}
