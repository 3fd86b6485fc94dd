/** Removes a message: everybody who reads the room from now on sees that it was removed, by whom and why. */
import { useState } from 'react';
import { visibleText } from '../../../shared/base/visible-text.ts';
import type { RoomMessageItem, RoomSummary } from '../../../shared/contract/rooms-contract.ts';
import { Field } from '../../ui/field.tsx';
import { DialogForm } from './dialog-form.tsx';
import { whyNotRedact } from './room-reasons.ts';
import { lineOf } from './room-words.ts';
import { useRoomSituation, useRoomWork } from './use-room-work.ts';

export interface RedactDialogProps {
  readonly room: RoomSummary;
  readonly item: RoomMessageItem;
}

export function RedactDialog({ room, item }: RedactDialogProps) {
  const { calls } = useRoomWork();
  const situation = useRoomSituation();
  const [reason, setReason] = useState('');
  return (
    <DialogForm
      title={`Remove this message by ${visibleText(item.peer)}`}
      description="It is shown as removed everywhere and cannot be brought back. Who has read it may have kept it: the sealed message stays in the stream."
      verb="Remove"
      variant="danger"
      why={whyNotRedact({ ...situation, room, item })}
      send={() => calls.redact(room.room, item.messageId, reason.trim() === '' ? undefined : reason.trim())}
    >
      <blockquote className="readers-quote" dir="auto">
        {lineOf(item)}
      </blockquote>
      <Field
        autoFocus
        label="Reason (optional)"
        hint="Everybody in the room can read it."
        maxLength={1024}
        value={reason}
        onChange={(event) => setReason(event.target.value)}
      />
    </DialogForm>
  );
}
