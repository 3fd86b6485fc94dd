/** Invites a peer by its id, by its card as text (also what a QR reader gives), or by the file of its card. */
import { useState } from 'react';
import { visibleText } from '../../../shared/base/visible-text.ts';
import type { RoomSummary } from '../../../shared/contract/rooms-contract.ts';
import { Button } from '../../ui/button.tsx';
import { ChoiceSwitch } from '../../ui/choice-switch.tsx';
import { Field } from '../../ui/field.tsx';
import { useSnapshot, useWorkbench } from '../../workbench.tsx';
import { DialogForm } from './dialog-form.tsx';
import { invitablePeers, readInvitee } from './invitee.ts';
import { whyNotModerate } from './room-reasons.ts';
import { kindWords, roomTitle, trustWords } from './room-words.ts';
import { useMembers } from './use-members.ts';
import { useRoomSituation, useRoomWork } from './use-room-work.ts';

const roles = [
  { id: 'member', title: 'Member' },
  { id: 'moderator', title: 'Moderator' },
] as const;

/** Peers whose cards are known and who are not in the room. */
function Known({
  room,
  text,
  onChoose,
}: {
  readonly room: RoomSummary;
  readonly text: string;
  readonly onChoose: (peer: string) => void;
}) {
  const peers = useSnapshot('access.peers')?.peers;
  const members = useMembers(room).answer?.members;
  const known = invitablePeers(peers ?? [], members ?? [], text);
  if (known.length === 0) return null;
  return (
    <ul className="invite-known" aria-label="Peers whose cards are known">
      {known.map(({ peer, name, kind, state }) => (
        <li key={peer}>
          <button type="button" className="invite-peer" onClick={() => onChoose(peer)}>
            <span>{peer}</span>
            <span className="dim">{visibleText(name)}</span>
            <span className="dim">
              {kindWords[kind]} · {trustWords[state].word}
            </span>
          </button>
        </li>
      ))}
    </ul>
  );
}

export function InviteDialog({ room }: { readonly room: RoomSummary }) {
  const { client } = useWorkbench();
  const { calls, close } = useRoomWork();
  const situation = useRoomSituation();
  const [text, setText] = useState('');
  const [role, setRole] = useState<'member' | 'moderator'>('member');
  const invitee = readInvitee(text);
  const whyNot = whyNotModerate({ ...situation, room });
  const send = async (): Promise<void> => {
    if (invitee.kind === 'none') return;
    const peer = invitee.kind === 'card' ? (await client.access.addCard({ text: invitee.text })).peer : invitee.peer;
    await calls.invite(room.room, peer, role);
  };
  return (
    <DialogForm
      title={`Invite a peer to ${roomTitle(room)}`}
      description="It gets the key when it joins, never before. Its card has to be known: it names the keys that are invited."
      verb="Invite"
      why={whyNot ?? (invitee.kind === 'none' ? invitee.why : undefined)}
      send={send}
      more={(attempt) => (
        <span className="dialog-actions-start">
          <Button
            disabledReason={attempt.isBusy ? 'it is under way' : whyNot}
            onClick={() =>
              void attempt
                .run('Invite from a file', () => calls.inviteFromFile(room.room))
                .then((isDone) => isDone && close())
            }
          >
            From a card’s file…
          </Button>
        </span>
      )}
    >
      <Field
        autoFocus
        isData
        label="Peer id, or its card as text"
        hint="A card is one line of JSON: what Identity & access copies, and what a QR reader gives."
        value={text}
        onChange={(event) => setText(event.target.value)}
        data-testid="invite-peer"
      />
      {invitee.kind !== 'card' && <Known room={room} text={text} onChoose={setText} />}
      <div className="field">
        <span className="field-label">Role</span>
        <ChoiceSwitch
          label="Role"
          choices={roles.map((one) => ({
            ...one,
            ...(one.id === 'moderator' && room.role !== 'owner'
              ? { disabledReason: 'only the owner invites moderators' }
              : {}),
          }))}
          chosen={role}
          onChoose={setRole}
          testId="invite-role"
        />
      </div>
    </DialogForm>
  );
}
