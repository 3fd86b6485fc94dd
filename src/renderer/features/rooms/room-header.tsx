/** The head of a room: its name and topic, how many are in it, and what can be done with it. */
import { BellOff, Ellipsis, Search, Users } from 'lucide-react';
import { visibleText } from '../../../shared/base/visible-text.ts';
import type { RoomSummary } from '../../../shared/contract/rooms-contract.ts';
import { useAllActions, useRunAction } from '../../actions/use-registry.ts';
import { IconButton } from '../../ui/icon-button.tsx';
import { Menu, type MenuItem } from '../../ui/menu.tsx';
import { useViewState, useWorkbench } from '../../workbench.tsx';
import { memberWords, roomTitle } from './room-words.ts';
import { useRoomWork, useRoomWorkState } from './use-room-work.ts';

const menuIds = ['invite', 'topic', 'rotate', 'askKeys', 'mute', 'copyId', 'leave', 'close'] as const;

/** Actions of the registry as lines of a menu. */
function useMenuItems(isMuted: boolean): readonly MenuItem[] {
  const actions = useAllActions();
  const run = useRunAction();
  return menuIds.flatMap((id) => {
    const action = actions.find((one) => one.id === `rooms.${id}`);
    if (action === undefined) return [];
    const title = id === 'mute' ? (isMuted ? 'Unmute this room' : 'Mute this room') : action.title;
    return [{ id, label: title, disabledReason: action.disabledReason?.(), onSelect: () => void run(action) }];
  });
}

export function RoomHeader({ room }: { readonly room: RoomSummary }) {
  const { view } = useWorkbench();
  const work = useRoomWork();
  const side = useRoomWorkState((state) => state.side);
  const isMembersOpen = useViewState((state) => state.isRoomMembersOpen) && side === undefined;
  const items = useMenuItems(room.isMuted);
  const title = roomTitle(room);
  return (
    <header className="room-header">
      <h2 className="room-title" dir="auto" title={title}>
        {title}
      </h2>
      {room.isMuted && <BellOff size={13} className="dim" aria-label="muted" role="img" />}
      <p className="room-topic dim" dir="auto" title={visibleText(room.topic)}>
        {visibleText(room.topic)}
      </p>
      <p className="room-facts dim">
        {memberWords(room.memberCount)} · key {room.epoch}
      </p>
      <IconButton
        icon={Search}
        label="Search the messages"
        keys="Mod+F"
        aria-pressed={side?.kind === 'search'}
        onClick={() => work.set({ side: side?.kind === 'search' ? undefined : { kind: 'search' } })}
      />
      <IconButton
        icon={Users}
        label={isMembersOpen ? 'Hide the members' : 'Show the members'}
        keys="m"
        aria-pressed={isMembersOpen}
        onClick={() => {
          work.set({ side: undefined });
          view.setState({ isRoomMembersOpen: !isMembersOpen });
        }}
        data-testid="toggle-members"
      />
      <Menu label={`For ${title}`} items={items}>
        <button type="button" className="icon-button" aria-label={`More for ${title}`} data-testid="room-menu">
          <Ellipsis aria-hidden="true" />
        </button>
      </Menu>
    </header>
  );
}
