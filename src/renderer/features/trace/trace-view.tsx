/** Trace, before the envelope and the work plane are there. */
import { ChartGantt } from 'lucide-react';
import { ActionButton } from '../../actions/action-button.tsx';
import { PlannedView } from '../../ui/planned-view.tsx';

const holds = [
  'A waterfall over all hops of a task: published, stored, claimed, acknowledged, redelivered, retried',
  'Time spent waiting apart from time spent working',
  'The graph of what caused what',
  'The chain of each source, checked link by link, with a proof that can be exported',
];

export function TraceView() {
  return (
    <PlannedView
      icon={ChartGantt}
      title="Trace"
      what="A trace follows one piece of work through every peer that touched it."
      holds={holds}
      needs="It needs envelopes with trace context and signed chains, and the work plane. Until then the messages of a session show what happened, in order."
    >
      <ActionButton action="view.streams" />
    </PlannedView>
  );
}
