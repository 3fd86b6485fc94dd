/** How many messages came since the table was detached, and the way back to the newest. */
import { ArrowDown } from 'lucide-react';
import { formatCount } from '../../ui/format.ts';
import type { RowsModel } from './rows-model.ts';
import { followNewest } from './table-moves.ts';

export function NewRowsPill({ model }: { readonly model: RowsModel }) {
  const { isFollowing, newCount, maxPx, minPx } = model.scroll;
  if (isFollowing || (newCount === 0 && maxPx === minPx)) return null;
  return (
    <button
      type="button"
      className="live-pill"
      data-testid="new-rows-pill"
      data-count={newCount}
      onClick={() => followNewest(model)}
    >
      <ArrowDown size={14} aria-hidden="true" />
      {newCount === 0 ? 'Follow' : `${formatCount(newCount)} new`}
    </button>
  );
}
