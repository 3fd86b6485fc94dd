/** Rooms, before membership and room keys are there. */
import { Hash } from 'lucide-react';
import { PlannedView } from '../../ui/planned-view.tsx';

const holds = [
  'Rooms with unread and mention counts, drafts and search',
  'A timeline of texts, replies, reactions, edits and files, with the true cause when something cannot be read',
  'Members with role and kind (person, bot, process), invitations and removals',
  'Who can read what: key epochs, rotation, safety numbers',
];

export function RoomsView() {
  return (
    <PlannedView
      icon={Hash}
      title="Rooms"
      what="Rooms are where people, bots and processes talk, encrypted from end to end."
      holds={holds}
      needs="They need identities, the signed membership log and room keys. There is nothing to join before that."
    />
  );
}
