/** Identity & access, before the key store is there. */
import { KeyRound } from 'lucide-react';
import { PlannedView } from '../../ui/planned-view.tsx';

const holds = [
  'This peer’s card and its key store, with encrypted backup and restore',
  'Peers whose keys you have pinned',
  'A tester for access rules: may this peer publish there, and which rule says so',
  'The same permissions as an export for NATS',
];

export function IdentityView() {
  return (
    <PlannedView
      icon={KeyRound}
      title="Identity & access"
      what="Identity is who this peer is to others; access is what each peer may do."
      holds={holds}
      needs="It needs the key store and signed cards. The embedded bus is used by this app and its own workers only, and no key exists yet."
    />
  );
}
