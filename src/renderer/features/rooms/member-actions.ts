/** What can be done with the selected member of the room that is shown. */
import type { RoomMemberReport } from '../../../shared/contract/rooms-contract.ts';
import type { Action } from '../../actions/action-registry.ts';
import { showPeer } from '../../state/view-store.ts';
import { type RoomActionsDeps, roomSituation, roomsGroup } from './room-actions.ts';
import { whyNotKick, whyNotSetRole } from './room-reasons.ts';

/** Of a member; undefined: none is selected, and each says so. */
export function createMemberActions(deps: RoomActionsDeps, member: RoomMemberReport | undefined): readonly Action[] {
  const ask = (kind: 'kick' | 'role') => (): void => {
    const { room } = roomSituation(deps);
    if (room !== undefined && member !== undefined) deps.work.ask({ kind, room, member });
  };
  const noMember = (): string | undefined => (member === undefined ? 'select a member first' : undefined);
  return [
    {
      ...{ id: 'rooms.kick', title: 'Remove the selected member…', group: roomsGroup },
      disabledReason: () => whyNotKick({ ...roomSituation(deps), member }),
      run: ask('kick'),
    },
    {
      ...{ id: 'rooms.role', title: 'Change the role of the selected member…', group: roomsGroup },
      disabledReason: () => whyNotSetRole({ ...roomSituation(deps), member }),
      run: ask('role'),
    },
    {
      ...{ id: 'rooms.safety', title: 'Compare the safety number of the selected member', group: roomsGroup },
      disabledReason: () => noMember() ?? (member?.peerState == null ? 'its card is not known here yet' : undefined),
      run: () => {
        if (member !== undefined) showPeer(deps.view, member.peer);
      },
    },
  ];
}
