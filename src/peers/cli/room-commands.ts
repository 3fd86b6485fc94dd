/** `vak room create|ls|invite|join|leave`: rooms, and who comes and goes (protocol.md R1–R6). */

import type { RoomPlace } from '../../engine/rooms/room-place.ts';
import { byUrgency, createRoomSummaries, readSeqOf } from '../../engine/rooms/room-summary.ts';
import { visibleText } from '../../shared/base/visible-text.ts';
import type { RoomSummary } from '../../shared/contract/rooms-contract.ts';
import { checkToken } from '../../shared/protocol/subject.ts';
import { nameOfRoom, placeOf, signByCard } from '../room-choice.ts';
import { inviteTo } from '../room-invitation.ts';
import { checkRoomName, checkRoomTopic } from '../room-naming.ts';
import type { RunningRooms } from '../room-peer.ts';
import { seeCard } from './card-file.ts';
import type { CliHost, Command } from './command.ts';
import { contextNeed, passNeed, roomNeed } from './example-needs.ts';
import { inRoom, inRooms, personNote, readWord } from './room-line.ts';
import { textTable } from './text-table.ts';

const create: Command = {
  words: ['room', 'create'],
  changes: 'bus',
  args: ['NAME'],
  options: {
    topic: { value: 'TEXT', help: 'what it is about' },
    history: { value: 'joined|shared', help: 'what a new member reads: from its joining on (default), or all of it' },
  },
  summary: 'Makes a room, whose owner is whoever runs this.',
  notes: `Prints {room, name}. ${personNote}`,
  needs: `vak membershipd runs; ${contextNeed}; ${passNeed}`,
  example: `VAK_PASSPHRASE_FILE=~/pass vak room create Deploys --topic 'What goes out when' --context prod`,
  async run(input, host) {
    const name = checkRoomName(input.args[0] ?? '', 'NAME');
    const topic = checkRoomTopic(input.option('topic') ?? '', '--topic');
    const history = readWord(input.option('history') ?? 'joined', '--history', ['joined', 'shared']);
    return await inRooms(input, host, async ({ rooms }) => {
      const { room } = await rooms.create({ name, topic, history });
      host.output.data({ room, name }, `${room}  ${visibleText(name)}`);
      return undefined;
    });
  },
};

/** Unread messages are counted up to so many. */
const maxUnread = 1_000;

/** Reads back to where this peer has read. */
async function loadUnread(place: RoomPlace): Promise<void> {
  const { reader } = place.desk;
  const isThere = (): boolean => {
    const all = reader.timeline().all();
    return all.length >= maxUnread || (all[0]?.seq ?? Number.POSITIVE_INFINITY) <= readSeqOf(place);
  };
  for (let loads = 0; loads < 8 && reader.hasOlder() && !isThere(); loads++) await reader.loadOlder(maxUnread);
}

function membersOf({ desk }: RoomPlace): readonly object[] {
  const standing = desk.reader.log().standing();
  const all = [...(standing?.members.values() ?? []), ...(standing?.invited.values() ?? [])];
  return all.map((one) => ({ peer: one.peer, role: one.role, ...('by' in one ? { isInvited: true } : {}) }));
}

function summaryValue(place: RoomPlace, summary: RoomSummary): object {
  const { room, name, topic, standing, role, history, epoch, invitedBy, unreadCount, mentionCount } = summary;
  const { lockedCount, waitingCount, isRekeyPending, trouble } = summary;
  return {
    ...{ room, name, topic, standing, ...(role === null ? {} : { role }), history, epoch, isRekeyPending },
    ...(invitedBy === null ? {} : { invitedBy }),
    ...{ members: membersOf(place), unread: unreadCount, mentions: mentionCount, locked: lockedCount },
    ...{ waiting: waitingCount, ...(trouble === null ? {} : { trouble }) },
  };
}

function summaryRow(summary: RoomSummary): readonly string[] {
  const { room, name, standing, role, memberCount, epoch, unreadCount, invitedBy, trouble } = summary;
  const what = trouble?.kind ?? (invitedBy === null ? (role ?? standing) : `invited by ${invitedBy}`);
  return [name, room, what, `${memberCount}`, `${epoch}`, `${unreadCount}`];
}

async function summariesOf(running: RunningRooms): Promise<readonly (readonly [RoomPlace, RoomSummary])[]> {
  const summaries = createRoomSummaries(() => 0);
  const found: [RoomPlace, RoomSummary][] = [];
  for (const desk of running.rooms.list()) {
    const place = placeOf(running, desk);
    await loadUnread(place);
    const summary = summaries.of(place, undefined);
    if (summary !== undefined) found.push([place, summary]);
  }
  return found.sort(([, left], [, right]) => byUrgency(left, right));
}

const list: Command = {
  words: ['room', 'ls'],
  changes: 'bus',
  args: [],
  options: {},
  summary: 'Lists the rooms that one is or was in, or is invited to.',
  notes: `Prints {room, name, topic, standing: member|invited|left|kicked|ended, role?, history, epoch, isRekeyPending, invitedBy?, members: [{peer,
role, isInvited?}], unread, mentions, locked, waiting, trouble?}: unread are messages of others behind the last that vak chat showed,
locked those whose key is missing, waiting the own ones that are not stored. ${personNote}`,
  needs: `${roomNeed}; ${passNeed}`,
  example: 'VAK_PASSPHRASE_FILE=~/pass vak room ls --context prod --json | jq .name',
  run: (input, host) =>
    inRooms(input, host, async (running) => {
      await running.rooms.look();
      const found = await summariesOf(running);
      const rows = textTable(
        [['NAME', 'ROOM', 'STANDING', 'MEMBERS', 'EPOCH', 'UNREAD'], ...found.map(([, one]) => summaryRow(one))],
        (column) => column > 2,
      ).split('\n');
      if (found.length === 0)
        host.output.talk('vak: no rooms; make one with vak room create, or have yourself invited');
      for (const [at, [place, summary]] of found.entries()) {
        const head = at === 0 ? `${rows[0]}\n` : '';
        host.output.data(summaryValue(place, summary), `${head}${rows[at + 1]}`);
      }
      return undefined;
    }),
};

const invite: Command = {
  words: ['room', 'invite'],
  changes: 'bus',
  args: ['ROOM', 'PEER'],
  options: {
    role: { value: 'member|moderator', help: 'what it is to be (default: member)' },
    card: { value: 'FILE', help: 'its card (vak id card), if it is not known here yet: pinned at first sight' },
  },
  summary: 'Invites a peer to a room.',
  notes: `ROOM is an id, or the beginning of a name that no other room has. The peer is invited by the key of its card, which comes over the bus
when it has connected once. It is given the room's key when it joins, by whoever invited it or a moderator, once one of them runs.
Prints {room, peer, sign, role}. ${personNote}`,
  needs: `bob.card.json is what vak id card printed where bob is; ${roomNeed}; ${passNeed}`,
  example: 'VAK_PASSPHRASE_FILE=~/pass vak room invite Deploys bob --card bob.card.json --context prod',
  async run(input, host) {
    const peer = checkToken(input.args[1], 'PEER');
    const role = readWord(input.option('role') ?? 'member', '--role', ['member', 'moderator']);
    return await inRoom(input, host, async (running, desk) => {
      await seeCard(peer, input.option('card'), running.peer.open);
      const sign = signByCard(running, peer);
      await inviteTo(running, { room: desk.room, peer, sign, role });
      host.output.data({ room: desk.room, peer, sign, role }, `${peer} is invited to ${visibleText(nameOfRoom(desk))}`);
      return undefined;
    });
  },
};

/** What joining or leaving came to. */
function tellStanding({ output }: CliHost, place: RoomPlace, words: string): void {
  const { desk, me } = place;
  const standing = desk.logs.log().standing();
  const isMember = standing?.members.has(me.sign) === true;
  const value = { room: desk.room, name: nameOfRoom(desk), standing: isMember ? 'member' : 'left' };
  output.data({ ...value, epoch: standing?.epoch ?? 0 }, `${words} ${visibleText(nameOfRoom(desk))}`);
}

const join: Command = {
  words: ['room', 'join'],
  changes: 'bus',
  args: ['ROOM'],
  options: {},
  summary: 'Joins a room that one is invited to.',
  notes: `Prints {room, name, standing, epoch}. What is said from its joining on can be read once whoever invited, or a moderator, has handed out
the key, which they do while they run. ${personNote}`,
  needs: `an invitation, which its room's owner or a moderator gave`,
  example: 'vak room join Deploys --context prod',
  run: (input, host) =>
    inRoom(input, host, async (running, desk) => {
      await desk.commit({ type: 'JOIN', peer: running.me.peer });
      tellStanding(host, placeOf(running, desk), 'joined');
      return undefined;
    }),
};

const leave: Command = {
  words: ['room', 'leave'],
  changes: 'bus',
  args: ['ROOM'],
  options: {},
  summary: 'Leaves a room, or declines the invitation to it.',
  notes: `Prints {room, name, standing, epoch}. The owner hands the room over first (vak room role PEER owner). Whoever speaks next in the room makes
a new key. ${personNote}`,
  needs: 'to be a member of the room, and not its owner',
  example: 'vak room leave Deploys --context prod',
  run: (input, host) =>
    inRoom(input, host, async (running, desk) => {
      const isInvited = desk.logs.log().standing()?.invited.has(running.me.sign) === true;
      await desk.commit(isInvited ? { type: 'DECLINE' } : { type: 'LEAVE' });
      tellStanding(host, placeOf(running, desk), isInvited ? 'declined' : 'left');
      return undefined;
    }),
};

export const roomCommands: readonly Command[] = [create, list, invite, join, leave];
