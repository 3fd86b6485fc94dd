/**
 * What stands in a timeline, as it is shown: messages, and entries of the log among them (product.md "Rooms", protocol.md R10, R11).
 * Law: order is the stream's; nothing of somebody else's is shown that was not made visible.
 */
import { visibleText } from '../../shared/base/visible-text.ts';
import type { RoomAttachment, RoomEventItem, RoomMessageItem } from '../../shared/contract/rooms-contract.ts';
import type { Attachment, RoomContent } from '../../shared/protocol/room-content.ts';
import type { PlacedEntry, RoomLog } from './room-log.ts';
import { isMention } from './room-marks.ts';
import { cardOfMember, lastJoinSeq, type RoomPlace } from './room-place.ts';
import type { SendingState } from './room-sender.ts';
import type { ShownMessage, TimelineMessage } from './room-timeline.ts';
import { lineOf, tellEntry, unknownTarget, unopenedOf, visibleMessage } from './room-words.ts';

/** Images that are shown, by what is said of them; what they are their bytes say. */
const imageTypes: ReadonlySet<string> = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp']);
/** Largest image that is shown. */
export const maxPreviewBytes = 8 * 1024 * 1024;

function attachmentOf({ name, mime, size }: Attachment): RoomAttachment {
  const hasPreview = imageTypes.has(mime) && size <= maxPreviewBytes;
  return { name: visibleText(name), mime: visibleText(mime), sizeBytes: size, hasPreview };
}

function isBefore({ desk, me }: RoomPlace, { seq }: TimelineMessage): boolean {
  const log = desk.reader.log();
  const joined = lastJoinSeq(log, me.sign);
  return log.standing()?.history === 'joined' && joined !== undefined && seq < joined;
}

/** What only changes another message, and stands by itself: that message is not here. */
function isStray({ content }: TimelineMessage): boolean {
  return content !== undefined && ['edit', 'redaction', 'reaction'].includes(content.kind);
}

function unopenedIn(place: RoomPlace, message: TimelineMessage): RoomMessageItem['unopened'] {
  if (message.notOpened !== undefined) return unopenedOf(message.notOpened, isBefore(place, message));
  return isStray(message) ? unknownTarget(message.kind, message.peer) : null;
}

function replyIn(place: RoomPlace, { replyTo }: ShownMessage): RoomMessageItem['replyTo'] {
  if (replyTo === undefined) return null;
  const { messageId, message } = replyTo;
  if (message === undefined) return { messageId, peer: '', line: '' };
  const { text, attachment, redacted } = place.desk.reader.timeline().shown(message);
  const line = redacted === undefined ? lineOf(text ?? attachment?.name ?? '') : '';
  return { messageId, peer: visibleText(message.peer), line };
}

/** Whether it speaks to this peer. */
export function isToMe({ me }: Pick<RoomPlace, 'me'>, shown: ShownMessage): boolean {
  const { sign, isCounted } = shown.message;
  return sign !== me.sign && isCounted && isMention(shown, me.peer);
}

/** A message as it is shown. */
export function messageItem(place: RoomPlace, shown: ShownMessage): RoomMessageItem {
  const { message, attachment, redacted } = shown;
  const { seq, messageId, atMs, sign, epoch } = message;
  const card = cardOfMember(place.cards, message);
  const unopened = unopenedIn(place, message);
  return {
    ...{ kind: 'message', seq, messageId, atMs, epoch, unopened, sending: null },
    peer: visibleText(message.peer),
    isOwn: sign === place.me.sign,
    isAgent: card?.isAgent ?? false,
    senderKind: card?.kind ?? null,
    text: unopened !== null || shown.text === undefined ? null : visibleMessage(shown.text),
    isMention: isToMe(place, shown),
    editedMs: shown.editedMs ?? null,
    redacted:
      redacted === undefined
        ? null
        : {
            by: visibleText(redacted.peer),
            reason: redacted.reason === undefined ? null : visibleText(redacted.reason),
          },
    replyTo: replyIn(place, shown),
    reactions: shown.reactions.map(({ emoji, peers }) => ({ emoji, peers: peers.map(visibleText) })),
    attachment: attachment === undefined ? null : attachmentOf(attachment),
  };
}

const standsAlone = ({ kind }: RoomContent): boolean => kind === 'text' || kind === 'reply' || kind === 'attachment';

function wordsOf(content: RoomContent): string | null {
  if ('text' in content && content.text !== undefined) return content.text;
  if (content.kind === 'reaction') return content.emoji;
  return content.kind === 'redaction' ? (content.reason ?? null) : null;
}

function sendingItem(place: RoomPlace, { intent, content, state, error }: SendingState): RoomMessageItem {
  const { messageId, createdMs: atMs } = intent;
  const { reader } = place.desk;
  const card = place.cards.find(place.me.peer);
  const words = wordsOf(content);
  const target = content.kind === 'reply' ? content.target : undefined;
  const answered = target === undefined ? undefined : reader.timeline().byId(target);
  const replyTo =
    target === undefined || answered === undefined
      ? null
      : {
          messageId: target,
          peer: visibleText(answered.peer),
          line: lineOf(reader.timeline().shown(answered).text ?? ''),
        };
  return {
    ...{ kind: 'message', seq: null, messageId, atMs, peer: place.me.peer, isOwn: true },
    ...{ isAgent: card?.isAgent ?? false, senderKind: card?.kind ?? null },
    epoch: reader.log().standing()?.epoch ?? 0,
    text: words === null ? null : visibleMessage(words),
    ...{ isMention: false, editedMs: null, redacted: null, replyTo, reactions: [], unopened: null },
    attachment: content.kind === 'attachment' ? attachmentOf(content) : null,
    sending: { state, error },
  };
}

/** Own messages that are not stored; of what only changes another message those that failed, so that somebody learns of it. */
export function sendingItems(place: RoomPlace): readonly RoomMessageItem[] {
  const { reader, sender } = place.desk;
  const isThere = (messageId: string): boolean => {
    const message = reader.timeline().byId(messageId);
    return message?.isCounted === true && message.sign === place.me.sign;
  };
  return sender
    .sending()
    .filter(({ intent, content, state }) => !isThere(intent.messageId) && (standsAlone(content) || state === 'failed'))
    .map((one) => sendingItem(place, one));
}

function nameIn(log: RoomLog, sign: string | undefined): string {
  return visibleText((sign === undefined ? undefined : (log.peerOf(sign) ?? invitedName(log, sign))) ?? 'somebody');
}

/** Who was only ever invited has its name from there. */
function invitedName(log: RoomLog, sign: string): string | undefined {
  const invite = log.entries().findLast(({ entry }) => entry.subject === sign && entry.body.type === 'INVITE');
  return invite?.entry.body.type === 'INVITE' ? invite.entry.body.peer : undefined;
}

function entryItem(log: RoomLog, { entry, seq, atMs }: PlacedEntry): RoomEventItem {
  const by = nameIn(log, entry.actor);
  const about = entry.subject === undefined ? null : nameIn(log, entry.subject);
  const told = tellEntry(entry.body, { by, about: about ?? by });
  return { kind: 'event', seq, atMs, ...told, by, about, epoch: entry.epoch };
}

/** What is said of the log beside its entries: what was skipped, and where it forks. */
function flawItems({ desk }: RoomPlace): readonly RoomEventItem[] {
  const log = desk.reader.log();
  const { skipped } = desk.logs.standing();
  const nearest = (seq: number) => log.entries().findLast((one) => one.seq <= seq);
  const flaw = (seq: number, event: 'skipped' | 'fork', text: string): RoomEventItem => {
    const before = nearest(seq);
    const epoch = before?.entry.epoch ?? 0;
    return { kind: 'event', seq, atMs: before?.atMs ?? 0, event, by: '', about: null, text, epoch };
  };
  const forkSeq = log.forkAt();
  const words =
    'The log forks here: two entries that count have one place. The room has stopped; tell whoever runs the membership service.';
  return [
    ...skipped.map(({ seq, why, detail }) =>
      flaw(
        seq,
        'skipped',
        `An entry of the log does not count (${why}): ${visibleText(detail)} Nothing has to be done.`,
      ),
    ),
    ...(forkSeq === undefined ? [] : [flaw(forkSeq, 'fork', words)]),
  ];
}

/** Members whose key is not the one that was pinned (I2): it is shown where it was learnt. */
function keyItems({ desk, cards }: RoomPlace): readonly RoomEventItem[] {
  const log = desk.reader.log();
  const standing = log.standing();
  const first = log.entries()[0];
  if (standing === undefined || first === undefined) return [];
  return Array.from(standing.members.values()).flatMap(({ peer }): RoomEventItem[] => {
    const offered = cards.find(peer)?.offered;
    if (offered == null) return [];
    const name = visibleText(peer);
    const lastBefore = <T extends { readonly atMs: number }>(all: readonly T[]) =>
      all.findLast(({ atMs }) => atMs <= offered.seenMs);
    const seqs = [lastBefore(log.entries())?.seq, lastBefore(desk.reader.timeline().all())?.seq, first.seq];
    const seq = Math.max(...seqs.filter((one) => one !== undefined));
    const text = `A card with another signing key came for ${name}. Nothing is sent to it, no key either, until its safety number was compared and the key accepted (Identity & access).`;
    return [
      {
        kind: 'event',
        seq,
        atMs: offered.seenMs,
        event: 'key-changed',
        by: name,
        about: name,
        text,
        epoch: standing.epoch,
      },
    ];
  });
}

/** Gives all that is to be told of a room beside its messages, in the order of the stream; what an entry tells is worked out once. */
export function createEventItems(): (place: RoomPlace) => readonly RoomEventItem[] {
  const told = new WeakMap<PlacedEntry, RoomEventItem>();
  return (place) => {
    const log = place.desk.reader.log();
    const entries = log.entries().map((one) => {
      const item = told.get(one) ?? entryItem(log, one);
      told.set(one, item);
      return item;
    });
    return [...entries, ...flawItems(place), ...keyItems(place)].sort((left, right) => left.seq - right.seq);
  };
}
