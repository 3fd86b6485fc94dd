/** `vak room topic|close`: what a room is called and about, and its end (protocol.md R1, R3, docs/spec/rooms.md R76). */
import { VakError } from '../../shared/base/vak-error.ts';
import { visibleText } from '../../shared/base/visible-text.ts';
import { nameOfRoom } from '../room-choice.ts';
import { checkRoomName, checkRoomTopic, closeRoom, nameRoom, type RoomNaming } from '../room-naming.ts';
import type { Command, CommandInput } from './command.ts';
import { passNeed, roomNeed } from './example-needs.ts';
import { inRoom, personNote } from './room-line.ts';

function readNaming({ option }: CommandInput): RoomNaming {
  const [name, topic] = [option('name'), option('topic')];
  if (name === undefined && topic === undefined)
    throw new VakError('invalid-input', '--topic: nothing is given; say --topic TEXT, --name NAME or both');
  return {
    ...(name === undefined ? {} : { name: checkRoomName(name, '--name') }),
    ...(topic === undefined ? {} : { topic: checkRoomTopic(topic, '--topic') }),
  };
}

/** A word of a shell. */
const quoted = (text: string): string => (/^[\w.-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`);

export const roomTopicCommand: Command = {
  words: ['room', 'topic'],
  changes: 'bus',
  args: ['ROOM'],
  options: {
    topic: { value: 'TEXT', help: 'what it is about, up to 256 characters; empty: nothing' },
    name: { value: 'NAME', help: 'another name, up to 64 characters' },
  },
  summary: 'Says what a room is about, or gives it another name.',
  notes: `The owner and moderators may do that. What is not given stays as it is. Everybody in the room, and the membership service, can read both.
Prints {room, name, topic}. ${personNote}`,
  needs: `${roomNeed}; ${passNeed}`,
  example: `VAK_PASSPHRASE_FILE=~/pass vak room topic Deploys --topic 'What went out, and when' --context prod`,
  async run(input, host) {
    const wanted = readNaming(input);
    return await inRoom(input, host, async ({ me }, desk) => {
      const { name, topic } = await nameRoom(desk, me.sign, wanted);
      const about = topic === '' ? 'no topic' : visibleText(topic);
      host.output.data({ room: desk.room, name, topic }, `${visibleText(name)}: ${about}`);
      return undefined;
    });
  },
};

export const roomCloseCommand: Command = {
  words: ['room', 'close'],
  changes: 'bus',
  args: ['ROOM'],
  options: { confirm: { value: 'NAME', help: 'its name, as vak room ls shows it: it cannot be undone' } },
  summary: 'Closes a room for everybody in it, for good.',
  notes: `The owner alone may do that. Nothing can be said or changed in it any more; what was said stays readable to whoever could read it. Without the
name in --confirm it says what closing means and changes nothing. Prints {room, name, standing: ended}. ${personNote}`,
  needs: `${roomNeed}; ${passNeed}`,
  example: 'VAK_PASSPHRASE_FILE=~/pass vak room close Deploys --confirm Deploys --context prod',
  run: (input, host) =>
    inRoom(input, host, async ({ me }, desk) => {
      const how = (name: string): string => `--confirm ${quoted(name)}`;
      await closeRoom(desk, me.sign, { typed: input.option('confirm') ?? '', how });
      const name = nameOfRoom(desk);
      host.output.data({ room: desk.room, name, standing: 'ended' }, `closed ${visibleText(name)}`);
      return undefined;
    }),
};
