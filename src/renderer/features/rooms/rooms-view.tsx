/** Rooms: where people, bots and processes talk, encrypted from end to end (product.md "Rooms"). */
import { Hash, Plus, SlidersHorizontal } from 'lucide-react';
import { type RefObject, useEffect, useMemo, useRef } from 'react';
import type { RoomSummary, RoomsState } from '../../../shared/contract/rooms-contract.ts';
import { ActionButton } from '../../actions/action-button.tsx';
import { Button } from '../../ui/button.tsx';
import { readOnlyReason } from '../../ui/connection-words.ts';
import { EmptyState } from '../../ui/empty-state.tsx';
import { Menu } from '../../ui/menu.tsx';
import { SidePanel } from '../../ui/side-panel.tsx';
import { Splitter } from '../../ui/splitter.tsx';
import { useSize } from '../../ui/use-size.ts';
import { ViewFrame } from '../../ui/view-frame.tsx';
import { Reading, StaleMark, Unread } from '../../ui/view-states.tsx';
import { useActions, useSnapshot, useViewState, useWorkbench } from '../../workbench.tsx';
import { MembersPanel } from './members-panel.tsx';
import { ReadersPanel } from './readers-panel.tsx';
import { createRoomActions, createRoomsViewActions } from './room-actions.ts';
import { RoomList } from './room-list.tsx';
import { RoomPane } from './room-pane.tsx';
import { roomsSummary } from './room-words.ts';
import { SearchPanel } from './search-panel.tsx';
import { type Members, useMembers } from './use-members.ts';
import { useRoomActionsDeps, useRoomSituation, useRoomWork, useRoomWorkState, useTold } from './use-room-work.ts';
import './rooms-view.css';
import './timeline.css';
import './message-parts.css';
import './composer.css';
import './room-side.css';

function nextStep({ me, hasService }: RoomsState, readOnly: string | undefined): string {
  if (readOnly !== undefined)
    return `Nothing is made or answered from here: ${readOnly}. Rooms that this peer is in appear as they are read.`;
  if (hasService === false)
    return 'Nobody orders the logs of rooms on this connection. Start vak membershipd there, or use the embedded connection, which does it by itself.';
  return `Create one and invite others${me === null ? '' : `, or have somebody invite you as ${me.peer}`}. They need your card for that.`;
}

function NoRooms({ state }: { readonly state: RoomsState }) {
  const readOnly = readOnlyReason(useSnapshot('connections.state'));
  return (
    <EmptyState
      icon={Hash}
      title="You are in no room yet"
      what="A room is where people, bots and processes talk: sealed from end to end, its members proved by a signed log that nobody but they can write."
      next={nextStep(state, readOnly)}
    >
      <ActionButton action="rooms.create" icon={Plus} variant="primary" />
      <ActionButton action="access.copyCard" />
    </EmptyState>
  );
}

interface Places {
  readonly list: RefObject<HTMLDivElement | null>;
  readonly filter: RefObject<HTMLInputElement | null>;
  readonly timeline: RefObject<HTMLDivElement | null>;
  readonly compose: RefObject<HTMLTextAreaElement | null>;
  readonly search: RefObject<HTMLInputElement | null>;
}

const sideBounds = { initialPx: 320, minPx: 280, maxPx: 560 };

function Side({
  room,
  members,
  places,
}: {
  readonly room: RoomSummary;
  readonly members: Members;
  readonly places: Places;
}) {
  const { view } = useWorkbench();
  const work = useRoomWork();
  const side = useRoomWorkState((state) => state.side);
  const isMembersOpen = useViewState((state) => state.isRoomMembersOpen);
  if (side === undefined && !isMembersOpen) return null;
  const close = (): void => {
    if (side === undefined) view.setState({ isRoomMembersOpen: false });
    else work.set({ side: undefined });
    places.timeline.current?.focus({ preventScroll: true });
  };
  const label = side === undefined ? 'Members' : side.kind === 'search' ? 'Search' : 'Who can read this';
  return (
    <SidePanel label={label} sizeName="rooms.side" bounds={sideBounds} onClose={close} data-testid="room-side">
      {side === undefined && <MembersPanel room={room} members={members} onClose={close} />}
      {side?.kind === 'readers' && <ReadersPanel side={side} room={room} onClose={close} />}
      {side?.kind === 'search' && <SearchPanel room={room} inputRef={places.search} onClose={close} />}
    </SidePanel>
  );
}

/** One room is always selected; one that is known no more gives way to the first. */
function useSelectedRoom(state: RoomsState): RoomSummary | undefined {
  const { view } = useWorkbench();
  const { room } = useRoomSituation();
  const first = state.rooms[0]?.room;
  const isMissing = room === undefined;
  useEffect(() => {
    if (isMissing && first !== undefined) view.setState({ selectedRoom: first });
  }, [view, isMissing, first]);
  return room;
}

/** The timeline of the selected room, kept current; at the message that another view asked for. */
function useOpenRoom(room: RoomSummary | undefined): void {
  const { view } = useWorkbench();
  const work = useRoomWork();
  const wanted = useViewState((state) => (state.wanted?.kind === 'room' ? state.wanted : null));
  const timeline = useRoomWorkState((state) => state.timeline);
  const isReadable = room !== undefined && room.standing !== 'invited';
  useEffect(() => {
    if (room !== undefined) work.open(room);
  }, [work, room]);
  useEffect(() => () => work.leave(), [work]);
  useEffect(() => {
    if (isReadable && timeline?.room === room.room) void timeline.refresh(room.version);
  }, [timeline, isReadable, room]);
  useEffect(() => {
    if (wanted === null || timeline?.room !== wanted.room) return;
    view.setState({ wanted: null });
    if (wanted.messageId !== null) void work.goTo(wanted.messageId);
  }, [view, work, wanted, timeline]);
}

function usePlaces(): Places {
  const list = useRef<HTMLDivElement>(null);
  const filter = useRef<HTMLInputElement>(null);
  const timeline = useRef<HTMLDivElement>(null);
  const compose = useRef<HTMLTextAreaElement>(null);
  const search = useRef<HTMLInputElement>(null);
  return useMemo(() => ({ list, filter, timeline, compose, search }), []);
}

function useRoomsKeys(places: Places): void {
  const deps = useRoomActionsDeps();
  useActions(useMemo(() => createRoomActions(deps), [deps]));
  useActions(
    useMemo(
      () =>
        createRoomsViewActions(deps, {
          filter: () => places.filter.current?.focus(),
          compose: () => places.compose.current?.focus(),
          search: () => {
            deps.work.set({ side: { kind: 'search' } });
            requestAnimationFrame(() => places.search.current?.select());
          },
        }),
      [deps, places],
    ),
  );
}

function RoomsContent({ state }: { readonly state: RoomsState }) {
  const places = usePlaces();
  const room = useSelectedRoom(state);
  const timeline = useRoomWorkState((one) => one.timeline);
  const size = useSize('rooms.list', { initialPx: 240, minPx: 200, maxPx: 420 });
  const members = useMembers(room);
  useOpenRoom(room);
  useRoomsKeys(places);
  if (state.rooms.length === 0)
    return (
      <div className="view-empty stale-edge" data-stale={state.problem !== null}>
        <NoRooms state={state} />
      </div>
    );
  return (
    <div className="rooms stale-edge" data-stale={state.problem !== null}>
      <section className="rooms-side" aria-label="List of rooms" style={{ width: `${size.px}px` }}>
        <RoomList
          state={state}
          listRef={places.list}
          filterRef={places.filter}
          onEnter={() => places.compose.current?.focus()}
          onPick={() => requestAnimationFrame(() => places.timeline.current?.focus({ preventScroll: true }))}
        />
      </section>
      <Splitter label="Width of the list of rooms" size={size} sizes="before" />
      {room !== undefined && timeline?.room === room.room ? (
        <section className="rooms-main" aria-label="The room">
          <RoomPane
            key={room.room}
            {...{ room, state, timeline, members }}
            listRef={places.timeline}
            areaRef={places.compose}
          />
        </section>
      ) : (
        <p className="rooms-note dim late">Opening the room…</p>
      )}
      {room !== undefined && <Side room={room} members={members} places={places} />}
    </div>
  );
}

function RoomsBody({ state }: { readonly state: RoomsState | undefined }) {
  if (state === undefined || (state.readAtMs === null && state.problem === null))
    return <Reading words="Reading the rooms…" />;
  if (state.readAtMs === null && state.problem !== null)
    return <Unread doing="Read the rooms" problem={state.problem} />;
  return <RoomsContent state={state} />;
}

/** What others are told of this peer without a message. */
function PresenceMenu({ state: { sendsReceipts, sendsTyping } }: { readonly state: RoomsState }) {
  const { calls } = useRoomWork();
  const told = useTold();
  const set = (change: Partial<Pick<RoomsState, 'sendsReceipts' | 'sendsTyping'>>) => () =>
    told('Change what others are told', () => calls.setPresence({ sendsReceipts, sendsTyping, ...change }));
  return (
    <Menu
      label="What others are told"
      items={[
        {
          id: 'receipts',
          label: 'Tell what I have read',
          isOn: sendsReceipts,
          onSelect: set({ sendsReceipts: !sendsReceipts }),
        },
        { id: 'typing', label: 'Tell when I write', isOn: sendsTyping, onSelect: set({ sendsTyping: !sendsTyping }) },
      ]}
    >
      <Button icon={SlidersHorizontal} data-testid="presence-menu">
        What others see
      </Button>
    </Menu>
  );
}

export function RoomsView() {
  const state = useSnapshot('rooms.state');
  const isRead = state !== undefined && state.readAtMs !== null;
  return (
    <ViewFrame
      title="Rooms"
      summary={isRead && state.rooms.length > 0 ? roomsSummary(state) : undefined}
      actions={
        isRead && (
          <>
            <StaleMark {...state} data-testid="rooms-stale" />
            {state.rooms.length > 0 && <PresenceMenu state={state} />}
            {state.rooms.length > 0 && <ActionButton action="rooms.create" icon={Plus} label="Create…" />}
          </>
        )
      }
    >
      <RoomsBody state={state} />
    </ViewFrame>
  );
}
