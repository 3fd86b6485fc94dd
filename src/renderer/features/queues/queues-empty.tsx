/** The view while there is no queue: none was made yet, or none can be. */
import { DatabaseZap, Layers, ListPlus, Play, Plug } from 'lucide-react';
import { ActionButton } from '../../actions/action-button.tsx';
import { readOnlyReason } from '../../ui/connection-words.ts';
import { CopyButton } from '../../ui/copy-button.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
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
