/** What every command on rooms has: the rooms of whoever asks, and the words of its help (cli.md). */
import type { RoomDesk } from '../../engine/rooms/room-desk.ts';
import { VakError } from '../../shared/base/vak-error.ts';
import type { EventLog } from '../event-log.ts';
import { chooseRoom } from '../room-choice.ts';
import { type RunningRooms, withRooms } from '../room-peer.ts';
import type { CliHost, CommandInput } from './command.ts';

export const personNote = `Runs as the profile's person, or as --identity, which is made a person with the role human at its first use where the profile holds the
workspace's root; where it does not, what to run there is said. Like everybody in rooms it asks for keys and gives them while it runs, and sends what waits.`;

/** What a command that ends by itself says of what only services log. */
function quietLog({ output }: CliHost): EventLog {
  return (event, fields = {}) => {
    if (event === 'made') output.talk(`vak: identity ${fields['identity']} is made, with the role ${fields['role']}`);
    if (event === 'denied') output.talk(`vak: denied: ${JSON.stringify(fields)}`);
  };
}

/** Opens the rooms of the line's identity, and runs the work. */
export function inRooms<T>(
  { common }: Pick<CommandInput, 'common'>,
  host: CliHost,
  work: (running: RunningRooms) => Promise<T>,
): Promise<T> {
  return withRooms({ common, log: quietLog(host), as: { kind: 'human', agent: false } }, host, work);
}

/** The same, in the room that the first argument means, read to its end. */
export function inRoom<T>(
  input: CommandInput,
  host: CliHost,
  work: (running: RunningRooms, desk: RoomDesk) => Promise<T>,
): Promise<T> {
  return inRooms(input, host, async (running) => {
    const desk = await chooseRoom(running, input.args[0] ?? '');
    await desk.look();
    // What came for this peer opens what was read.
    await running.rooms.look();
    return await work(running, desk);
  });
}

/** One of several words. Throws `invalid-input` that names them. */
export function readWord<T extends string>(text: string, field: string, allowed: readonly T[]): T {
  const found = allowed.find((one) => one === text);
  if (found !== undefined) return found;
  throw new VakError('invalid-input', `${field}: found ${text.length} characters, allowed: ${allowed.join(', ')}`);
}
