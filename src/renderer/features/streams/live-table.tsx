/**
 * The live table: a fixed set of row elements over the ring (quality.md P6).
 * Law: row heights and columns never change with the data; a detached table moves 0 px.
 */
import { type KeyboardEvent, type PointerEvent, useEffect, useId, useRef } from 'react';
import { useSnapshot, useViewState, useWorkbench } from '../../workbench.tsx';
import { LiveHeader, useColumns } from './live-header.tsx';
import { LiveRowSlot, slotId } from './live-row.tsx';
import { NewRowsPill } from './new-rows-pill.tsx';
import type { TableModel } from './table-model.ts';
import { tableKeys } from './table-moves.ts';
import { rowPx } from './table-scroll.ts';
import { TableScrollbar } from './table-scrollbar.tsx';
import { useRowsVersion } from './use-rows-model.ts';
import './live-table.css';

export interface LiveTableProps {
  readonly model: TableModel;
  readonly label: string;
  readonly onOpenInspector: () => void;
  readonly onTogglePause: () => void;
}

/** Of a stream it is not known how many rows there are. */
const rowCount = ({ kind, buffer }: TableModel): number => (kind === 'stored' ? -1 : buffer.endIndex + 1);
/** From 1, behind the header; of a stream from the first one that is held. */
const rowNumber = ({ kind, buffer }: TableModel, index: number): number =>
  index - (kind === 'stored' ? buffer.firstIndex : 0) + 2;
/** Lines of a wheel notch that reports lines. */
const wheelLineRows = 1;

/** Measures the viewport and turns the wheel into movement of the model. */
function useViewport(model: TableModel) {
  const viewport = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const element = viewport.current;
    if (element === null) return;
    const observer = new ResizeObserver(() => {
      model.scroll.setHeight(element.clientHeight);
      model.touch();
    });
    observer.observe(element);
    const onWheel = (event: WheelEvent): void => {
      if (event.ctrlKey || event.deltaY === 0) return;
      event.preventDefault();
      const unitPx = [1, wheelLineRows * rowPx, element.clientHeight][event.deltaMode] ?? 1;
      model.scroll.scrollBy(event.deltaY * unitPx);
      model.touch();
    };
    element.addEventListener('wheel', onWheel, { passive: false });
    return () => {
      observer.disconnect();
      element.removeEventListener('wheel', onWheel);
    };
  }, [model]);
  return viewport;
}

function useTableKeys({ model, onOpenInspector, onTogglePause }: LiveTableProps) {
  const { view } = useWorkbench();
  const closeOneLevel = (): void => {
    if (model.selectedSeq === undefined) model.follow();
    else if (view.getState().isInspectorOpen) view.setState({ isInspectorOpen: false });
    else model.select(undefined);
  };
  const own = new Map([
    ['Enter', onOpenInspector],
    ['Escape', closeOneLevel],
    [' ', onTogglePause],
  ]);
  return (event: KeyboardEvent): void => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
    const move = own.get(event.key) ?? tableKeys.get(event.key);
    if (move === undefined) return;
    event.preventDefault();
    move(model);
  };
}

export function LiveTable(props: LiveTableProps) {
  const { model, label } = props;
  useRowsVersion(model);
  const id = useId();
  const viewport = useViewport(model);
  const columns = useColumns();
  const zone = useViewState((state) => state.timeZone);
  const workspace = useSnapshot('app.status')?.workspace;
  const onKeyDown = useTableKeys(props);
  const { buffer, scroll, selectedSeq, epoch } = model;
  const top = Math.floor(scroll.topPx / rowPx);
  const slots = Array.from({ length: Math.ceil(scroll.heightPx / rowPx) + 1 }, (_, slot) => top + slot);
  const selectedIndex = selectedSeq === undefined ? -1 : buffer.findSeq(selectedSeq);
  const activeSlot = slots.indexOf(selectedIndex);
  const onPointerDown = (event: PointerEvent): void => {
    if (event.button !== 0 || !(event.target instanceof Element)) return;
    const seq = event.target.closest('[data-seq]')?.getAttribute('data-seq');
    if (seq !== null && seq !== undefined) model.select(Number(seq));
  };
  return (
    <div className="live-table">
      <div
        className="live-grid"
        role="grid"
        tabIndex={0}
        aria-label={label}
        aria-rowcount={rowCount(model)}
        aria-activedescendant={activeSlot < 0 ? undefined : slotId(id, activeSlot)}
        style={columns.style}
        onKeyDown={onKeyDown}
        data-list-home
        data-testid="live-table"
        data-follow={scroll.isFollowing}
      >
        <LiveHeader columns={columns} zone={zone} />
        <div
          className="live-viewport"
          id={`${id}-rows`}
          role="rowgroup"
          ref={viewport}
          onPointerDown={onPointerDown}
          onDoubleClick={props.onOpenInspector}
        >
          <div className="live-slots" style={{ transform: `translateY(${top * rowPx - scroll.topPx}px)` }}>
            {slots.map((index, slot) => {
              const row = buffer.rowAt(index);
              return (
                <LiveRowSlot
                  // biome-ignore lint/suspicious/noArrayIndexKey: the slot is the element's identity; its row changes.
                  key={slot}
                  id={slotId(id, slot)}
                  buffer={buffer}
                  index={row === undefined ? -1 : index}
                  rowNumber={rowNumber(model, index)}
                  seq={row?.seq}
                  epoch={epoch}
                  droppedCount={row?.droppedCount ?? 0}
                  outage={row?.outage}
                  marks={row?.marks ?? 0}
                  isSelected={index === selectedIndex}
                  zone={zone}
                  workspace={workspace}
                />
              );
            })}
          </div>
        </div>
      </div>
      <TableScrollbar model={model} controls={`${id}-rows`} />
      <NewRowsPill model={model} />
    </div>
  );
}
