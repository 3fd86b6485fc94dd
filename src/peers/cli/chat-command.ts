/** `vak chat`: talks in rooms from a terminal, or lets a program answer there (cli.md). */
import { VakError } from '../../shared/base/vak-error.ts';
import { checkToken } from '../../shared/protocol/subject.ts';
import { runChatBot } from '../chat-bot.ts';
import { createPipeScreen, createTerminalScreen } from '../chat-screen.ts';
import { runChat } from '../chat-session.ts';
import { createEventLog } from '../event-log.ts';
import { chooseRoom } from '../room-choice.ts';
import { withRooms } from '../room-peer.ts';
import { refuseSecretsInEnvironment } from '../worker-bus-host.ts';
import { type CliHost, type Command, type CommandInput, type ExitCode, exitCodes } from './command.ts';
import { contextNeed, passNeed, roomNeed } from './example-needs.ts';
import { readCountUpTo, readSeconds } from './number-input.ts';
import { inRooms, personNote } from './room-line.ts';

const botOptions = ['exec', 'agent', 'accept-from', 'concurrency', 'time-limit', 'catch-up', 'drain', 'cwd'] as const;

/** A person, or a script in its name. */
function chat(input: CommandInput, host: CliHost): Promise<ExitCode> {
  const given = botOptions.find(
    (name) => input.option(name) !== undefined || input.isOn(name) || input.options(name).length > 0,
  );
  if (given !== undefined) throw new VakError('invalid-input', `--${given}: it is a bot's; give --bot too`);
  const historyCount = readCountUpTo(input.option('history') ?? '20', '--history', 1_000);
  return inRooms(input, host, async (running) => {
    await running.rooms.look();
    const [room] = input.args;
    const first = room === undefined ? undefined : await chooseRoom(running, room);
    const { keyboard } = host;
    const screen = keyboard === undefined ? createPipeScreen(host) : createTerminalScreen(keyboard, host.signal);
    return (await runChat({ running, screen, first, historyCount }, host)) ? exitCodes.done : exitCodes.no;
  });
}

function readBot(input: CommandInput) {
  const { option, options } = input;
  const exec = option('exec');
  if (exec === undefined || exec === '')
    throw new VakError('invalid-input', '--exec: a bot needs a command that answers');
  const concurrency = readCountUpTo(option('concurrency') ?? '1', '--concurrency', 16);
  if (concurrency === 0) throw new VakError('invalid-input', '--concurrency: expected a whole number from 1 to 16');
  return {
    ...{ exec, concurrency, accept: options('accept-from').map((peer) => checkToken(peer, '--accept-from')) },
    timeoutMs: readSeconds(option('time-limit') ?? '60', '--time-limit'),
    historyCount: readCountUpTo(option('history') ?? '0', '--history', 100),
    catchUpMs: readSeconds(option('catch-up') ?? '600', '--catch-up'),
    drainMs: readSeconds(option('drain') ?? '30', '--drain'),
    cwd: option('cwd') ?? process.cwd(),
  };
}

async function bot(input: CommandInput, host: CliHost): Promise<ExitCode> {
  const asked = readBot(input);
  refuseSecretsInEnvironment(host.environment, { who: 'a bot' });
  const log = createEventLog(host);
  const common = { ...input.common, identity: input.common.identity ?? 'bot' };
  const as = { kind: 'bot', agent: input.isOn('agent'), isMust: true } as const;
  await withRooms({ common, as, log }, host, async (running) => {
    const [room] = input.args;
    const only = room === undefined ? undefined : (await chooseRoom(running, room)).room;
    const isInScope = (desk: { readonly room: string }): boolean => only === undefined || desk.room === only;
    await runChatBot(running, { ...asked, log, isInScope }, host);
  });
  return exitCodes.done;
}

export const chatCommand: Command = {
  words: ['chat'],
  changes: 'bus',
  args: ['[ROOM]'],
  options: {
    history: {
      value: 'N',
      help: 'so many of the last items first (default: 20); of a bot: go with a question (default: 0)',
    },
    bot: { help: 'runs as a bot: whoever mentions it (@name) or replies to it has --exec asked' },
    exec: { value: 'CMD', help: 'shell command that answers: JSON on its stdin, the answer on its stdout' },
    agent: { help: 'its card says that a model is in its decisions (when the bot is made)' },
    'accept-from': { value: 'PEER', isMultiple: true, help: 'takes invitations of this peer (default: of operators)' },
    concurrency: { value: 'N', help: 'questions at the same time (default: 1, at most 16)' },
    'time-limit': { value: 'SECONDS', help: 'an answer may take so long (default: 60)' },
    'catch-up': {
      value: 'SECONDS',
      help: 'what was asked while it was away is answered if it is not older (default: 600)',
    },
    drain: { value: 'SECONDS', help: 'after a signal what runs may take so long to finish (default: 30)' },
    cwd: { value: 'DIR', help: 'folder of the command (default: the present one)' },
  },
  summary: 'Talks in rooms: a line is said, what others say is shown; with --bot a program answers.',
  notes: `Lines that begin with / are commands; /help lists them. Without ROOM it begins in the only room there is. A terminal keeps the prompt below
what comes; lines of a pipe are said one after the other, and it ends when they are stored. With --json it prints what vak room tail prints, and
{kind: info|error, …}. A file that /attach sends or /save writes is waited for before the next line. Exit code 1 if something that was typed could not be done. ${personNote}

As a bot it answers in ROOM, or without it in all rooms that it is in, new ones as they come. It runs as --identity (default: bot), made a bot with the role bot at its first use where the profile holds the root. CMD gets one line
{room, roomName, messageId, from, fromKind?, isAgent?, text, replyTo?, history?: [{messageId, from, text}]} and answers with at most 64 KiB; no output is no answer; an exit
code other than 0 is logged, and nothing is said. Each question is asked once: after a start those that came meanwhile. 30 a minute of one sender,
100 waiting. Secrets in variables are refused, CMD could read them; files (NAME_FILE) are taken, and CMD gets none. Invitations of others than
operators, or of --accept-from, are left alone. Prints on stderr one JSON value a line: {at, event, room?, messageId?, …} with the events connected, started, joined,
ignored-invitation, asked, answered, silent, failed, skipped, trouble, denied, revoked, draining, stopped. Exit code 0 after a signal.`,
  needs: `${roomNeed}; ${contextNeed}; ${passNeed}`,
  example: `VAK_PASSPHRASE_FILE=~/pass vak chat Deploys --context prod
printf 'build 42 is out\\n/who\\n' | VAK_PASSPHRASE_FILE=~/pass vak chat Deploys --context prod
VAK_PASSPHRASE_FILE=~/pass vak chat --bot --exec 'jq -r .text | rev' --identity parrot --accept-from ada --context prod`,
  isService: true,
  run: (input, host) => (input.isOn('bot') ? bot(input, host) : chat(input, host)),
};
