/** A bot: whoever mentions it has its command asked, whose answer it says (cli.md, docs/spec/rooms.md R72). */
import type { RoomDesk } from '../engine/rooms/room-desk.ts';
import { settlesWithin } from '../engine/wait.ts';
import { isVakError } from '../shared/base/vak-error.ts';
import { type BotAnswer, type BotCommand, createBotCommand } from './bot-command.ts';
import { createBotDoor, inviterOf } from './bot-door.ts';
import { type BotEar, createBotEar, type Question } from './bot-ear.ts';
import { type BotQueue, createBotQueue } from './bot-queue.ts';
import type { CliHost } from './cli/command.ts';
import type { EventLog } from './event-log.ts';
import { nameOfRoom, placeOf } from './room-choice.ts';
import { createWaker } from './room-follower.ts';
import type { RunningRooms } from './room-peer.ts';
import { waitUntilStored } from './room-saying.ts';

export interface ChatBotOptions {
  readonly exec: string;
  /** Peers whose invitations it takes; none: operators'. */
  readonly accept: readonly string[];
  readonly concurrency: number;
  readonly timeoutMs: number;
  /** Messages that were said before the question and go with it. */
  readonly historyCount: number;
  /** What is older is not answered any more, ms. */
  readonly catchUpMs: number;
  readonly drainMs: number;
  readonly cwd: string;
  readonly log: EventLog;
  /** Which rooms it answers in. */
  readonly isInScope: (desk: RoomDesk) => boolean;
}

const bounds = { maxWaiting: 100, maxPerMinute: 30 };
const storedMs = 60_000;
const farewellMs = 5_000;

/** Whose question, and what else is to be told. */
interface Told extends Pick<Question, 'messageId' | 'from'> {
  readonly [more: string]: unknown;
}

type Outcome = 'answered' | 'silent' | 'failed' | 'skipped';

function historyOf({ desk }: { readonly desk: RoomDesk }, { seq }: Question, limit: number): readonly object[] {
  const before = limit === 0 ? [] : desk.reader.timeline().slice({ beforeSeq: seq, limit });
  return before.flatMap(({ message, text }) =>
    text === undefined ? [] : [{ messageId: message.messageId, from: message.peer, text }],
  );
}

/** Asks and answers, one question at a time or several. */
function createAnswering(
  running: RunningRooms,
  { options, command }: { options: ChatBotOptions; command: BotCommand },
  host: CliHost,
) {
  const { log, historyCount } = options;
  const counts: Record<Outcome, number> = { answered: 0, silent: 0, failed: 0, skipped: 0 };

  function tell(outcome: Outcome, { room }: RoomDesk, { messageId, from, ...more }: Told): void {
    counts[outcome]++;
    log(outcome, { room, messageId, from, ...more });
  }

  async function say(
    desk: RoomDesk,
    { messageId, from }: Question,
    { text, tookMs }: { text: string; tookMs: number },
  ): Promise<void> {
    const answerId = await desk.sender.say({ kind: 'reply', target: messageId, text });
    tell('answered', desk, { messageId, from, answerId, tookMs });
    desk.lookSoon();
    // It is on disk, and goes out whenever that is possible.
    waitUntilStored({ running, desk, messageId: answerId }, storedMs, host).catch((error: unknown) => {
      if (!isVakError(error)) host.logger.bug('bot.answer', error);
      else log('trouble', { room: desk.room, answerId, code: error.code, message: error.message });
    });
  }

  async function ask(desk: RoomDesk, question: Question): Promise<void> {
    const { messageId, from, text, replyTo } = question;
    const startedMs = host.clock.monotonic();
    const history = historyOf({ desk }, question, historyCount);
    const card = running.cards.find(from);
    const answer: BotAnswer = await command.ask({
      ...{ room: desk.room, roomName: nameOfRoom(desk), messageId, from, text },
      ...(card === undefined ? {} : { fromKind: card.kind, isAgent: card.isAgent }),
      ...(replyTo === undefined ? {} : { replyTo }),
      ...(historyCount === 0 ? {} : { history }),
    });
    const tookMs = Math.round(host.clock.monotonic() - startedMs);
    const { kind, ...more } = answer;
    if (answer.kind === 'answer') await say(desk, question, { text: answer.text, tookMs });
    else tell(kind === 'silent' ? 'silent' : 'failed', desk, { messageId, from, ...more, tookMs });
  }

  return {
    counts,
    tell,
    /** Never rejects. */
    async answer(desk: RoomDesk, question: Question, ear: BotEar): Promise<void> {
      try {
        await ask(desk, question);
      } catch (error) {
        const reason = isVakError(error)
          ? error.message
          : `a fault of the program, see id ${host.logger.bug('bot.ask', error)}`;
        tell('failed', desk, { messageId: question.messageId, from: question.from, reason });
      }
      await ear.done(question).catch((error: unknown) => host.logger.bug('bot.mark', error));
    },
  };
}

type Answering = ReturnType<typeof createAnswering>;

interface Bot {
  readonly running: RunningRooms;
  readonly options: ChatBotOptions;
  readonly answering: Answering;
  readonly queue: BotQueue;
  readonly host: CliHost;
}

/** Hears all rooms; what is asked goes into the queue. */
function createHearing({ running, options, answering, queue, host }: Bot) {
  const ears = new Map<string, BotEar>();
  const door = createBotDoor(running, options.accept, host.clock.now);
  const ignored = new Set<string>();

  async function hear(desk: RoomDesk): Promise<void> {
    const ear = ears.get(desk.room) ?? createBotEar(placeOf(running, desk));
    ears.set(desk.room, ear);
    for (const question of await ear.hear()) {
      const isOld = host.clock.now() - question.atMs > options.catchUpMs;
      const refusal = isOld ? 'old' : queue.take(question.from, () => answering.answer(desk, question, ear));
      if (refusal === undefined)
        options.log('asked', { room: desk.room, messageId: question.messageId, from: question.from });
      // What waits while it stops is asked at its next start.
      if (refusal === undefined || refusal === 'stopping') continue;
      answering.tell('skipped', desk, { messageId: question.messageId, from: question.from, reason: refusal });
      await ear.done(question);
    }
  }

  async function enter(desk: RoomDesk): Promise<void> {
    const inviter = inviterOf(running, desk);
    if (inviter === undefined) return;
    const by = inviter.peer;
    const key = `${desk.room} ${inviter.sign}`;
    if (door(inviter)) {
      await desk.commit({ type: 'JOIN', peer: running.me.peer });
      options.log('joined', { room: desk.room, by });
    } else if (!ignored.has(key)) {
      ignored.add(key);
      options.log('ignored-invitation', { room: desk.room, by });
    }
  }

  async function lookAt(desk: RoomDesk): Promise<void> {
    const isMember = desk.reader.log().standing()?.members.has(running.me.sign) === true;
    if (isMember) await hear(desk);
    else await enter(desk);
  }

  return async (): Promise<void> => {
    for (const desk of running.rooms.list().filter(options.isInScope)) {
      try {
        await lookAt(desk);
      } catch (error) {
        if (!isVakError(error)) throw error;
        options.log('trouble', { room: desk.room, code: error.code, message: error.message });
      }
    }
  };
}

/** Answers until a signal; then finishes what it has begun within the time. Throws why the connection has ended. */
export async function runChatBot(running: RunningRooms, options: ChatBotOptions, host: CliHost): Promise<void> {
  const { exec, timeoutMs, cwd, concurrency, drainMs, log } = options;
  const { me, peer } = running;
  const command = createBotCommand({ exec, peer: me.peer, timeoutMs, cwd }, host);
  const queue = createBotQueue({ ...bounds, concurrency }, host.clock);
  const answering = createAnswering(running, { options, command }, host);
  const hear = createHearing({ running, options, answering, queue, host });
  const waker = createWaker(running.onChange);
  const ended = peer.ended.then(() => 'ended' as const);
  try {
    await running.rooms.look();
    log('started', {
      peer: me.peer,
      agent: running.cards.find(me.peer)?.isAgent ?? false,
      rooms: running.rooms.list().length,
    });
    do await hear();
    while ((await Promise.race([ended, waker.next()])) !== 'ended');
    log('draining', { running: queue.runningCount() });
  } finally {
    queue.stop();
    waker.dispose();
    if (!(await settlesWithin(host.clock, drainMs, queue.idle()))) command.stopAll();
    await settlesWithin(host.clock, farewellMs, queue.idle());
    const sent = Promise.all(running.rooms.list().map((desk) => desk.sender.flush()));
    await settlesWithin(host.clock, farewellMs, sent);
    command.dispose();
    log('stopped', { ...answering.counts });
  }
}
