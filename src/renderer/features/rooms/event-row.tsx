/** Something that happened to the room or its keys, with its true cause. */
// biome-ignore-all lint/a11y/useFocusableInteractive: the grid has the focus; its rows and cells are active descendants (WAI-ARIA grid).
import {
  GitFork,
  Hash,
  KeyRound,
  LogIn,
  LogOut,
  type LucideIcon,
  MailQuestionMark,
  OctagonX,
  ShieldAlert,
  UserCog,
  UserMinus,
  X,
} from 'lucide-react';
import { visibleText } from '../../../shared/base/visible-text.ts';
import type { RoomEventItem } from '../../../shared/contract/rooms-contract.ts';
import { formatDateTime, formatTimeOfDay } from '../../ui/format.ts';
import { useViewState } from '../../workbench.tsx';

type Tone = 'dim' | 'tone-wait' | 'tone-bad';

const faces: Readonly<Record<RoomEventItem['event'], readonly [LucideIcon, Tone]>> = {
  created: [Hash, 'dim'],
  invited: [MailQuestionMark, 'dim'],
  joined: [LogIn, 'dim'],
  declined: [X, 'dim'],
  left: [LogOut, 'dim'],
  kicked: [UserMinus, 'dim'],
  withdrawn: [X, 'dim'],
  role: [UserCog, 'dim'],
  rekeyed: [KeyRound, 'dim'],
  topic: [Hash, 'dim'],
  closed: [OctagonX, 'dim'],
  skipped: [ShieldAlert, 'tone-wait'],
  fork: [GitFork, 'tone-bad'],
  'key-changed': [ShieldAlert, 'tone-bad'],
};

export function EventRow({ item }: { readonly item: RoomEventItem }) {
  const zone = useViewState((state) => state.timeZone);
  const [Icon, tone] = faces[item.event];
  return (
    <div className="message event" role="gridcell" data-event={item.event}>
      <time
        className="message-time dim"
        dateTime={new Date(item.atMs).toISOString()}
        title={formatDateTime(item.atMs, zone)}
      >
        {formatTimeOfDay(item.atMs, zone).slice(0, 5)}
      </time>
      <p className={`event-text ${tone}`}>
        <Icon size={13} aria-hidden="true" />
        <span dir="auto">{visibleText(item.text)}</span>
        <span className="event-epoch dim">key {item.epoch}</span>
      </p>
    </div>
  );
}
