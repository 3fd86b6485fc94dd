/** `vak room send|tail|log`: what is said in a room, and what its log says (protocol.md R7–R11, R21). */
import type { RoomDesk } from '../../engine/rooms/room-desk.ts';
import { tellEntry } from '../../engine/rooms/room-words.ts';
import { toTextStrict } from '../../shared/base/bytes.ts';
import { VakError } from '../../shared/base/vak-error.ts';
import { visibleText } from '../../shared/base/visible-text.ts';
import type { RoomContent } from '../../shared/protocol/room-content.ts';
import { nameOfRoom, placeOf } from '../room-choice.ts';
import { createRoomFollower, createWaker, type Followed } from '../room-follower.ts';
import { roomLine } from '../room-lines.ts';
import type { RunningRooms } from '../room-peer.ts';
import { sayAndWait } from '../room-saying.ts';
import { type CliHost, type Command, exitCodes } from './command.ts';
import { passNeed, roomNeed } from './example-needs.ts';
import { readId } from './id-input.ts';
import { readCountUpTo, readSeconds } from './number-input.ts';
import { inRoom, personNote } from './room-line.ts';
import { untilAborted } from './standard-input.ts';

const maxTextBytes = 64 * 1024;

/** A text of stdin, without the line break that a pipe puts behind it. Throws `limit-exceeded`, `invalid-payload`, `aborted`. */
async function readText({ input, signal }: CliHost): Promise<string> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of untilAborted(input(), signal)) {
    chunks.push(chunk);
    length += chunk.length;
    if (length > maxTextBytes + 2) {
      throw new VakError('limit-exceeded', `stdin: more than ${maxTextBytes} bytes; send it in parts, or as a file`);
    }
  }
  return toTextStrict(Buffer.concat(chunks), 'stdin').replace(/\r?\n$/, '');
}

const send: Command = {
  words: ['room', 'send'],
  changes: 'bus',
  args: ['ROOM', 'TEXT'],
  options: {
    'reply-to': { value: 'ID', help: 'messageId that it answers' },
    timeout: { value: 'SECONDS', help: 'waits so long until it is stored (default: 15)' },
  },
  summary: 'Says something in a room; TEXT - reads it from stdin.',
  notes: `Waits until the message was stored and read back as one that counts, and prints {room, messageId, seq, epoch}. What is not stored in time (exit
code 3) waits in the profile and goes out with its next vak room or vak chat: it is not to be said again. ${personNote}`,
  needs: `${roomNeed}; ${passNeed}`,
  example: `VAK_PASSPHRASE_FILE=~/pass vak room send Deploys 'build 41 is out' --context prod
date | VAK_PASSPHRASE_FILE=~/pass vak room send Deploys - --context prod`,
  async run(input, host) {
    const limitMs = readSeconds(input.option('timeout') ?? '15', '--timeout');
    const target = input.option('reply-to');
    if (target !== undefined) readId(target, 'vak room tail --json');
    const typed = input.args[1] ?? '';
    const text = typed === '-' ? await readText(host) : typed;
    if (text === '') throw new VakError('invalid-input', 'TEXT: it is empty; say something');
    const content: RoomContent = target === undefined ? { kind: 'text', text } : { kind: 'reply', target, text };
    return await inRoom(input, host, async (running, desk) => {
      const said = await sayAndWait({ running, desk, content }, limitMs, host);
      host.output.data({ room: desk.room, ...said }, said.messageId);
      return undefined;
    });
  },
};

/** Prints; false: nobody takes anything any more. */
async function printAll(
  followed: readonly Followed[],
  place: ReturnType<typeof placeOf>,
  { output, signal }: CliHost,
): Promise<boolean> {
  for (const one of followed) {
    const { value, text } = roomLine(place, one);
    output.data(value, text);
    if (signal.aborted || !(await output.isTaken())) return false;
  }
  return true;
}

interface Following {
  readonly running: RunningRooms;
  readonly desk: RoomDesk;
  /** Items of before. */
  readonly count: number;
}

async function follow({ running, desk, count }: Following, host: CliHost): Promise<void> {
  const place = placeOf(running, desk);
  const follower = createRoomFollower(place);
  const waker = createWaker(running.onChange);
  const ended = running.peer.ended.then(() => 'ended' as const);
  try {
    let isTaken = await printAll(await follower.history(count), place, host);
    host.output.talk(`vak: listening to ${visibleText(nameOfRoom(desk))}`);
    while (isTaken) {
      if ((await Promise.race([ended, waker.next()])) === 'ended') return;
      isTaken = await printAll(follower.news(), place, host);
    }
  } finally {
    waker.dispose();
  }
}

const tail: Command = {
  words: ['room', 'tail'],
  changes: 'bus',
  args: ['ROOM'],
  options: {
    history: { value: 'N', help: 'so many of the last items first (default: 10)' },
    'no-follow': { help: 'ends after them' },
  },
  summary: 'Prints what was said in a room last, then what is said and done there.',
  notes: `Prints one item a line, in the order of the stream: messages {room, kind: message, seq, at, messageId, peer, epoch, isOwn, isMention, text,
replyTo?, editedAt?, redacted?, reactions?, attachment?, unopened?: {cause, text}, isLate?}, as they read at that time; then also what changes
one: {kind: edit|redaction|reaction, target, …}; and {kind: event, event, by, about?, epoch, text} for entries of the log. A message that cannot
be opened says why; when its key comes it is printed again with isLate. Nothing is marked as read. Exit code 4 after a signal. ${personNote}`,
  needs: `${roomNeed}; ${passNeed}`,
  example: 'VAK_PASSPHRASE_FILE=~/pass vak room tail Deploys --history 20 --no-follow --context prod --json',
  async run(input, host) {
    const count = readCountUpTo(input.option('history') ?? '10', '--history', 20_000);
    return await inRoom(input, host, async (running, desk) => {
      if (!input.isOn('no-follow')) await follow({ running, desk, count }, host);
      else {
        const place = placeOf(running, desk);
        await printAll(await createRoomFollower(place).history(count), place, host);
      }
      return exitCodes.done;
    });
  },
};

const nobody = '-';

const log: Command = {
  words: ['room', 'log'],
  changes: 'bus',
  args: ['ROOM'],
  options: {},
  summary: "Prints the room's membership log with a verdict on each entry.",
  notes: `Prints {seq, at?, n?, epoch?, type?, actor?, by?, subject?, about?, hash?, verdict, detail?}: verdict is counts, or why it does not (docs/spec/rooms.md R21):
everyone who replays the log comes to the same. Exit code 1 if the room has stopped: its log has a fork or was rolled back. ${personNote}`,
  needs: `${roomNeed}; ${passNeed}`,
  example: 'VAK_PASSPHRASE_FILE=~/pass vak room log Deploys --context prod',
  run: (input, host) =>
    inRoom(input, host, async (_running, { logs }) => {
      const { stop, skipped } = logs.standing();
      const entries = logs
        .log()
        .entries()
        .map(({ entry, seq, atMs, hash }) => {
          const { n, epoch, actor, subject, body } = entry;
          const nameOf = (sign: string | undefined) => (sign === undefined ? undefined : logs.log().peerOf(sign));
          const [by, about] = [nameOf(actor), nameOf(subject)];
          const names = { by: visibleText(by ?? actor), about: visibleText(about ?? subject ?? nobody) };
          const at = new Date(atMs).toISOString();
          const value = { seq, at, n, epoch, type: body.type, actor, by, subject, about, hash, verdict: 'counts' };
          return { seq, value, text: `${String(n).padStart(4)}  ${at}  ${tellEntry(body, names).text}` };
        });
      const others = skipped.map(({ seq, why, detail }) => ({
        ...{ seq, value: { seq, verdict: why, detail } },
        text: `   -  ${why.padEnd(24)}  ${visibleText(detail)}`,
      }));
      for (const { value, text } of [...entries, ...others].sort((left, right) => left.seq - right.seq))
        host.output.data(value, text);
      if (stop === undefined) return exitCodes.done;
      host.output.talk(`vak: the room has stopped: ${stop.kind}`);
      return exitCodes.no;
    }),
};

export const roomTalkCommands: readonly Command[] = [send, tail, log];
