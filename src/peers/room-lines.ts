/** What is said in a room, as a line for people or as a value for programs (protocol.md R10, R11). */
import { messageItem } from '../engine/rooms/room-items.ts';
import type { RoomPlace } from '../engine/rooms/room-place.ts';
import type { ShownMessage, TimelineMessage } from '../engine/rooms/room-timeline.ts';
import { lineOf, visibleMessage } from '../engine/rooms/room-words.ts';
import { visibleText } from '../shared/base/visible-text.ts';
import type { RoomEventItem, RoomMessageItem } from '../shared/contract/rooms-contract.ts';
import type { Followed } from './room-follower.ts';

const iso = (ms: number): string => new Date(ms).toISOString();
const orLeaveOut = <T>(name: string, value: T | null | undefined): Record<string, T> =>
  value === null || value === undefined ? {} : { [name]: value };

/** `HH:MM`, in the zone of whoever reads. */
function clockOf(ms: number): string {
  const at = new Date(ms);
  return [at.getHours(), at.getMinutes()].map((part) => String(part).padStart(2, '0')).join(':');
}

/** What others wrote may hold lines: none of them may look like one of ours. */
const indented = (text: string): string => text.split('\n').join('\n      | ');

function replyWords({ replyTo }: RoomMessageItem): string {
  if (replyTo === null) return '';
  return replyTo.peer === '' ? '(answers a message that is not here) ' : `(to ${replyTo.peer}: ${replyTo.line}) `;
}

function attachmentWords({ attachment, text }: RoomMessageItem): string {
  if (attachment === null) return '';
  return `[file ${attachment.name}, ${attachment.mime}, ${attachment.sizeBytes} bytes]${text === null ? '' : ' '}`;
}

function bodyWords(item: RoomMessageItem): string {
  const { redacted, text, unopened } = item;
  if (unopened !== null) return `[${unopened.cause}] ${unopened.text}`;
  if (redacted !== null) {
    const why = redacted.reason === null ? '' : `: ${redacted.reason}`;
    return `[taken away by ${redacted.by}${why}]`;
  }
  return `${replyWords(item)}${attachmentWords(item)}${text ?? ''}`;
}

function messageText(item: RoomMessageItem): string {
  const sign = item.senderKind === 'bot' ? (item.isAgent ? ' (agent)' : ' (bot)') : '';
  const edited = item.editedMs === null || item.redacted !== null ? '' : ' (edited)';
  const reactions = item.reactions.map(({ emoji, peers }) => ` ${emoji} ${peers.length}`).join('');
  return `${clockOf(item.atMs)} ${item.peer}${sign}: ${indented(bodyWords(item))}${edited}${reactions}`;
}

/** As it was said: of a text for a program nothing is replaced. */
function messageValue(room: string, item: RoomMessageItem, shown: ShownMessage): object {
  const { seq, messageId, peer, isOwn, senderKind, isAgent, epoch, isMention, unopened, redacted, reactions } = item;
  return {
    ...{ room, kind: 'message', seq, at: iso(item.atMs), messageId, peer, epoch, isOwn, isMention },
    ...orLeaveOut('senderKind', senderKind),
    ...(isAgent ? { isAgent } : {}),
    text: unopened === null ? (shown.text ?? null) : null,
    ...orLeaveOut('replyTo', shown.replyTo?.messageId),
    ...orLeaveOut('editedAt', item.editedMs === null ? null : iso(item.editedMs)),
    ...orLeaveOut('redacted', redacted),
    ...(reactions.length === 0 ? {} : { reactions }),
    ...orLeaveOut('attachment', item.attachment),
    ...orLeaveOut('unopened', unopened && { cause: unopened.cause, text: unopened.text }),
  };
}

const changeWords = {
  edit: 'edited',
  redaction: 'took away',
  reaction: 'reacted to',
} as const;

function changeText({ desk }: RoomPlace, { content, peer, atMs }: TimelineMessage): string {
  if (content === undefined || !('target' in content) || content.kind === 'reply') return '';
  const timeline = desk.reader.timeline();
  const target = timeline.byId(content.target);
  const shown = target && timeline.shown(target);
  const what = shown === undefined ? 'a message' : `what ${visibleText(shown.message.peer)} said`;
  const said =
    content.kind === 'edit'
      ? `: ${visibleMessage(content.text)}`
      : content.kind === 'reaction'
        ? ` "${lineOf(shown?.text ?? '')}": ${content.emoji}${content.isOff === true ? ' (taken back)' : ''}`
        : content.reason === undefined
          ? ''
          : `: ${visibleText(content.reason)}`;
  return `${clockOf(atMs)} * ${visibleText(peer)} ${changeWords[content.kind]} ${what}${indented(said)}`;
}

function eventValue(room: string, { seq, atMs, event, by, about, text, epoch }: RoomEventItem): object {
  return { room, kind: 'event', seq, at: iso(atMs), event, by, ...orLeaveOut('about', about), epoch, text };
}

export interface RoomLine {
  readonly value: object;
  readonly text: string;
}

/** One thing that was said or done. */
export function roomLine(place: RoomPlace, followed: Followed): RoomLine {
  const { room } = place.desk;
  if (followed.kind === 'event') {
    const { item } = followed;
    return { value: eventValue(room, item), text: `${clockOf(item.atMs)} * ${item.text}` };
  }
  if (followed.kind === 'change') {
    const { message } = followed;
    const { seq, atMs, messageId, peer, epoch, content } = message;
    const value = { room, ...content, seq, at: iso(atMs), messageId, peer, epoch };
    return { value, text: changeText(place, message) };
  }
  const { shown, isLate } = followed;
  const item = messageItem(place, shown);
  const value = { ...messageValue(room, item, shown), ...(isLate ? { isLate } : {}) };
  return { value, text: messageText(item) };
}
