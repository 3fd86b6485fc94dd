/** The name and the topic of a room. */
import { useState } from 'react';
import type { RoomSummary } from '../../../shared/contract/rooms-contract.ts';
import { Field } from '../../ui/field.tsx';
import { DialogForm } from './dialog-form.tsx';
import { whyNotModerate } from './room-reasons.ts';
import { roomTitle } from './room-words.ts';
import { useRoomSituation, useRoomWork } from './use-room-work.ts';

export function TopicDialog({ room }: { readonly room: RoomSummary }) {
  const { calls } = useRoomWork();
  const situation = useRoomSituation();
  const [name, setName] = useState(room.name);
  const [topic, setTopic] = useState(room.topic);
  const isSame = name.trim() === room.name && topic.trim() === room.topic;
  const lacks = name.trim() === '' ? 'give it a name' : isSame ? 'nothing is changed' : undefined;
  return (
    <DialogForm
      title={`Name and topic of ${roomTitle(room)}`}
      description="Both stand in the signed log of the room and are no secret."
      verb="Change"
      why={whyNotModerate({ ...situation, room }) ?? lacks}
      send={() => calls.setTopic({ room: room.room, name, topic })}
    >
      <Field autoFocus label="Name" maxLength={64} value={name} onChange={(event) => setName(event.target.value)} />
      <Field label="Topic" maxLength={256} value={topic} onChange={(event) => setTopic(event.target.value)} />
    </DialogForm>
  );
}
