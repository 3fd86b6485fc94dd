/** What became of a task: icon and word. */
import {
  Ban,
  CircleAlert,
  CircleCheck,
  CircleCheckBig,
  CircleDashed,
  CircleHelp,
  Eraser,
  type LucideIcon,
  RefreshCw,
} from 'lucide-react';
import type { TaskOutcome } from '../../../shared/contract/queues-contract.ts';
import { outcomeWords } from './queue-words.ts';

const icons: Readonly<Record<TaskOutcome, LucideIcon>> = {
  queued: CircleDashed,
  refused: Ban,
  retrying: RefreshCw,
  done: CircleCheck,
  'finished-late': CircleCheckBig,
  dead: CircleAlert,
  lost: CircleHelp,
  purged: Eraser,
};

export function OutcomeBadge({ outcome }: { readonly outcome: TaskOutcome }) {
  const { word, tone, meaning } = outcomeWords[outcome];
  const Icon = icons[outcome];
  return (
    <span className={`outcome-badge tone-${tone}`} title={meaning} data-outcome={outcome}>
      <Icon size={13} aria-hidden="true" />
      {word}
    </span>
  );
}
