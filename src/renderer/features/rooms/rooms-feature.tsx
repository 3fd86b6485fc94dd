/** What belongs to rooms whatever view is shown: a new room, and every room by its name in the palette. */
import { useMemo } from 'react';
import { useActions, useSnapshot, useViewState } from '../../workbench.tsx';
import { createRoomsEverywhereActions } from './room-actions.ts';
import { RoomDialogs } from './room-dialogs.tsx';
import { useRoomActionsDeps } from './use-room-work.ts';

export function RoomsFeature() {
  const deps = useRoomActionsDeps();
  const isRoomsView = useViewState((state) => state.view === 'rooms');
  const rooms = useSnapshot('rooms.state')?.rooms;
  // Names alone make the actions: a room with a new message is the same action.
  const names = JSON.stringify((rooms ?? []).map(({ room, name }) => ({ room, name })));
  useActions(
    useMemo(() => createRoomsEverywhereActions(deps, JSON.parse(names), isRoomsView), [deps, names, isRoomsView]),
  );
  return <RoomDialogs />;
}
