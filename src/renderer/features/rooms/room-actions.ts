/** What can be done with rooms as a whole; palette, keys and buttons share it. */
import type { Action } from '../../actions/action-registry.ts';
import { showRoom } from '../../state/view-store.ts';
import { moveInList } from '../../ui/list-moves.ts';
import type { Workbench } from '../../workbench.tsx';
import * as reasons from './room-reasons.ts';
import { filterRooms, roomTitle } from './room-words.ts';
import type { RoomWork } from './room-work.ts';

export const roomsGroup = 'Rooms';

export interface RoomActionsDeps extends Pick<Workbench, 'mirror' | 'view'> {
  readonly work: RoomWork;
}

/** The room that is shown, and what it depends on whether something can be done there. */
export function roomSituation({ mirror, view }: Pick<RoomActionsDeps, 'mirror' | 'view'>): reasons.RoomSituation {
  const { 'connections.state': connection, 'rooms.state': state } = mirror.getState();
  const { selectedRoom } = view.getState();
  return { connection, state, room: state?.rooms.find(({ room }) => room === selectedRoom) };
}

type Reason = (situation: reasons.RoomSituation) => string | undefined;

interface RoomVerb {
  readonly id: string;
  readonly title: string;
  readonly keys?: readonly string[];
  readonly why?: Reason;
  readonly run: (room: NonNullable<reasons.RoomSituation['room']>) => void | Promise<void>;
}

const anyRoom: Reason = ({ room }) => (room === undefined ? 'select a room first' : undefined);

function membershipVerbs({ work }: RoomActionsDeps): readonly RoomVerb[] {
  const { calls, ask } = work;
  return [
    { id: 'join', title: 'Join this room', why: reasons.whyNotAnswerInvitation, run: ({ room }) => calls.join(room) },
    {
      ...{ id: 'decline', title: 'Decline the invitation', why: reasons.whyNotAnswerInvitation },
      run: ({ room }) => calls.decline(room),
    },
    {
      ...{ id: 'invite', title: 'Invite a peer…', keys: ['Shift+I'], why: reasons.whyNotModerate },
      run: (room) => ask({ kind: 'invite', room }),
    },
    {
      ...{ id: 'topic', title: 'Change name and topic…', keys: ['t'], why: reasons.whyNotModerate },
      run: (room) => ask({ kind: 'topic', room }),
    },
    {
      ...{ id: 'rotate', title: 'Begin a new key now', keys: ['Shift+K'], why: reasons.whyNotRotate },
      run: ({ room }) => calls.rotate(room),
    },
    {
      ...{ id: 'leave', title: 'Leave this room…', why: reasons.whyNotLeave },
      run: (room) => ask({ kind: 'leave', room }),
    },
    {
      ...{ id: 'close', title: 'Close this room for everybody…', why: reasons.whyNotOwn },
      run: (room) => ask({ kind: 'close', room }),
    },
  ];
}

function readingVerbs({ work, view }: RoomActionsDeps): readonly RoomVerb[] {
  const { calls } = work;
  const timeline = () => work.store.getState().timeline;
  return [
    {
      ...{ id: 'attach', title: 'Send files…', keys: ['Mod+U'], why: reasons.whyNotAttach },
      run: (room) => work.attach(room),
    },
    {
      ...{ id: 'askKeys', title: 'Ask again for missing keys', keys: ['a'], why: reasons.whyNotAskAgain },
      run: ({ room }) => calls.requestKeys(room),
    },
    {
      ...{ id: 'mute', title: 'Mute or unmute this room', keys: ['Shift+M'], why: anyRoom },
      run: ({ room, isMuted }) => calls.setMuted(room, !isMuted),
    },
    {
      ...{ id: 'members', title: 'Show or hide the members', keys: ['m'], why: anyRoom },
      run: () => {
        const isOther = work.store.getState().side !== undefined;
        work.set({ side: undefined });
        view.setState(({ isRoomMembersOpen }) => ({ isRoomMembersOpen: isOther || !isRoomMembersOpen }));
      },
    },
    {
      ...{ id: 'unread', title: 'Jump to the first unread message', keys: ['u'] },
      why: () => (timeline()?.store.getState().firstUnreadSeq == null ? 'no message is marked as unread' : undefined),
      run: () => timeline()?.toUnread(),
    },
    {
      ...{ id: 'newest', title: 'Jump to the newest message', keys: ['Shift+G'], why: anyRoom },
      run: () => timeline()?.toEnd(),
    },
  ];
}

/** Of the room that is shown. */
export function createRoomActions(deps: RoomActionsDeps): readonly Action[] {
  return [...membershipVerbs(deps), ...readingVerbs(deps)].map(({ id, title, keys, why = anyRoom, run }) => ({
    id: `rooms.${id}`,
    title,
    group: roomsGroup,
    ...(keys === undefined ? {} : { keys }),
    disabledReason: () => why(roomSituation(deps)),
    run: async () => {
      const { room } = roomSituation(deps);
      if (room !== undefined) await run(room);
    },
  }));
}

/** Goes through the rooms as they are listed. */
function roomBeside({ mirror, view, work }: RoomActionsDeps, pressed: 'j' | 'k'): string | undefined {
  const rooms = filterRooms(mirror.getState()['rooms.state']?.rooms ?? [], work.store.getState().filter);
  const keys = rooms.map(({ room }) => room);
  const next = moveInList({ keys, selectedKey: view.getState().selectedRoom ?? undefined, pageRows: 1 }, pressed);
  return next === undefined ? undefined : keys[next];
}

function stepAction(deps: RoomActionsDeps, pressed: 'j' | 'k'): Pick<Action, 'disabledReason' | 'run'> {
  return {
    disabledReason: () => (roomBeside(deps, pressed) === undefined ? 'no room is listed' : undefined),
    run() {
      const room = roomBeside(deps, pressed);
      if (room !== undefined) deps.view.setState({ selectedRoom: room });
    },
  };
}

function nextUnread({ mirror, view }: RoomActionsDeps): string | undefined {
  const rooms = mirror.getState()['rooms.state']?.rooms ?? [];
  const waits = rooms.filter(({ room, unreadCount, standing }) => {
    return room !== view.getState().selectedRoom && (unreadCount > 0 || standing === 'invited');
  });
  return (waits.find(({ mentionCount }) => mentionCount > 0) ?? waits.find(({ isMuted }) => !isMuted) ?? waits[0])
    ?.room;
}

/** Of the view, whatever room is shown; all but the first two work while something is typed, too. */
export function createRoomsViewActions(
  deps: RoomActionsDeps,
  focus: { readonly filter: () => void; readonly compose: () => void; readonly search: () => void },
): readonly Action[] {
  const { view, work, mirror } = deps;
  const group = roomsGroup;
  const whyNoRoom = () =>
    (mirror.getState()['rooms.state']?.rooms.length ?? 0) === 0 ? 'there is no room yet' : undefined;
  return [
    {
      ...{ id: 'rooms.filter', title: 'Filter the rooms', group, keys: ['/'] },
      ...{ disabledReason: whyNoRoom, run: focus.filter },
    },
    {
      ...{ id: 'rooms.compose', title: 'Write a message', group, keys: ['c', 'Enter'] },
      disabledReason: () => reasons.whyNotSend(roomSituation(deps)),
      run: focus.compose,
    },
    {
      ...{ id: 'rooms.search', title: 'Search the messages', group, keys: ['Mod+F'] },
      ...{ disabledReason: whyNoRoom, run: focus.search },
    },
    {
      ...{ id: 'rooms.nextUnread', title: 'Go to the next room with something unread', group, keys: ['Mod+J'] },
      disabledReason: () => (nextUnread(deps) === undefined ? 'no other room has anything unread' : undefined),
      run: () => {
        const room = nextUnread(deps);
        if (room !== undefined) view.setState({ selectedRoom: room });
      },
    },
    { id: 'rooms.nextRoom', title: 'Go to the next room', group, keys: [']'], ...stepAction(deps, 'j') },
    { id: 'rooms.previousRoom', title: 'Go to the previous room', group, keys: ['['], ...stepAction(deps, 'k') },
    {
      ...{ id: 'rooms.receipts', title: 'Let others know what you have read, or not', group },
      run: () => switchPresence(deps, 'sendsReceipts'),
    },
    {
      ...{ id: 'rooms.typing', title: 'Let others know when you write, or not', group },
      run: () => switchPresence(deps, 'sendsTyping'),
    },
    {
      ...{ id: 'rooms.copyId', title: 'Copy the id of this room', group },
      disabledReason: () => anyRoom(roomSituation(deps)),
      run: () => work.calls.copyId(roomSituation(deps).room?.room ?? ''),
    },
  ];
}

async function switchPresence({ mirror, work }: RoomActionsDeps, what: 'sendsReceipts' | 'sendsTyping'): Promise<void> {
  const state = mirror.getState()['rooms.state'];
  if (state === undefined) return;
  const { sendsReceipts, sendsTyping } = state;
  await work.calls.setPresence({ sendsReceipts, sendsTyping, [what]: !state[what] });
}

/** From anywhere: a new room, and every room by its name. */
export function createRoomsEverywhereActions(
  deps: RoomActionsDeps,
  rooms: readonly { room: string; name: string }[],
  isRoomsView: boolean,
): readonly Action[] {
  const { view, work } = deps;
  return [
    {
      ...{ id: 'rooms.create', title: 'Create a room…', group: roomsGroup, ...(isRoomsView ? { keys: ['n'] } : {}) },
      disabledReason: () => reasons.whyNotCreate(roomSituation(deps)),
      run: () => work.ask({ kind: 'create' }),
    },
    ...rooms.map(
      (room): Action => ({
        ...{ id: `rooms.open.${room.room}`, title: `Open the room ${roomTitle(room)}`, group: roomsGroup },
        isOneOfMany: true,
        run: () => showRoom(view, room.room),
      }),
    ),
  ];
}
