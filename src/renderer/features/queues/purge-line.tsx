/** A purge that is under way: how far it is, and how to end it. */
import { CircleStop } from 'lucide-react';
import type { QueuePurgeProgress } from '../../../shared/contract/queues-contract.ts';
import { Button } from '../../ui/button.tsx';
import { formatCount } from '../../ui/format.ts';
import { useQueueWork } from './use-queue-work.ts';

export interface PurgeLineProps {
  readonly queue: string;
  readonly purges: readonly QueuePurgeProgress[];
}

export function PurgeLine({ queue, purges }: PurgeLineProps) {
  const work = useQueueWork();
  const purge = purges.find((one) => one.queue === queue);
  if (purge === undefined) return null;
  const { doneCount, totalCount, isStopping } = purge;
  const of = totalCount === null ? '' : ` of ${formatCount(totalCount)} at most`;
  return (
    <div className="queue-purge" data-testid="queue-purge">
      <progress
        aria-label="Tasks that were purged"
        max={totalCount === null ? undefined : Math.max(1, totalCount)}
        value={totalCount === null ? undefined : doneCount}
      />
      <span className="queue-purge-words">
        {formatCount(doneCount)}
        {of} tasks purged
        {isStopping && <span className="dim"> · ends after the part that is under way</span>}
      </span>
      <Button
        icon={CircleStop}
        disabledReason={isStopping ? 'It ends after the part that is under way' : undefined}
        onClick={() => void work.stopPurge(purge)}
      >
        Stop the purge
      </Button>
    </div>
  );
}
