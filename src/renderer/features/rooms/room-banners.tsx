/** What stands above the messages of a room: why it is stopped or read only, what it waits for, and what to do next. */
import {
  Hourglass,
  KeyRound,
  Lock,
  type LucideIcon,
  MailQuestionMark,
  OctagonX,
  RefreshCw,
  ServerOff,
} from 'lucide-react';
import type { ReactNode } from 'react';
import { visibleText } from '../../../shared/base/visible-text.ts';
import type { RoomSummary, RoomsState } from '../../../shared/contract/rooms-contract.ts';
import { ActionButton } from '../../actions/action-button.tsx';
import { formatCount } from '../../ui/format.ts';
import { Gauge } from '../../ui/gauge.tsx';

interface BannerProps {
  readonly icon: LucideIcon;
  readonly tone: 'wait' | 'bad' | 'quiet';
  readonly children: ReactNode;
  readonly actions?: ReactNode;
  readonly 'data-testid': string;
}

function Banner({ icon: Icon, tone, children, actions, 'data-testid': testId }: BannerProps) {
  return (
    <div className={`room-banner room-banner-${tone}`} data-testid={testId}>
      <Icon size={14} className={tone === 'quiet' ? 'dim' : `tone-${tone}`} aria-hidden="true" />
      <div className="room-banner-text">{children}</div>
      {actions}
    </div>
  );
}

const troubleTitles = {
  fork: 'Stopped: two entries of its log have one place',
  'rolled-back': 'Stopped: its log ends before what was seen',
  diverged: 'Stopped: somebody has another entry at the same place',
} as const;

/** Nothing can be said there: why. */
function Standing({ room }: { readonly room: RoomSummary }) {
  const words = {
    left: 'You have left this room. What was said before stays readable; somebody can invite you again.',
    kicked: 'You were removed from this room. What was said before that stays readable; nothing after it can be read.',
    ended: 'This room was closed. What was said stays readable.',
  };
  if (room.standing === 'member' || room.standing === 'invited') return null;
  return (
    <Banner icon={Lock} tone="quiet" data-testid="room-standing">
      <p>{words[room.standing]}</p>
    </Banner>
  );
}

function Keys({ room }: { readonly room: RoomSummary }) {
  const { lockedCount, isRekeyPending, standing } = room;
  return (
    <>
      {lockedCount > 0 && (
        <Banner
          icon={KeyRound}
          tone="wait"
          data-testid="room-locked"
          actions={<ActionButton action="rooms.askKeys" icon={RefreshCw} label="Ask again" />}
        >
          <p>
            {formatCount(lockedCount)} {lockedCount === 1 ? 'message' : 'messages'} cannot be opened for want of a key.
            Each says whom it is asked of.
          </p>
        </Banner>
      )}
      {isRekeyPending && standing === 'member' && (
        <Banner icon={KeyRound} tone="quiet" data-testid="room-rekey">
          <p>Somebody has left: the next message begins a new key first.</p>
        </Banner>
      )}
    </>
  );
}

function Reading({ room }: { readonly room: RoomSummary }) {
  const { reading } = room;
  if (reading === null) return null;
  const words = `${formatCount(reading.doneCount)} of ${formatCount(reading.count)}`;
  return (
    <Banner icon={Hourglass} tone="quiet" data-testid="room-reading">
      <p>Reading the messages: {words}</p>
      <Gauge label="Messages read" value={reading.doneCount} max={Math.max(1, reading.count)} valueText={words} />
    </Banner>
  );
}

export function RoomBanners({ room, state }: { readonly room: RoomSummary; readonly state: RoomsState }) {
  const { trouble, standing, invitedBy } = room;
  return (
    <>
      {trouble !== null && (
        <Banner icon={OctagonX} tone="bad" data-testid="room-trouble">
          <p className="room-banner-title">{troubleTitles[trouble.kind]}</p>
          <p>{visibleText(trouble.text)}</p>
        </Banner>
      )}
      {standing === 'invited' && (
        <Banner
          icon={MailQuestionMark}
          tone="wait"
          data-testid="room-invited"
          actions={
            <>
              <ActionButton action="rooms.join" variant="primary" label="Join" />
              <ActionButton action="rooms.decline" label="Decline" />
            </>
          }
        >
          <p>
            {visibleText(invitedBy ?? 'Somebody')} invites you.{' '}
            {room.history === 'shared'
              ? 'Once you join you can read what was said before, too.'
              : 'You can read what is said once you have joined.'}
          </p>
        </Banner>
      )}
      <Standing room={room} />
      {state.hasService === false && standing === 'member' && (
        <Banner icon={ServerOff} tone="quiet" data-testid="room-no-service">
          <p>
            Nobody orders the logs of rooms here: talking goes on, but nobody can be invited or removed until vak
            membershipd runs.
          </p>
        </Banner>
      )}
      <Keys room={room} />
      <Reading room={room} />
    </>
  );
}
