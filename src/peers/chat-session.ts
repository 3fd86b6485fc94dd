/** A conversation at a terminal, or of a script: what is typed is said, what comes is shown below (cli.md). */
import type { RoomDesk } from '../engine/rooms/room-desk.ts';
import { readSeqOf } from '../engine/rooms/room-summary.ts';
import { settlesWithin } from '../engine/wait.ts';
import { isVakError, VakError } from '../shared/base/vak-error.ts';
import { visibleText } from '../shared/base/visible-text.ts';
import type { RoomContent } from '../shared/protocol/room-content.ts';
import { actOn } from './chat-actions.ts';
import type { ChatFiles, ChatHands } from './chat-hands.ts';
import type { ChatScreen } from './chat-screen.ts';
import { readChatLine } from './chat-words.ts';
import type { CliHost } from './cli/command.ts';
import { nameOfRoom, placeOf } from './room-choice.ts';
import { createRoomFollower, createWaker, type Followed, type RoomFollower } from './room-follower.ts';
import { roomLine } from './room-lines.ts';
import type { RunningRooms } from './room-peer.ts';
import { waitUntilStored } from './room-saying.ts';

export interface ChatOptions {
  readonly running: RunningRooms;
  readonly screen: ChatScreen;
  /** The room to begin in; undefined: the only one there is. */
  readonly first: RoomDesk | undefined;
  readonly historyCount: number;
}

const lastWordsMs = 15_000;

interface View {
  readonly desk: RoomDesk;
  readonly follower: RoomFollower;
  /** Messages by the numbers that they were shown with, from 1. */
  readonly numbered: string[];
}

/** What is shown of the rooms, and of what this peer says there. */
function createShowing({ running, screen }: ChatOptions) {
  let view: View | undefined;
  const invited = new Set<string>();
  const failed = new Set<string>();

  const tell = (text: string): void => screen.show({ kind: 'info', text }, text);
  const complain = ({ code, message }: Pick<VakError, 'code' | 'message'>): void =>
    screen.show({ kind: 'error', code, message: visibleText(message) }, `! ${visibleText(message)}`);

  function numberOf({ numbered }: View, messageId: string): number {
    const known = numbered.indexOf(messageId) + 1;
    return known > 0 ? known : numbered.push(messageId);
  }

  function showOne(current: View, one: Followed): void {
    const { value, text } = roomLine(placeOf(running, current.desk), one);
    const label = one.kind === 'message' ? `#${numberOf(current, one.shown.message.messageId)} ` : '';
    screen.show(value, `${label}${text}`);
  }

  /** What was shown was read. */
  async function mark({ desk, follower }: View): Promise<void> {
    const seq = follower.toldSeq();
    if (seq <= readSeqOf(placeOf(running, desk))) return;
    await desk.file.update((kept) => (kept.markSeq >= seq ? kept : { ...kept, markSeq: seq }));
    desk.presence.markRead(seq);
  }

  function tellInvitations(): void {
    for (const desk of running.rooms.list()) {
      const log = desk.logs.log();
      const own = log.standing()?.invited.get(running.me.sign);
      if (own === undefined || invited.has(desk.room)) continue;
      invited.add(desk.room);
      tell(
        `* ${visibleText(log.peerOf(own.by) ?? 'somebody')} invited you to ${visibleText(nameOfRoom(desk))}: /join ${desk.room}`,
      );
    }
  }

  function tellFailures(): void {
    for (const desk of running.rooms.list()) {
      for (const { intent, state, error } of desk.sender.sending()) {
        if (state !== 'failed' || error === null || failed.has(intent.messageId)) continue;
        failed.add(intent.messageId);
        complain({ code: error.code, message: `not sent: ${error.message}` });
      }
    }
  }

  return {
    ...{ tell, complain },
    current: () => view,
    async open(desk: RoomDesk, count: number): Promise<void> {
      view = { desk, follower: createRoomFollower(placeOf(running, desk)), numbered: [] };
      screen.prompt(`${visibleText(nameOfRoom(desk))}> `);
      for (const one of await view.follower.history(count)) showOne(view, one);
      await mark(view);
    },
    async news(): Promise<void> {
      tellInvitations();
      tellFailures();
      if (view === undefined) return;
      for (const one of view.follower.news()) showOne(view, one);
      await mark(view);
    },
  };
}

type Showing = ReturnType<typeof createShowing>;

/** What this peer said and what has become of it. */
function createMouth({ running }: ChatOptions, showing: Showing, host: CliHost) {
  const waiting = new Set<Promise<void>>();
  const last = new Map<string, string>();

  async function watch(desk: RoomDesk, messageId: string): Promise<void> {
    try {
      await waitUntilStored({ running, desk, messageId }, lastWordsMs, host);
    } catch (error) {
      if (!isVakError(error)) throw error;
      // What failed for good is told where it is seen.
      if (error.code === 'timeout') showing.complain(error);
    }
  }

  function follow(desk: RoomDesk, messageId: string): void {
    const watching = watch(desk, messageId).catch((error: unknown) => void host.logger.bug('chat.say', error));
    waiting.add(watching);
    void watching.finally(() => waiting.delete(watching));
  }

  return {
    follow,
    lastIn: ({ room }: RoomDesk) => last.get(room),
    async say(desk: RoomDesk, content: RoomContent): Promise<void> {
      const messageId = await desk.sender.say(content);
      if (content.kind === 'text' || content.kind === 'reply') last.set(desk.room, messageId);
      follow(desk, messageId);
    },
    settled: (): Promise<unknown> => Promise.all(waiting),
  };
}

function handsOf(
  options: ChatOptions,
  showing: Showing,
  { mouth, quit, files }: { mouth: ReturnType<typeof createMouth>; quit: () => void; files: ChatFiles },
): ChatHands {
  const { running } = options;
  const desk = (): RoomDesk => {
    const found = showing.current()?.desk;
    if (found !== undefined) return found;
    throw new VakError('invalid-input', 'you are in no room; /rooms lists them, /room ROOM goes to one');
  };
  return {
    ...{ running, desk, quit, files, tell: showing.tell, follow: mouth.follow },
    enter: (one) => showing.open(one, options.historyCount),
    history: (count) => showing.open(desk(), count),
    say: (content) => mouth.say(desk(), content),
    messageIdOf(number) {
      const at = /^#?(\d{1,6})$/.exec(number)?.[1];
      const found = at === undefined ? undefined : showing.current()?.numbered[Number(at) - 1];
      if (found !== undefined) return found;
      throw new VakError('invalid-input', '#N: no message was shown with this number');
    },
    lastOwn() {
      const found = mouth.lastIn(desk());
      if (found !== undefined) return found;
      throw new VakError('invalid-input', 'you have said nothing here since you came; give the number of a message');
    },
  };
}

/** Chats until somebody quits, the input ends, or a signal comes. Gives whether all that was typed could be done. Throws why the connection has ended. */
export async function runChat(options: ChatOptions, host: CliHost): Promise<boolean> {
  const { running, screen, first } = options;
  const showing = createShowing(options);
  const waker = createWaker(running.onChange);
  const mouth = createMouth(options, showing, host);
  let isOver = false;
  let isGood = true;
  const hands = handsOf(options, showing, {
    mouth,
    files: { clock: host.clock, signal: host.signal, folder: process.cwd() },
    quit() {
      isOver = true;
    },
  });

  async function act(line: string): Promise<void> {
    try {
      const input = readChatLine(line);
      if (input?.kind === 'say') await hands.say({ kind: 'text', text: input.text });
      else if (input !== undefined) await actOn(input.name, input.rest, hands);
    } catch (error) {
      if (!isVakError(error)) throw error;
      isGood = false;
      showing.complain(error);
    }
  }

  async function readAll(): Promise<'over'> {
    for await (const line of screen.lines) {
      await act(line);
      if (isOver) break;
    }
    return 'over';
  }

  async function showAll(): Promise<'over'> {
    for (;;) {
      await showing.news();
      if ((await Promise.race([ended, waker.next()])) === 'over') return 'over';
    }
  }

  const ended = running.peer.ended.then(() => 'over' as const);
  try {
    const [only, ...others] = running.rooms.list();
    const desk = first ?? (others.length === 0 ? only : undefined);
    if (desk !== undefined) await showing.open(desk, options.historyCount);
    else showing.tell('/rooms lists your rooms, /room ROOM goes to one, /help shows the rest.');
    await Promise.race([readAll(), showAll()]);
    if (!host.signal.aborted) await settlesWithin(host.clock, lastWordsMs, mouth.settled());
    await showing.news();
    return isGood;
  } finally {
    waker.dispose();
    screen.close();
  }
}
