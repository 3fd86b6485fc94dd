/** Approvals, before the work plane and identities are there. */
import { ClipboardCheck } from 'lucide-react';
import { PlannedView } from '../../ui/planned-view.tsx';

const holds = [
  'What is asked, by whom, and in which session',
  'Approve or deny with a reason, signed by you, valid once',
  'A count in the rail and a notification while something waits',
];

export function ApprovalsView() {
  return (
    <PlannedView
      icon={ClipboardCheck}
      title="Approvals"
      what="Approvals are the questions at which an agent stops until a person answers."
      holds={holds}
      needs="They need the work plane, which carries the question, and an identity that signs the answer. No peer can ask yet, so nothing waits unseen."
    />
  );
}
