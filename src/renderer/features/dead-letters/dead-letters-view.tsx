/** Dead letters, before the work plane is there. */
import { Skull } from 'lucide-react';
import { ActionButton } from '../../actions/action-button.tsx';
import { PlannedView } from '../../ui/planned-view.tsx';

const holds = [
  'Incidents: failures with the same cause in one group, with trend, first and last time',
  'Every attempt of a task, what led to it, and the worker’s last output and load',
  'Retry of one, a selection or all that match, in small steps that stop by themselves',
  'Edit and retry with a diff, archive and restore, notes, and a signed audit of each action',
];

export function DeadLettersView() {
  return (
    <PlannedView
      icon={Skull}
      title="Dead letters"
      what="Dead letters are tasks that failed for good and wait for a decision."
      holds={holds}
      needs="They need the work plane: queues with retries, and the supervisor that takes what fails too often. Until then a failed command shows its cause in its session."
    >
      <ActionButton action="view.streams" />
    </PlannedView>
  );
}
