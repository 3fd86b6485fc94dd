/**
 * What the list of rooms says of one: how it stands, what is unread, what was said last (product.md "Rooms").
 * Law: unread is what others said after this peer came in and after what it has read; what was worked out stands until the room changes.
 */
import { visibleText } from '../../shared/base/visible-text.ts';
import type { RoomSummary } from '../../shared/contract/rooms-contract.ts';
import type { LoadingProgress } from './room-loading.ts';
import { unreadMarks } from './room-marks.ts';
import { lastJoinSeq, type RoomPlace, standingOf } from './room-place.ts';
import { lacksKey, type ShownMessage } from './room-timeline.ts';
import { lineOf, troubleNext } from './room-words.ts';

type Said = Pick<
  RoomSummary,
  'unreadCount' | 'mentionCount' | 'firstUnreadSeq' | 'lastMs' | 'lastLine' | 'lockedCount'
>;

/** News that are counted at most. */
const maxNews = 1_000;
/** Messages that are looked at for what was said last. */
const lastLooked = 50;

/** Up to where this peer has read: nothing before its joining is news. */
export function readSeqOf({ desk, me }: RoomPlace): number {
  return Math.max(desk.file.read().markSeq, lastJoinSeq(desk.reader.log(), me.sign) ?? 0);
}

/** Messages of others behind a place, the newest. */
export function newsAfter({ desk, me }: RoomPlace, afterSeq: number): readonly ShownMessage[] {
  const messages = desk.reader.timeline().slice({ afterSeq, limit: maxNews });
  return messages.filter(({ message, redacted }) => message.isCounted && message.sign !== me.sign && !redacted);
}

function lastLineOf({ message, text, attachment }: ShownMessage): RoomSummary['lastLine'] {
  return { peer: visibleText(message.peer), text: lineOf(text ?? attachment?.name ?? '') };
}

/** What follows from the messages in memory. */
function saidIn(place: RoomPlace): Said {
  const timeline = place.desk.reader.timeline();
  const unread = unreadMarks(timeline, { ...place.me, markSeq: readSeqOf(place) });
  const newest = timeline.slice({ limit: lastLooked });
  const last = newest.findLast(({ text, attachment }) => text !== undefined || attachment !== undefined);
  return {
    unreadCount: unread.count,
    mentionCount: unread.mentionCount,
    firstUnreadSeq: unread.firstSeq ?? null,
    lastMs: newest.at(-1)?.message.atMs ?? place.desk.reader.log().entries().at(-1)?.atMs ?? null,
    lastLine: last === undefined ? null : lastLineOf(last),
    lockedCount: timeline.all().filter(lacksKey).length,
  };
}

export interface RoomSummaries {
  /** Undefined: the log is not read yet, or has never named this peer. */
  of(place: RoomPlace, progress: LoadingProgress | undefined): RoomSummary | undefined;
  /** As the summary says. */
  versionOf(place: RoomPlace): number;
}

/** Creates them; `outside`: what else an answer about the room depends on. */
export function createRoomSummaries(outside: (place: RoomPlace) => unknown): RoomSummaries {
  const said = new Map<string, { readonly mark: string; readonly said: Said }>();
  const versions = new Map<string, { readonly mark: string; readonly version: number }>();

  /** Tells whether what follows from the messages is as it was. */
  const messagesMark = ({ desk }: RoomPlace): string =>
    [desk.reader.version(), desk.reader.log().entries().length, desk.file.read().markSeq].join(' ');

  function saidOf(place: RoomPlace): Said {
    const { room } = place.desk;
    const mark = messagesMark(place);
    const known = said.get(room);
    if (known?.mark === mark) return known.said;
    const found = saidIn(place);
    said.set(room, { mark, said: found });
    return found;
  }

  function versionOf(place: RoomPlace): number {
    const { room, sender, logs } = place.desk;
    const { skippedCount, stop } = logs.standing();
    const sending = sender.sending().map(({ intent, state, error }) => [intent.messageId, state, error?.message]);
    const mark = JSON.stringify([messagesMark(place), skippedCount, stop, sending, outside(place)]);
    const known = versions.get(room);
    if (known?.mark === mark) return known.version;
    const version = (known?.version ?? 0) + 1;
    versions.set(room, { mark, version });
    return version;
  }

  return {
    versionOf,
    of(place, progress) {
      const { desk, me } = place;
      const log = desk.reader.log();
      const [standing, own] = [log.standing(), standingOf(log, me.sign)];
      if (standing === undefined || own === undefined) return undefined;
      const invited = standing.invited.get(me.sign);
      const trouble = desk.reader.trouble();
      const { isMuted, draft } = desk.file.read();
      return {
        ...{ room: desk.room, standing: own, history: standing.history, epoch: standing.epoch, isMuted, draft },
        ...{ name: visibleText(standing.name), topic: visibleText(standing.topic) },
        role: standing.members.get(me.sign)?.role ?? null,
        memberCount: standing.members.size,
        isRekeyPending: standing.isRekeyPending,
        invitedBy: invited === undefined ? null : visibleText(log.peerOf(invited.by) ?? 'somebody'),
        ...saidOf(place),
        trouble:
          trouble === undefined
            ? null
            : { kind: trouble.kind, text: `${visibleText(trouble.detail)} ${troubleNext[trouble.kind]}` },
        waitingCount: desk.sender.sending().length,
        reading: progress ?? null,
        version: versionOf(place),
      };
    },
  };
}

/** Those that need an answer first, then by what was said last. */
export function byUrgency(left: RoomSummary, right: RoomSummary): number {
  const rank = ({ standing }: RoomSummary): number => (standing === 'invited' ? 0 : 1);
  return rank(left) - rank(right) || (right.lastMs ?? 0) - (left.lastMs ?? 0) || (left.room < right.room ? -1 : 1);
}
