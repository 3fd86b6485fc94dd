/** The role of a member; making somebody the owner hands the room over, and asks for the name. */
import { useState } from 'react';
import { visibleText } from '../../../shared/base/visible-text.ts';
import type { RoomMemberReport, RoomRoleName, RoomSummary } from '../../../shared/contract/rooms-contract.ts';
import { ChoiceSwitch } from '../../ui/choice-switch.tsx';
import { Field } from '../../ui/field.tsx';
import { DialogForm } from './dialog-form.tsx';
import { whyNotSetRole } from './room-reasons.ts';
import { roomTitle } from './room-words.ts';
import { useRoomSituation, useRoomWork } from './use-room-work.ts';

const roles = [
  { id: 'member', title: 'Member' },
  { id: 'moderator', title: 'Moderator' },
  { id: 'owner', title: 'Owner' },
] as const;

const meanings: Readonly<Record<RoomRoleName, string>> = {
  member: 'It talks, and can begin a new key.',
  moderator: 'It also invites and removes members, and sets name and topic.',
  owner:
    'It also sets roles and closes the room. There is one owner: you are a moderator then, and only it can give the room back.',
};

export interface RoleDialogProps {
  readonly room: RoomSummary;
  readonly member: RoomMemberReport;
}

export function RoleDialog({ room, member }: RoleDialogProps) {
  const { calls } = useRoomWork();
  const situation = useRoomSituation();
  const [role, setRole] = useState<RoomRoleName>(member.role);
  const [typed, setTyped] = useState('');
  const peer = visibleText(member.peer);
  const isHanding = role === 'owner' && member.role !== 'owner';
  const lacks =
    role === member.role ? 'it has that role already' : isHanding && typed !== peer ? `type ${peer} first` : undefined;
  return (
    <DialogForm
      title={`Role of ${peer} in ${roomTitle(room)}`}
      description={meanings[role]}
      verb={isHanding ? 'Hand over' : 'Change'}
      variant={isHanding ? 'danger' : 'primary'}
      why={whyNotSetRole({ ...situation, room, member }) ?? lacks}
      send={() => calls.setRole(room.room, member, role)}
    >
      <ChoiceSwitch label="Role" choices={roles} chosen={role} onChoose={setRole} testId="member-role" />
      {isHanding && (
        <Field
          isData
          label={`Type ${peer} to hand the room over`}
          value={typed}
          onChange={(event) => setTyped(event.target.value)}
        />
      )}
    </DialogForm>
  );
}
