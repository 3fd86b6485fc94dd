/** What a room is called and about, and its end (protocol.md R1, R3, docs/spec/rooms.md R76). */
import type { RoomDesk } from '../engine/rooms/room-desk.ts';
import { VakError } from '../shared/base/vak-error.ts';
import { visibleText } from '../shared/base/visible-text.ts';
import { isCleanText } from '../shared/protocol/clean-text.ts';
import type { RoomRole } from '../shared/protocol/payload-room-log.ts';
import { nameOfRoom } from './room-choice.ts';

/** UTF-16 units (R13). */
const limits = { name: 64, topic: 256 } as const;

/** `field`: what the person calls it. Throws `invalid-input`. */
function checkText(text: string, field: string, { min, max }: { readonly min: number; readonly max: number }): string {
  const trimmed = text.trim();
  const found = trimmed.length;
  if (found < min || found > max)
    throw new VakError('invalid-input', `${field}: found ${found} characters, allowed: ${min} to ${max}`);
  if (isCleanText(trimmed)) return trimmed;
  throw new VakError('invalid-input', `${field}: it holds a control character; give one line of plain text`);
}

/** A room's name, without spaces around it. Throws `invalid-input`. */
export function checkRoomName(text: string, field: string): string {
  return checkText(text, field, { min: 1, max: limits.name });
}

/** A room's topic; it may be empty. Throws `invalid-input`. */
export function checkRoomTopic(text: string, field: string): string {
  return checkText(text, field, { min: 0, max: limits.topic });
}

function standingOf(desk: RoomDesk) {
  const standing = desk.logs.log().standing();
  if (standing !== undefined) return standing;
  throw new VakError('timeout', 'ROOM: its log is not read yet; try again', { retryable: true });
}

/** Says who may, before anything is asked of the service. Throws `forbidden`. */
function mustBe(desk: RoomDesk, sign: string, { roles, what }: { readonly roles: readonly RoomRole[]; what: string }) {
  const { members } = standingOf(desk);
  const own = members.get(sign)?.role;
  if (own !== undefined && roles.includes(own)) return;
  const names = [...members.values()].filter(({ role }) => roles.includes(role)).map(({ peer }) => visibleText(peer));
  const standing = own === undefined ? 'are not in it' : `are a ${own}`;
  const who = `${names.slice(0, 8).join(', ')}${names.length > 8 ? ` and ${names.length - 8} more` : ''}`;
  throw new VakError('forbidden', `room: only its ${roles.join(' and ')} may ${what}, and you ${standing}; ask ${who}`);
}

/** One of both, or both; what is not given stays. */
export interface RoomNaming {
  readonly name?: string;
  readonly topic?: string;
}

/** Gives the room a name and a topic, both of which an entry carries; resolves with them. Throws `forbidden`, and as `desk.commit`. */
export async function nameRoom(
  desk: RoomDesk,
  sign: string,
  wanted: RoomNaming,
): Promise<{ readonly name: string; readonly topic: string }> {
  mustBe(desk, sign, { roles: ['owner', 'moderator'], what: 'give it a name or a topic' });
  const { name, topic } = standingOf(desk);
  const next = { name, topic, ...wanted };
  await desk.commit({ type: 'TOPIC', ...next });
  return next;
}

/** `typed`: the name, as it is displayed; `how`: where it is typed. Throws `invalid-input` if it is another, `forbidden`, and as `desk.commit`. */
export async function closeRoom(
  desk: RoomDesk,
  sign: string,
  { typed, how }: { readonly typed: string; readonly how: (name: string) => string },
): Promise<void> {
  mustBe(desk, sign, { roles: ['owner'], what: 'close it' });
  const name = visibleText(nameOfRoom(desk));
  if (typed !== name) {
    const members = standingOf(desk).members.size;
    throw new VakError(
      'invalid-input',
      `room: closing ends it for all ${members} in it, for good; what was said stays readable. Type its name to say so: ${how(name)}`,
    );
  }
  await desk.commit({ type: 'CLOSE' });
}
