/** `vak room kick|role|rotate`: who is out, who leads, and a fresh key (protocol.md R3, R4). */

import type { RoomDesk } from '../../engine/rooms/room-desk.ts';
import { visibleText } from '../../shared/base/visible-text.ts';
import { roomRoles } from '../../shared/protocol/payload-room-log.ts';
import { checkToken } from '../../shared/protocol/subject.ts';
import { nameOfRoom, signInRoom } from '../room-choice.ts';
import type { RunningRooms } from '../room-peer.ts';
import type { CliHost, Command } from './command.ts';
import { passNeed, roomNeed } from './example-needs.ts';
import { inRoom, personNote, readWord } from './room-line.ts';

/** Members who do not get the new key, and why: somebody has to know (R32). */
function tellWithheld({ rooms }: RunningRooms, desk: RoomDesk, { output }: CliHost): readonly object[] {
  const withheld = [...rooms.exchange.withheldFrom(desk.logs.log())];
  for (const [peer, reason] of withheld) output.talk(`vak: ${peer} does not get the new key: ${reason}`);
  return withheld.map(([peer, reason]) => ({ peer, reason }));
}

function tellKey(
  running: RunningRooms,
  desk: RoomDesk,
  host: CliHost,
): { readonly epoch: number; readonly withheld: readonly object[] } {
  return { epoch: desk.logs.log().standing()?.epoch ?? 0, withheld: tellWithheld(running, desk, host) };
}

const kick: Command = {
  words: ['room', 'kick'],
  changes: 'bus',
  args: ['ROOM', 'PEER'],
  options: { reason: { value: 'TEXT', help: 'why: everybody in the room reads it' } },
  summary: 'Removes a member, with a new key that it does not get, or takes an invitation back.',
  notes: `Nothing that is said after it can be read by who was removed. Prints {room, peer, sign, epoch, withheld: [{peer, reason}]}: withheld are
members whose card is missing or in doubt. ${personNote}`,
  needs: `bob is invited (vak room invite); ${roomNeed}; ${passNeed}`,
  example: `VAK_PASSPHRASE_FILE=~/pass vak room kick Deploys bob --reason 'the key was lost' --context prod`,
  async run(input, host) {
    const peer = checkToken(input.args[1], 'PEER');
    const reason = input.option('reason');
    return await inRoom(input, host, async (running, desk) => {
      const sign = signInRoom(desk, peer);
      await desk.commit({ type: 'KICK', ...(reason === undefined ? {} : { reason }) }, { subject: sign });
      const value = { room: desk.room, peer, sign, ...tellKey(running, desk, host) };
      host.output.data(value, `${peer} is out of ${visibleText(nameOfRoom(desk))}`);
      return undefined;
    });
  },
};

const role: Command = {
  words: ['room', 'role'],
  changes: 'bus',
  args: ['ROOM', 'PEER', 'ROLE'],
  options: {},
  summary: 'Makes a member a moderator, a member again, or the owner.',
  notes: `The owner alone may do that; ROLE owner hands the room over, and who did so is a moderator then. Prints {room, peer, sign, role}. ${personNote}`,
  needs: 'ada is a member of the room, and whoever runs this its owner',
  example: 'vak room role Deploys ada moderator --context prod',
  async run(input, host) {
    const peer = checkToken(input.args[1], 'PEER');
    const wanted = readWord(input.args[2] ?? '', 'ROLE', roomRoles);
    return await inRoom(input, host, async (_running, desk) => {
      const sign = signInRoom(desk, peer);
      await desk.commit({ type: 'ROLE', role: wanted }, { subject: sign });
      host.output.data({ room: desk.room, peer, sign, role: wanted }, `${peer} is ${wanted}`);
      return undefined;
    });
  },
};

const rotate: Command = {
  words: ['room', 'rotate'],
  changes: 'bus',
  args: ['ROOM'],
  options: {},
  summary: 'Gives the room a fresh key.',
  notes: `That happens by itself when somebody is removed or has left, after 7 days and after 2^20 messages. Prints {room, epoch, withheld: [{peer,
reason}]}. ${personNote}`,
  needs: `${roomNeed}; ${passNeed}`,
  example: 'VAK_PASSPHRASE_FILE=~/pass vak room rotate Deploys --context prod',
  run: (input, host) =>
    inRoom(input, host, async (running, desk) => {
      await desk.commit({ type: 'REKEY', cause: 'hand' });
      const value = { room: desk.room, ...tellKey(running, desk, host) };
      host.output.data(value, `epoch ${value.epoch} of ${visibleText(nameOfRoom(desk))}`);
      return undefined;
    }),
};

export const roomMemberCommands: readonly Command[] = [kick, role, rotate];
