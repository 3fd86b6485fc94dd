/** The figures of one queue beside its chart: what its row leaves out where there is no room is here. */
import type { QueueState } from '../../../shared/contract/queues-contract.ts';
import { formatAge, formatCount, formatRate } from '../../ui/format.ts';
import { drainWords } from '../../ui/queue-health-words.ts';

interface FigureProps {
  readonly name: string;
  readonly meaning: string;
  readonly children: string;
}

function Figure({ name, meaning, children }: FigureProps) {
  return (
    <div title={meaning}>
      <dt>{name}</dt>
      <dd className="data">{children}</dd>
    </div>
  );
}

export function QueueFigures({ queue, nowMs }: { readonly queue: QueueState; readonly nowMs: number }) {
  const { oldestMs, maxDeliver } = queue;
  return (
    <dl className="queue-figures">
      <Figure name="Pending" meaning="Tasks that are not delivered yet">
        {formatCount(queue.pendingCount)}
      </Figure>
      <Figure name="In flight" meaning="Tasks that are claimed, or wait for their next attempt">
        {formatCount(queue.inFlightCount)}
      </Figure>
      <Figure name="Redelivered" meaning="Tasks that were delivered more than once">
        {formatCount(queue.redeliveredCount)}
      </Figure>
      <Figure name="Oldest" meaning="Age of the oldest task that stands in it">
        {oldestMs === null ? '–' : formatAge(nowMs - oldestMs)}
      </Figure>
      <Figure name="In" meaning="Tasks that came, over the last minute">
        {formatRate(queue.inPerSec)}
      </Figure>
      <Figure name="Out" meaning="Tasks that left, over the last minute">
        {formatRate(queue.outPerSec)}
      </Figure>
      <Figure name="Drained in" meaning="Time until it is empty, at these rates">
        {drainWords(queue)}
      </Figure>
      <Figure name="Attempts" meaning="Deliveries of a task, at most">
        {`${formatCount(maxDeliver)} at most`}
      </Figure>
    </dl>
  );
}
