/** What is said of rooms, their members and messages, everywhere in the same words. Pure. */
import { visibleText } from '../../../shared/base/visible-text.ts';
import type { PeerState } from '../../../shared/contract/access-contract.ts';
import type {
  OwnStanding,
  RoomMemberReport,
  RoomMessageItem,
  RoomSummary,
  RoomsState,
  RoomTransfer,
} from '../../../shared/contract/rooms-contract.ts';
import { formatBytes, formatCount } from '../../ui/format.ts';
import { plainLine } from './plain-line.ts';

/** Its name, for a line. */
export function roomTitle({ name, room }: Pick<RoomSummary, 'name' | 'room'>): string {
  return name === '' ? room : visibleText(name);
}

export const standingWords: Readonly<Record<OwnStanding, string>> = {
  member: 'member',
  invited: 'invited',
  left: 'you left',
  kicked: 'you were removed',
  ended: 'closed',
};

const count = (many: number, one: string, more = `${one}s`): string =>
  `${formatCount(many)} ${many === 1 ? one : more}`;

/** `3 members`. */
export const memberWords = (many: number): string => count(many, 'member');

/** Beside the title: what waits for an answer first. */
export function roomsSummary({ rooms }: Pick<RoomsState, 'rooms'>): string {
  const invited = rooms.filter(({ standing }) => standing === 'invited').length;
  const unread = rooms.reduce((sum, room) => sum + (room.isMuted ? 0 : room.unreadCount), 0);
  const parts = [
    ...(invited > 0 ? [count(invited, 'invitation')] : []),
    ...(unread > 0 ? [`${formatCount(unread)} unread`] : []),
  ];
  return parts.length === 0 ? count(rooms.length, 'room') : parts.join(' · ');
}

/** Rooms whose name, topic or inviter has each of the words. */
export function filterRooms(rooms: readonly RoomSummary[], filter: string): readonly RoomSummary[] {
  const words = filter.trim().toLowerCase().split(/\s+/);
  if (words[0] === '') return rooms;
  return rooms.filter(({ name, topic, invitedBy, room }) => {
    const text = `${name} ${topic} ${invitedBy ?? ''} ${room}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
}

/** What a screen reader says of a room in the list. */
export function roomAria(room: RoomSummary): string {
  return [
    roomTitle(room),
    ...(room.standing === 'member' ? [] : [standingWords[room.standing]]),
    ...(room.trouble === null ? [] : ['stopped']),
    ...(room.mentionCount > 0 ? [count(room.mentionCount, 'mention')] : []),
    ...(room.unreadCount > 0 ? [`${formatCount(room.unreadCount)} unread`] : []),
    ...(room.waitingCount > 0 ? [`${formatCount(room.waitingCount)} not sent`] : []),
    ...(room.isMuted ? ['muted'] : []),
  ].join(', ');
}

/** Rooms that need somebody: for the badge of the view. */
export function roomsWaiting(state: Pick<RoomsState, 'rooms'> | undefined): number {
  return (state?.rooms ?? []).filter(
    ({ standing, isMuted, unreadCount, mentionCount }) =>
      standing === 'invited' || mentionCount > 0 || (!isMuted && unreadCount > 0),
  ).length;
}

/** `bob`, `bob and carol`, `bob, carol and 3 more`. */
export function peersWords(peers: readonly string[], most = 3): string {
  const names = peers.map(visibleText);
  if (names.length <= 1) return names[0] ?? '';
  if (names.length <= most) return `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
  return `${names.slice(0, most - 1).join(', ')} and ${formatCount(names.length - most + 1)} more`;
}

/** Above the field; nothing while nobody writes. */
export function typingWords(peers: readonly string[]): string {
  return peers.length === 0 ? '' : `${peersWords(peers)} ${peers.length === 1 ? 'is' : 'are'} writing…`;
}

export const kindWords = { human: 'person', bot: 'bot', process: 'process' } as const;

/** `bot, agent`; a kind that no card has told yet is not guessed. */
export function kindOf({ kind, isAgent }: Pick<RoomMemberReport, 'kind' | 'isAgent'>): string {
  if (kind === null) return 'no card yet';
  return isAgent ? `${kindWords[kind]}, agent` : kindWords[kind];
}

export interface TrustWords {
  readonly word: string;
  readonly tone: 'ok' | 'wait' | 'bad' | 'quiet';
  readonly meaning: string;
}

/** How far it is known that a key is whose it says (I2). */
export const trustWords: Readonly<Record<PeerState, TrustWords>> = {
  own: { word: 'you', tone: 'quiet', meaning: 'Its keys are held here' },
  pinned: { word: 'not compared', tone: 'quiet', meaning: 'Nobody has compared its safety number yet' },
  verified: { word: 'verified', tone: 'ok', meaning: 'You have compared its safety number' },
  changed: {
    word: 'key changed',
    tone: 'bad',
    meaning: 'A card with another signing key came: no key of the room goes to it',
  },
  blocked: { word: 'blocked', tone: 'bad', meaning: 'You have blocked it: no key of the room goes to it' },
};

/** Of a member: others whose keys are held here too, as a bot of this profile, are not this peer. */
export function memberTrust(state: PeerState, isMe: boolean): TrustWords {
  return state === 'own' && !isMe ? { ...trustWords.own, word: 'of this profile' } : trustWords[state];
}

/** `w9` before `w10`. */
const byName = new Intl.Collator('en', { numeric: true });
const roleRank = { owner: 0, moderator: 1, member: 2 } as const;

/** Those who could not get the key first, then by role and name, the invited last. */
export function sortMembers(members: readonly RoomMemberReport[]): readonly RoomMemberReport[] {
  const rank = (one: RoomMemberReport): number =>
    (one.withheldWhy === null ? 10 : 0) + (one.isInvited ? 5 : roleRank[one.role]);
  return [...members].sort((a, b) => rank(a) - rank(b) || byName.compare(a.peer, b.peer));
}

/** Whether this peer set that reaction. */
export const isReactedBy = (
  item: Pick<RoomMessageItem, 'reactions'>,
  emoji: string,
  peer: string | undefined,
): boolean => item.reactions.some((one) => one.emoji === emoji && peer !== undefined && one.peers.includes(peer));

/** `3.1 of 12.0 MiB`, or that it waits. */
export function transferWords({
  doneBytes,
  sizeBytes,
  isWaiting,
}: Pick<RoomTransfer, 'doneBytes' | 'sizeBytes' | 'isWaiting'>): string {
  if (isWaiting) return `waits · ${formatBytes(sizeBytes)}`;
  return `${formatBytes(doneBytes)} of ${formatBytes(sizeBytes)}`;
}

/** Those who let it be known that they have read up to there, without this peer. */
export function readersOf(
  state: Pick<RoomsState, 'presence' | 'me'> | undefined,
  { room, seq }: { readonly room: string; readonly seq: number },
): readonly string[] {
  const read = state?.presence.find((one) => one.room === room)?.read ?? [];
  return read.filter((one) => one.seq >= seq && one.peer !== state?.me?.peer).map(({ peer }) => peer);
}

/** One line of what a message says, for lists and notices. */
export function lineOf({ text, attachment, redacted, unopened }: RoomMessageItem): string {
  if (redacted !== null) return 'removed';
  if (unopened !== null) return 'could not be opened';
  if (text === null) return visibleText(attachment?.name ?? '');
  return plainLine(text.split('\n').find((line) => line.trim() !== '') ?? '');
}
