/** Above the table: the filter, what it leaves, and whether what is shown is current. */
import { CircleX, Pause, ShieldCheck, ShieldOff } from 'lucide-react';
import type { RefObject } from 'react';
import { visibleText } from '../../../shared/base/visible-text.ts';
import type { QueuesState } from '../../../shared/contract/queues-contract.ts';
import { FilterField } from '../../ui/filter-field.tsx';
import { formatCount } from '../../ui/format.ts';

export interface QueuesStripProps {
  readonly state: QueuesState;
  readonly shownCount: number;
  readonly isHeld: boolean;
  readonly filter: string;
  readonly onFilter: (filter: string) => void;
  /** Goes back to the table. */
  readonly onLeave: () => void;
  readonly inputRef: RefObject<HTMLInputElement | null>;
}

function Supervisor({ supervisor: { kind, why } }: Pick<QueuesState, 'supervisor'>) {
  const reason = why === null ? '' : `: ${visibleText(why)}`;
  if (kind === 'running')
    return (
      <span className="queues-mark dim" title="It makes dead letters of tasks that nobody ends">
        <ShieldCheck size={13} aria-hidden="true" />
        supervisor runs
      </span>
    );
  if (kind === 'off')
    return (
      <span className="queues-mark dim" title={`No supervisor runs in this app${reason}`}>
        <ShieldOff size={13} aria-hidden="true" />
        no supervisor here
      </span>
    );
  return (
    <span className="queues-mark tone-bad" title={`The supervisor of this app failed${reason}`}>
      <CircleX size={13} aria-hidden="true" />
      supervisor failed
    </span>
  );
}

export function QueuesStrip(props: QueuesStripProps) {
  const { state, shownCount, isHeld, filter, onFilter, onLeave, inputRef } = props;
  const { queues, leftOutCount } = state;
  return (
    <div className="queues-strip">
      <FilterField
        {...{ inputRef, onLeave }}
        className="queues-filter"
        label="Filter queues by name or state"
        placeholder="Filter by name or state"
        value={filter}
        onChange={onFilter}
        data-testid="queue-filter"
      />
      <span className="dim queues-shown" role="status">
        {filter.trim() === '' ? '' : `${formatCount(shownCount)} of ${formatCount(queues.length)}`}
      </span>
      {leftOutCount > 0 && (
        <span className="queues-mark tone-wait" title="The figures of at most 200 queues are read, by name">
          {formatCount(leftOutCount)} more are not listed
        </span>
      )}
      {isHeld && (
        <span className="queues-mark dim" title="Rows stay where they are while the pointer is over them">
          <Pause size={12} aria-hidden="true" />
          order held
        </span>
      )}
      <span className="queues-strip-end">
        <Supervisor supervisor={state.supervisor} />
      </span>
    </div>
  );
}
