/** The questions of the Rooms view: each keeps the room, member or message that it was asked about. */

import { visibleText } from '../../../shared/base/visible-text.ts';
import { useEnvironment } from '../../state/use-environment.ts';
import { GuardDialog, type Guarded } from '../../ui/guard-dialog.tsx';
import { CreateDialog } from './create-dialog.tsx';
import { FilesDialog } from './files-dialog.tsx';
import { ImageDialog } from './image-dialog.tsx';
import { InviteDialog } from './invite-dialog.tsx';
import { ReactDialog } from './react-dialog.tsx';
import { RedactDialog } from './redact-dialog.tsx';
import { RoleDialog } from './role-dialog.tsx';
import { roomTitle } from './room-words.ts';
import type { RoomQuestion } from './room-work.ts';
import { TopicDialog } from './topic-dialog.tsx';
import { useRoomWork, useRoomWorkState, useTold } from './use-room-work.ts';

type Guarding = Extract<RoomQuestion, { readonly kind: 'leave' | 'close' | 'kick' }>;
type GuardWords = Omit<Guarded, 'environment' | 'environmentColour'>;

function wordsOf(question: Guarding): GuardWords {
  const { room } = question;
  if (question.kind === 'leave')
    return {
      ...{ verb: 'Leave', count: 1, noun: 'room', object: roomTitle(room) },
      consequence: 'Nothing that is said afterwards can be read here. Somebody has to invite you to come back.',
    };
  if (question.kind === 'close')
    return {
      ...{ verb: 'Close', count: 1, noun: 'room', object: roomTitle(room) },
      consequence: 'Nobody can say anything in it any more, for good. What was said stays readable to its members.',
    };
  const { member } = question;
  const object = visibleText(member.peer);
  const reasonHint = 'It stands in the signed log of the room; everybody in it can read it.';
  if (member.isInvited)
    return {
      ...{ verb: 'Take back', count: 1, noun: 'invitation', preposition: 'of', object, reasonHint },
      consequence: `It cannot join ${roomTitle(room)} any more, unless it is invited again.`,
    };
  return {
    ...{ verb: 'Remove', count: 1, noun: 'member', object, reasonHint },
    consequence: `Everybody else in ${roomTitle(room)} gets a new key at once: it reads nothing that is said afterwards. What was said before it can still read.`,
  };
}

function GuardQuestion({ question }: { readonly question: Guarding }) {
  const environment = useEnvironment();
  const { calls, close } = useRoomWork();
  const told = useTold();
  if (environment === undefined) return null;
  const words = wordsOf(question);
  const { room } = question.room;
  return (
    <GuardDialog
      guarded={{ ...words, environment: environment.name, environmentColour: environment.colour }}
      onCancel={close}
      onConfirm={({ reason }) => {
        close();
        told(words.verb, () => {
          if (question.kind === 'leave') return calls.leave(room);
          return question.kind === 'close' ? calls.close(room) : calls.kick(room, question.member, reason);
        });
      }}
    />
  );
}

export function RoomDialogs() {
  const question = useRoomWorkState((state) => state.question);
  switch (question?.kind) {
    case undefined:
      return null;
    case 'create':
      return <CreateDialog />;
    case 'invite':
      return <InviteDialog room={question.room} />;
    case 'topic':
      return <TopicDialog room={question.room} />;
    case 'role':
      return <RoleDialog room={question.room} member={question.member} />;
    case 'redact':
      return <RedactDialog room={question.room} item={question.item} />;
    case 'react':
      return <ReactDialog room={question.room} item={question.item} />;
    case 'files':
      return <FilesDialog room={question.room} given={question.given} />;
    case 'image':
      return <ImageDialog room={question.room} item={question.item} />;
    case 'leave':
    case 'close':
    case 'kick':
      return <GuardQuestion question={question} />;
  }
}
