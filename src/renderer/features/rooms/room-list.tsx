/** The rooms: those that need an answer first, each with what waits in it. */
// biome-ignore-all lint/a11y/useFocusableInteractive: the grid has the focus; its rows and cells are active descendants (WAI-ARIA grid).
import { AtSign, BellOff, Clock, OctagonX } from 'lucide-react';
import { type RefObject, useMemo } from 'react';
import { visibleText } from '../../../shared/base/visible-text.ts';
import type { RoomSummary, RoomsState } from '../../../shared/contract/rooms-contract.ts';
import { FilterField } from '../../ui/filter-field.tsx';
import { formatCount, formatRelative } from '../../ui/format.ts';
import { RowList } from '../../ui/row-list.tsx';
import { useHeldRows, useHold } from '../../ui/use-held-rows.ts';
import { useNow } from '../../ui/use-now.ts';
import { useViewState, useWorkbench } from '../../workbench.tsx';
import { plainLine } from './plain-line.ts';
import { filterRooms, roomAria, roomTitle, standingWords } from './room-words.ts';
import { useRoomWork, useRoomWorkState } from './use-room-work.ts';

const keyOf = ({ room }: RoomSummary): string => room;

/** What waits there: one glyph or number each. */
function Marks({ room }: { readonly room: RoomSummary }) {
  const { trouble, isMuted, waitingCount, mentionCount, unreadCount } = room;
  return (
    <span className="room-marks">
      {trouble !== null && <OctagonX size={13} className="tone-bad" aria-hidden="true" />}
      {waitingCount > 0 && <Clock size={13} className="tone-wait" aria-hidden="true" />}
      {isMuted && <BellOff size={13} className="dim" aria-hidden="true" />}
      {mentionCount > 0 && (
        <span className="room-count room-count-mention">
          <AtSign size={11} aria-hidden="true" />
          {formatCount(mentionCount)}
        </span>
      )}
      {unreadCount > 0 && mentionCount !== unreadCount && (
        <span className={`room-count${isMuted ? ' room-count-muted' : ''}`}>
          {unreadCount > 999 ? '999+' : formatCount(unreadCount)}
        </span>
      )}
    </span>
  );
}

function secondLine({ standing, invitedBy, trouble, draft, lastLine, topic }: RoomSummary): string {
  if (standing === 'invited') return `invited by ${visibleText(invitedBy ?? 'somebody')}`;
  if (trouble !== null) return 'stopped';
  if (standing !== 'member') return standingWords[standing];
  if (draft.trim() !== '') return `draft: ${visibleText(draft.trim())}`;
  return lastLine === null ? visibleText(topic) : `${visibleText(lastLine.peer)}: ${plainLine(lastLine.text)}`;
}

function RoomCells({ room, nowMs }: { readonly room: RoomSummary; readonly nowMs: number }) {
  const isLoud = room.standing === 'invited' || (!room.isMuted && room.unreadCount > 0) || room.mentionCount > 0;
  return (
    <span role="gridcell" className="room-row" aria-label={roomAria(room)}>
      <span className={`room-name${isLoud ? ' room-name-loud' : ''}`} dir="auto">
        {roomTitle(room)}
      </span>
      <Marks room={room} />
      <span className={`room-line ${room.standing === 'invited' ? 'tone-wait' : 'dim'}`} dir="auto">
        {secondLine(room)}
      </span>
      <span className="room-age dim">
        {room.lastMs === null ? '' : formatRelative(Math.min(room.lastMs, nowMs), nowMs)}
      </span>
    </span>
  );
}

export interface RoomListProps {
  readonly state: RoomsState;
  readonly listRef: RefObject<HTMLDivElement | null>;
  readonly filterRef: RefObject<HTMLInputElement | null>;
  /** A room was chosen by Enter: what is written next belongs there. */
  readonly onEnter: () => void;
  /** A room was chosen by a press: its messages are read. */
  readonly onPick: () => void;
}

interface RoomFilterProps {
  readonly filter: string;
  readonly inputRef: RefObject<HTMLInputElement | null>;
  readonly onLeave: () => void;
}

function RoomFilter({ filter, inputRef, onLeave }: RoomFilterProps) {
  const work = useRoomWork();
  return (
    <div className="room-list-strip">
      <FilterField
        className="room-list-filter"
        label="Filter the rooms"
        placeholder="Filter  /"
        value={filter}
        onChange={(text) => work.set({ filter: text })}
        onLeave={onLeave}
        inputRef={inputRef}
        data-testid="room-filter"
      />
    </div>
  );
}

export function RoomList({ state, listRef, filterRef, onEnter, onPick }: RoomListProps) {
  const { view } = useWorkbench();
  const filter = useRoomWorkState((one) => one.filter);
  const selected = useViewState((one) => one.selectedRoom) ?? undefined;
  const nowMs = Math.floor(useNow() / 10_000) * 10_000;
  const found = useMemo(() => filterRooms(state.rooms, filter), [state.rooms, filter]);
  const { isHeld, onHover } = useHold();
  const { kept, added } = useHeldRows(found, { keyOf, isHeld, of: filter });
  const rows = isHeld ? [...kept, ...added] : found;
  return (
    <>
      <RoomFilter filter={filter} inputRef={filterRef} onLeave={() => listRef.current?.focus()} />
      {rows.length === 0 ? (
        <p className="rooms-note dim">No room has “{filter.trim()}” in its name or topic.</p>
      ) : (
        <div className="row-list-frame">
          <RowList
            label="Rooms, those that need an answer first"
            className="room-list"
            rows={rows}
            keyOf={keyOf}
            nameOf={roomTitle}
            rowPx={44}
            selectedKey={selected}
            onSelect={(selectedRoom) => view.setState({ selectedRoom })}
            onOpen={onEnter}
            onPick={onPick}
            onHover={onHover}
            rowData={({ standing, trouble }) => ({ 'data-standing': standing, 'data-stopped': trouble !== null })}
            listRef={listRef}
            data-testid="room-list"
          >
            {(room) => <RoomCells room={room} nowMs={nowMs} />}
          </RowList>
        </div>
      )}
    </>
  );
}
