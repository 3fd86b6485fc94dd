/** How many messages came since the table was detached, and the way back to the newest. */
import { ArrowDown } from 'lucide-react';
import type { MouseEvent } from 'react';
import { formatCount } from '../../ui/format.ts';
import type { TableModel } from './table-model.ts';

export function NewRowsPill({ model }: { readonly model: TableModel }) {
  const { isFollowing, newCount, maxPx, minPx } = model.scroll;
  const onClick = (event: MouseEvent<HTMLButtonElement>): void => {
    // The pill goes: the focus stays in the table.
    event.currentTarget
      .closest('.live-table')
      ?.querySelector<HTMLElement>('[role=grid]')
      ?.focus({ preventScroll: true });
    model.follow();
  };
  const hasNewer = model.hasNewer === true;
  if ((isFollowing && !hasNewer) || (newCount === 0 && maxPx === minPx && !hasNewer)) return null;
  return (
    <button type="button" className="live-pill" data-testid="new-rows-pill" data-count={newCount} onClick={onClick}>
      <ArrowDown size={14} aria-hidden="true" />
      {newCount === 0 || hasNewer ? 'Follow' : `${formatCount(newCount)} new`}
    </button>
  );
}
