/** How many messages came since the table was detached, and the way back to the newest. */
import { ArrowDown } from 'lucide-react';
import type { MouseEvent } from 'react';
import { formatCount } from '../../ui/format.ts';
import type { RowsModel } from './rows-model.ts';
import { followNewest } from './table-moves.ts';

export function NewRowsPill({ model }: { readonly model: RowsModel }) {
  const { isFollowing, newCount, maxPx, minPx } = model.scroll;
  const onClick = (event: MouseEvent<HTMLButtonElement>): void => {
    // The pill goes: the focus stays in the table.
    event.currentTarget
      .closest('.live-table')
      ?.querySelector<HTMLElement>('[role=grid]')
      ?.focus({ preventScroll: true });
    followNewest(model);
  };
  if (isFollowing || (newCount === 0 && maxPx === minPx)) return null;
  return (
    <button type="button" className="live-pill" data-testid="new-rows-pill" data-count={newCount} onClick={onClick}>
      <ArrowDown size={14} aria-hidden="true" />
      {newCount === 0 ? 'Follow' : `${formatCount(newCount)} new`}
    </button>
  );
}
