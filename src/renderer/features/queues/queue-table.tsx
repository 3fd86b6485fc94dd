/** All queues, one a row. Rows stay where they are while the pointer is over them or keys move through them. */
// biome-ignore-all lint/a11y/useFocusableInteractive: the grid has the focus; its rows and cells are active descendants (WAI-ARIA grid).
import { ChevronDown, ChevronUp } from 'lucide-react';
import { type KeyboardEvent, type RefObject, useRef, useState } from 'react';
import type { QueueState } from '../../../shared/contract/queues-contract.ts';
import { RowList } from '../../ui/row-list.tsx';
import { useNow } from '../../ui/use-now.ts';
import { queueColumns } from './queue-columns.ts';
import { nextOrder, orderOf, type QueueColumn } from './queue-order.ts';
import { QueueCells } from './queue-row.tsx';
import './queue-table.css';

interface HeaderProps {
  readonly order: string;
  readonly onOrder: (order: string) => void;
}

const steps: Readonly<Record<string, number>> = { ArrowLeft: -1, ArrowRight: 1 };

/** Heads that sort: one tab stop, arrows between them. */
function Header({ order: text, onOrder }: HeaderProps) {
  const order = orderOf(text);
  const [reachable, setReachable] = useState<QueueColumn>(order.column);
  const row = useRef<HTMLDivElement>(null);
  const onKeyDown = (event: KeyboardEvent): void => {
    const step = steps[event.key];
    // A head keeps its own keys, and every key of the rows goes on to them.
    if (event.key === 'Enter' || event.key === ' ') event.stopPropagation();
    if (step === undefined) return;
    event.preventDefault();
    const heads = [...(row.current?.querySelectorAll<HTMLElement>('button') ?? [])].filter((head) =>
      head.checkVisibility(),
    );
    heads[heads.indexOf(event.target as HTMLElement) + step]?.focus();
  };
  return (
    <div ref={row} role="row" className="queue-columns" aria-rowindex={1} onKeyDown={onKeyDown}>
      {queueColumns.map(({ id, title, meaning, isNumber }) => {
        const isSorted = order.column === id;
        const Arrow = order.isDescending ? ChevronDown : ChevronUp;
        return (
          <span
            key={id}
            role="columnheader"
            className={`queue-head queue-${id}${isNumber ? ' queue-head-number' : ''}`}
            aria-sort={isSorted ? (order.isDescending ? 'descending' : 'ascending') : undefined}
          >
            <button
              type="button"
              title={`${meaning}. Click to sort`}
              tabIndex={reachable === id ? 0 : -1}
              onFocus={() => setReachable(id)}
              onClick={() => onOrder(nextOrder(order, id))}
              data-testid={`queue-head-${id}`}
            >
              <span>{title}</span>
              {isSorted && <Arrow size={12} aria-hidden="true" />}
            </button>
          </span>
        );
      })}
    </div>
  );
}

export interface QueueTableProps extends HeaderProps {
  readonly queues: readonly QueueState[];
  readonly selected: string | null;
  readonly onSelect: (queue: string) => void;
  /** A click. */
  readonly onPick: (queue: string) => void;
  /** Enter, or a double click, on the selected one. */
  readonly onOpen: () => void;
  readonly onHold: (isHeld: boolean) => void;
  readonly listRef: RefObject<HTMLDivElement | null>;
}

const keyOf = ({ queue }: QueueState): string => queue;

export function QueueTable(props: QueueTableProps) {
  const { queues, selected, onSelect, onPick, onOpen, onHold, listRef, ...header } = props;
  const nowMs = Math.floor(useNow() / 1000) * 1000;
  return (
    <div className="row-list-frame queue-table">
      <RowList
        label="Queues"
        className="queue-list"
        rows={queues}
        keyOf={keyOf}
        nameOf={keyOf}
        main={{ group: 'Queues', noun: 'queue' }}
        selectedKey={selected ?? undefined}
        onSelect={onSelect}
        onPick={onPick}
        onOpen={onOpen}
        onHover={onHold}
        listRef={listRef}
        rowData={({ health }) => ({ 'data-health': health })}
        data-testid="queue-table"
        header={<Header {...header} />}
      >
        {(queue) => (
          <div role="presentation" className="queue-columns">
            <QueueCells queue={queue} nowMs={nowMs} />
          </div>
        )}
      </RowList>
    </div>
  );
}
