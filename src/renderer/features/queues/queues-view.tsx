/** Queues, before the work plane is there. */
import { Layers } from 'lucide-react';
import { ActionButton } from '../../actions/action-button.tsx';
import { PlannedView } from '../../ui/planned-view.tsx';

const holds = [
  'Each queue’s pending, in flight and redelivered tasks, its oldest age, rates and time to drain',
  'Its consumers with their last claim, and a mark on those that are stuck',
  'A look at waiting tasks without taking them',
  'Enqueue, pause, resume, and a guarded purge',
];

export function QueuesView() {
  return (
    <PlannedView
      icon={Layers}
      title="Queues"
      what="Queues hold the work that waits for a worker."
      holds={holds}
      needs="They need the work plane: durable queues with claim, ack and redelivery. Until then a command goes straight to a worker of the local swarm."
    >
      <ActionButton action="swarm.run" variant="primary" />
    </PlannedView>
  );
}
