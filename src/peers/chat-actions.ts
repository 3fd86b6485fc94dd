/** What the commands of a chat do (cli.md). */
import type { RoomDesk } from '../engine/rooms/room-desk.ts';
import { standingOf } from '../engine/rooms/room-place.ts';
import { VakError } from '../shared/base/vak-error.ts';
import { visibleText } from '../shared/base/visible-text.ts';
import { roomRoles } from '../shared/protocol/payload-room-log.ts';
import { checkToken } from '../shared/protocol/subject.ts';
import { attachFiles, saveFile } from './chat-files.ts';
import type { ChatHands } from './chat-hands.ts';
import { type ChatCommandName, chatHelp, splitWord } from './chat-words.ts';
import { readWord } from './cli/room-line.ts';
import { chooseRoom, nameOfRoom, signByCard, signInRoom } from './room-choice.ts';
import { inviteTo } from './room-invitation.ts';
import { checkRoomName, checkRoomTopic, closeRoom, nameRoom, type RoomNaming } from './room-naming.ts';

type Action = (rest: string, hands: ChatHands) => Promise<void> | void;

function needed(text: string, what: string): string {
  if (text !== '') return text;
  throw new VakError('invalid-input', `${what} is missing; /help shows what stands where`);
}

function roomLineOf({ running }: ChatHands, desk: RoomDesk): string {
  const standing = desk.logs.log().standing();
  const words = standingOf(desk.logs.log(), running.me.sign) ?? 'not read yet';
  return `${visibleText(nameOfRoom(desk))}  ${desk.room}  ${words}, ${standing?.members.size ?? 0} in it`;
}

function listRooms(hands: ChatHands): void {
  const desks = hands.running.rooms.list();
  hands.tell(desks.length === 0 ? 'You are in no room.' : desks.map((desk) => roomLineOf(hands, desk)).join('\n'));
}

function listMembers(hands: ChatHands): void {
  const standing = hands.desk().logs.log().standing();
  const lines = [
    ...Array.from(standing?.members.values() ?? [], ({ peer, role }) => `${visibleText(peer)}  ${role}`),
    ...Array.from(standing?.invited.values() ?? [], ({ peer, role }) => `${visibleText(peer)}  invited as ${role}`),
  ];
  hands.tell(lines.join('\n'));
}

async function invite(rest: string, hands: ChatHands): Promise<void> {
  const [peer, role] = splitWord(rest);
  checkToken(needed(peer, 'PEER'), 'PEER');
  const wanted = readWord(role === '' ? 'member' : role, 'ROLE', ['member', 'moderator']);
  const sign = signByCard(hands.running, peer);
  await inviteTo(hands.running, { room: hands.desk().room, peer, sign, role: wanted });
}

async function kick(rest: string, hands: ChatHands): Promise<void> {
  const [peer, reason] = splitWord(rest);
  const desk = hands.desk();
  const change = { type: 'KICK', ...(reason === '' ? {} : { reason }) } as const;
  await desk.commit(change, { subject: signInRoom(desk, needed(peer, 'PEER')) });
}

async function setRole(rest: string, hands: ChatHands): Promise<void> {
  const [peer, role] = splitWord(rest);
  const desk = hands.desk();
  const subject = signInRoom(desk, needed(peer, 'PEER'));
  await desk.commit({ type: 'ROLE', role: readWord(role, 'ROLE', roomRoles) }, { subject });
}

async function join(rest: string, hands: ChatHands): Promise<void> {
  const desk = await chooseRoom(hands.running, needed(rest, 'ROOM'));
  if (desk.logs.log().standing()?.invited.has(hands.running.me.sign) === true)
    await desk.commit({ type: 'JOIN', peer: hands.running.me.peer });
  await hands.enter(desk);
}

async function edit(rest: string, hands: ChatHands): Promise<void> {
  const [number, text] = splitWord(rest);
  const isNumbered = /^#\d+$/.test(number);
  const target = isNumbered ? hands.messageIdOf(number) : hands.lastOwn();
  await hands.say({ kind: 'edit', target, text: needed(isNumbered ? text : rest, 'TEXT') });
}

async function setNaming(hands: ChatHands, wanted: RoomNaming): Promise<void> {
  await nameRoom(hands.desk(), hands.running.me.sign, wanted);
}

function readCount(rest: string): number {
  const count = rest === '' ? 20 : Number(rest);
  if (Number.isInteger(count) && count >= 1 && count <= 1_000) return count;
  throw new VakError('invalid-input', 'N: a number from 1 to 1 000 is expected');
}

const actions: Readonly<Record<ChatCommandName, Action>> = {
  help: (_rest, { tell }) => tell(chatHelp()),
  rooms: (_rest, hands) => listRooms(hands),
  room: async (rest, hands) => hands.enter(await chooseRoom(hands.running, needed(rest, 'ROOM'))),
  join,
  async decline(rest, hands) {
    await (await chooseRoom(hands.running, needed(rest, 'ROOM'))).commit({ type: 'DECLINE' });
  },
  leave: (_rest, hands) => hands.desk().commit({ type: 'LEAVE' }),
  who: (_rest, hands) => listMembers(hands),
  invite,
  kick,
  role: setRole,
  rotate: (_rest, hands) => hands.desk().commit({ type: 'REKEY', cause: 'hand' }),
  history: (rest, { history }) => history(readCount(rest)),
  async reply(rest, { messageIdOf, say }) {
    const [number, text] = splitWord(rest);
    await say({ kind: 'reply', target: messageIdOf(number), text: needed(text, 'TEXT') });
  },
  edit,
  async redact(rest, { messageIdOf, say }) {
    const [number, reason] = splitWord(rest);
    await say({ kind: 'redaction', target: messageIdOf(number), ...(reason === '' ? {} : { reason }) });
  },
  async react(rest, { messageIdOf, say }) {
    const [number, emoji] = splitWord(rest);
    await say({ kind: 'reaction', target: messageIdOf(number), emoji: needed(emoji, 'EMOJI') });
  },
  topic: (rest, hands) => setNaming(hands, { topic: checkRoomTopic(rest === '-' ? '' : needed(rest, 'TEXT'), 'TEXT') }),
  name: (rest, hands) => setNaming(hands, { name: checkRoomName(needed(rest, 'TEXT'), 'TEXT') }),
  close: (rest, hands) =>
    closeRoom(hands.desk(), hands.running.me.sign, { typed: rest, how: (name) => `/close ${name}` }),
  attach: attachFiles,
  save: saveFile,
  keys: (_rest, hands) => hands.desk().requestKeys(),
  quit: (_rest, { quit }) => quit(),
};

/** Does what a command says. Throws `invalid-input`, and what its deed throws. */
export async function actOn(name: ChatCommandName, rest: string, hands: ChatHands): Promise<void> {
  await actions[name](rest, hands);
}
