/** The view while there is no queue to show: nothing read yet, none there, none that matches. */
import { DatabaseZap, Layers, ListPlus, Play, Plug } from 'lucide-react';
import { type ErrorShape, VakError } from '../../../shared/base/vak-error.ts';
import { visibleText } from '../../../shared/base/visible-text.ts';
import { ActionButton } from '../../actions/action-button.tsx';
import { Button } from '../../ui/button.tsx';
import { readOnlyReason } from '../../ui/connection-words.ts';
import { CopyButton } from '../../ui/copy-button.tsx';
import { describeError } from '../../ui/describe-error.ts';
import { EmptyState } from '../../ui/empty-state.tsx';
import { ErrorNotice } from '../../ui/error-notice.tsx';
import { formatCount } from '../../ui/format.ts';
import { useSnapshot } from '../../workbench.tsx';

/** Where nothing can be stored there is no queue: who makes the streams, and how. */
function NoStreams({ current, count }: { readonly current: string; readonly count: number }) {
  return (
    <EmptyState
      icon={DatabaseZap}
      title={`${current} lacks ${formatCount(count)} ${count === 1 ? 'stream' : 'streams'} of this workspace`}
      what="Queues, receipts, dead letters and approvals live in streams of the server. Nobody has made all of this workspace's there yet."
      next={
        <>
          Create them, if you may; else ask whoever runs the server to run <code>vak provision</code>.
        </>
      }
    >
      <ActionButton action="connections.provision" variant="primary" icon={DatabaseZap} label="Create the streams…" />
      <CopyButton text="vak provision">Copy the command</CopyButton>
    </EmptyState>
  );
}

export function NoQueues() {
  const current = useSnapshot('connections.state')?.current ?? 'The server';
  const lacking = useSnapshot('provisioning.state')?.lacking ?? [];
  if (lacking.length > 0) return <NoStreams current={current} count={lacking.length} />;
  return <NoQueueYet />;
}

function NoQueueYet() {
  const readOnly = readOnlyReason(useSnapshot('connections.state'));
  return (
    <EmptyState
      icon={Layers}
      title="No queue is here yet"
      what="A queue holds tasks until a worker has done them: each is claimed by one worker, tried again when it fails, and becomes a dead letter when it fails for good."
      next={
        readOnly === undefined
          ? 'Start the local swarm, which enqueues real commands and works on them; or enqueue a task, which makes its queue.'
          : `Nothing is enqueued from here: ${readOnly}. Queues of others appear as they are made. To enqueue, use another connection or change this one.`
      }
    >
      {readOnly === undefined ? (
        <>
          <ActionButton action="swarm.start" variant="primary" icon={Play} />
          <ActionButton action="queues.enqueue" icon={ListPlus} />
        </>
      ) : (
        <ActionButton action="connections.show" variant="primary" icon={Plug} />
      )}
    </EmptyState>
  );
}

export function NoMatch({ filter, onClear }: { readonly filter: string; readonly onClear: () => void }) {
  return (
    <div className="queues-none" data-testid="queues-no-match">
      <p>No queue has “{visibleText(filter.trim())}” in its name or state.</p>
      <Button onClick={onClear}>Clear the filter</Button>
    </div>
  );
}

/** They could not be read, not once on this connection. */
export function UnreadQueues({ problem }: { readonly problem: ErrorShape }) {
  return (
    <div className="queues-none">
      <ErrorNotice report={describeError('Read the queues', VakError.fromShape(problem))} />
      <p className="dim">They are read again by themselves once the connection gives them.</p>
      <ActionButton action="connections.show" icon={Plug} />
    </div>
  );
}

/** Only where the first reading takes a while. */
export function QueuesSkeleton() {
  return (
    <div className="queues-skeleton late" role="status" aria-label="Reading the queues">
      {[180, 120, 150, 96, 132].map((width) => (
        <div key={width} className="queues-skeleton-row">
          <span style={{ width: `${width}px` }} />
          <span style={{ width: '64px' }} />
          <span style={{ width: '320px' }} />
        </div>
      ))}
    </div>
  );
}
