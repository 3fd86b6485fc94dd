/**
 * Tells of what was said in rooms on the desktop (product.md "Rooms").
 * Law: never what was said, at most one in ten seconds, nothing while the window is in front or a room is muted; behind a lock numbers alone.
 */
import { createDisposer, type Disposable } from '../../shared/base/disposer.ts';
import { visibleText } from '../../shared/base/visible-text.ts';
import { parseSubject } from '../../shared/protocol/subject.ts';
import type { Bus } from '../bus/bus.ts';
import { roomNoticeId } from '../operations/alert-notifier.ts';
import { countWords } from '../operations/quantity-words.ts';
import type { Clock } from '../ports/clock.ts';
import type { Notice, Notifier } from '../ports/notifier.ts';
import { isToMe } from './room-items.ts';
import { type RoomPlace, standingOf } from './room-place.ts';
import { newsAfter, readSeqOf } from './room-summary.ts';

export interface RoomNotices extends Disposable {
  /** Looks at what is new since the last look; the first one of a room is no news. */
  follow(places: readonly RoomPlace[]): void;
  /** What opens next is no news: another engine, or the key store was locked. */
  begin(): void;
}

export interface RoomNoticesDeps {
  readonly workspace: string;
  readonly bus: Pick<Bus, 'subscribe'>;
  readonly notifier: Pick<Notifier, 'show' | 'isInFront'>;
  readonly isLocked: () => boolean;
  /** Whether anything may be told at all now. */
  readonly isOn: () => boolean;
  readonly clock: Clock;
}

interface News {
  readonly name: string;
  readonly count: number;
  readonly mentionCount: number;
  /** Who spoke last. */
  readonly peer: string;
  readonly isInvitation: boolean;
  /** Behind that place nothing was told. */
  readonly since: number;
}

const gapMs = 10_000;

const some = (count: number, one: string): string => `${countWords(count)} ${count === 1 ? one : `${one}s`}`;

function titleOf({ name, count, mentionCount, peer, isInvitation }: News): string {
  if (isInvitation) return `${peer} invites you to ${name}`;
  if (mentionCount > 0) return `${peer} mentioned you in ${name}`;
  return count === 1 ? `${peer} wrote in ${name}` : `${some(count, 'new message')} in ${name}`;
}

function noticeOf(waiting: ReadonlyMap<string, News>): Notice | undefined {
  const [first] = waiting;
  if (first === undefined) return undefined;
  if (waiting.size === 1) {
    const [room, news] = first;
    return { id: `${roomNoticeId}${room}`, title: titleOf(news), body: 'Open the room to read it.' };
  }
  const count = [...waiting.values()].reduce((sum, one) => sum + Math.max(1, one.count), 0);
  return {
    id: roomNoticeId,
    title: `${some(count, 'new message')} in ${waiting.size} rooms`,
    body: 'Open Rooms to read them.',
  };
}

function lockedNotice(count: number): Notice {
  const body = `Unlock the workbench to read ${count === 1 ? 'it' : 'them'}.`;
  return { id: roomNoticeId, title: `${some(count, 'new message')} in your rooms`, body };
}

/** What is new in a room behind a place. */
function newsOf(place: RoomPlace, afterSeq: number): News | undefined {
  const news = newsAfter(place, Math.max(afterSeq, readSeqOf(place)));
  const last = news.findLast((one) => isToMe(place, one)) ?? news.at(-1);
  if (last === undefined) return undefined;
  return {
    name: visibleText(place.desk.reader.log().standing()?.name ?? ''),
    count: news.length,
    mentionCount: news.filter((one) => isToMe(place, one)).length,
    ...{ peer: visibleText(last.message.peer), isInvitation: false, since: afterSeq },
  };
}

function invitationTo({ desk, me }: RoomPlace): News | undefined {
  const log = desk.reader.log();
  const invited = log.standing()?.invited.get(me.sign);
  if (invited === undefined) return undefined;
  const peer = visibleText(log.peerOf(invited.by) ?? 'somebody');
  const name = visibleText(log.standing()?.name ?? '');
  return { name, count: 0, mentionCount: 0, peer, isInvitation: true, since: 0 };
}

const isLoud = ({ desk, me }: RoomPlace): boolean =>
  !desk.file.read().isMuted && standingOf(desk.reader.log(), me.sign) === 'member';

/** Creates it; what is heard behind a lock is counted for rooms that were open before it. */
export function createRoomNotices(deps: RoomNoticesDeps): RoomNotices {
  const { workspace, bus, notifier, isLocked, isOn, clock } = deps;
  const held = createDisposer();
  /** Up to where each room was told of. */
  const toldSeq = new Map<string, number>();
  const invitedTo = new Set<string>();
  let isFirst = true;
  let waiting = new Map<string, News>();
  /** Those that were open last and are not muted. */
  let loudRooms: ReadonlySet<string> = new Set();
  let lockedCount = 0;
  let lastMs = Number.NEGATIVE_INFINITY;
  let timer: Disposable | undefined;

  function tell(): void {
    timer = undefined;
    const notice = isLocked() ? (lockedCount > 0 ? lockedNotice(lockedCount) : undefined) : noticeOf(waiting);
    const isSeen = notifier.isInFront() && !isLocked();
    waiting = new Map();
    if (notice === undefined || isSeen || !isOn()) return;
    lastMs = clock.monotonic();
    notifier.show(notice);
  }

  function tellSoon(): void {
    if (timer !== undefined) return;
    const waitMs = Math.max(0, lastMs + gapMs - clock.monotonic());
    timer = clock.setTimer(waitMs, tell);
  }

  function note(room: string, news: News | undefined): void {
    if (news === undefined || !isOn() || notifier.isInFront()) return;
    waiting.set(room, news);
    tellSoon();
  }

  function followRoom(place: RoomPlace): void {
    const { desk, me } = place;
    const { room } = desk;
    const [log, readSeq] = [desk.reader.log(), desk.reader.readSeq()];
    if (standingOf(log, me.sign) === 'invited' && !invitedTo.has(room)) {
      invitedTo.add(room);
      if (!isFirst) note(room, invitationTo(place));
    }
    const before = toldSeq.get(room);
    // What was read away or muted meanwhile is not told any more.
    if (desk.file.read().isMuted) waiting.delete(room);
    else if (before !== undefined && readSeq > before) note(room, newsOf(place, waiting.get(room)?.since ?? before));
    if (readSeq > 0) toldSeq.set(room, readSeq);
  }

  function hear(subject: string): void {
    if (!isLocked() || !loudRooms.has(parseSubject(subject).entity)) return;
    lockedCount++;
    tellSoon();
  }

  held.add(
    bus.subscribe(`vak.rooms.${workspace}.*.messages`, {
      kind: 'inline',
      onMessage: ({ subject }) => hear(subject),
    }),
  );
  held.defer(() => timer?.dispose());

  return {
    follow(places) {
      lockedCount = 0;
      for (const place of places) followRoom(place);
      loudRooms = new Set(places.filter(isLoud).map(({ desk }) => desk.room));
      if (places.some(({ desk }) => desk.reader.readSeq() > 0)) isFirst = false;
    },
    begin() {
      toldSeq.clear();
      invitedTo.clear();
      waiting = new Map();
      isFirst = true;
    },
    dispose: () => held.dispose(),
  };
}
