/** Says something in a room, and waits until it was read back as one that counts (protocol.md R8). */
import type { RoomDesk } from '../engine/rooms/room-desk.ts';
import { settlesWithin } from '../engine/wait.ts';
import { VakError } from '../shared/base/vak-error.ts';
import type { RoomContent } from '../shared/protocol/room-content.ts';
import type { CliHost } from './cli/command.ts';
import { createWaker } from './room-follower.ts';
import type { RunningRooms } from './room-peer.ts';

export interface Said {
  readonly messageId: string;
  readonly seq: number;
  readonly epoch: number;
}

/** Where it lies; undefined: it was not read back yet. Throws why it will not be sent. */
function outcomeOf(desk: RoomDesk, sign: string, messageId: string): Said | undefined {
  const found = desk.reader.timeline().byId(messageId);
  if (found?.isCounted === true && found.sign === sign) return { messageId, seq: found.seq, epoch: found.epoch };
  const sending = desk.sender.sending().find(({ intent }) => intent.messageId === messageId);
  if (sending?.state === 'failed' && sending.error !== null) throw VakError.fromShape(sending.error);
  return undefined;
}

function lastProblem(desk: RoomDesk, messageId: string): string {
  const sending = desk.sender.sending().find(({ intent }) => intent.messageId === messageId);
  return sending?.error == null ? '' : ` (${sending.error.message})`;
}

/** Waits until a message that was said is stored. Throws why it was refused, and `timeout` while it waits in the profile. */
export async function waitUntilStored(
  { running, desk, messageId }: { readonly running: RunningRooms; readonly desk: RoomDesk; readonly messageId: string },
  limitMs: number,
  { clock }: Pick<CliHost, 'clock'>,
): Promise<Said> {
  const { sign } = running.me;
  const waker = createWaker(running.onChange);
  let isOver = false;
  async function wait(): Promise<Said | undefined> {
    while (!isOver) {
      const said = outcomeOf(desk, sign, messageId);
      if (said !== undefined) return said;
      desk.lookSoon();
      await waker.next();
    }
    return undefined;
  }
  const waiting = wait();
  const isSettled = await settlesWithin(clock, limitMs, waiting);
  isOver = true;
  waker.dispose();
  const said = isSettled ? await waiting : undefined;
  if (said !== undefined) return said;
  const why = lastProblem(desk, messageId);
  throw new VakError(
    'timeout',
    `room: not stored within ${limitMs / 1000} s${why}; it waits in this profile as ${messageId}, and goes out with its next vak room or vak chat: do not say it again`,
  );
}

/** Says it, and waits. Throws as saying and {@link waitUntilStored} do. */
export async function sayAndWait(
  {
    running,
    desk,
    content,
  }: { readonly running: RunningRooms; readonly desk: RoomDesk; readonly content: RoomContent },
  limitMs: number,
  host: CliHost,
): Promise<Said> {
  const messageId = await desk.sender.say(content);
  return await waitUntilStored({ running, desk, messageId }, limitMs, host);
}
