/** What is typed into a chat: words to say, or a command that begins with a slash (cli.md). */
import { VakError } from '../shared/base/vak-error.ts';

/** Every command: what stands behind it, and what it does. */
export const chatCommands = {
  help: ['', 'shows this'],
  rooms: ['', 'lists your rooms'],
  room: ['ROOM', 'goes to a room'],
  join: ['ROOM', 'joins a room you are invited to, and goes there'],
  decline: ['ROOM', 'declines an invitation'],
  leave: ['', 'leaves this room'],
  who: ['', 'lists who is in this room'],
  invite: ['PEER [moderator]', 'invites a peer'],
  kick: ['PEER [REASON]', 'removes a member, with a new key'],
  role: ['PEER ROLE', 'makes a member moderator, member or owner'],
  rotate: ['', 'makes a new key'],
  topic: ['TEXT', 'says what this room is about (- for nothing)'],
  name: ['TEXT', 'gives this room another name'],
  close: ['NAME', 'closes this room for everybody, for good; NAME is its name'],
  attach: ['FILE…', 'sends files; one with spaces stands in quotes'],
  save: ['#N [FILE] [--replace]', 'saves the file of a message, here under its own name unless told'],
  history: ['[N]', 'shows the last N items (20)'],
  reply: ['#N TEXT', 'answers a message by its number'],
  edit: ['[#N] TEXT', 'changes what you said (the last, unless told)'],
  redact: ['#N [REASON]', 'takes a message away'],
  react: ['#N EMOJI', 'reacts to a message'],
  keys: ['', 'asks again for keys that are missing'],
  quit: ['', 'ends, when what you said is stored'],
} as const satisfies Record<string, readonly [args: string, help: string]>;

export type ChatCommandName = keyof typeof chatCommands;

/** `rest`: what stands behind the command. */
export type ChatInput =
  | { readonly kind: 'say'; readonly text: string }
  | { readonly kind: 'command'; readonly name: ChatCommandName; readonly rest: string };

const isCommand = (name: string): name is ChatCommandName => Object.hasOwn(chatCommands, name);

/** Reads a line; `//` begins words that begin with a slash. Throws `invalid-input` for a command that there is not. */
export function readChatLine(line: string): ChatInput | undefined {
  if (line.trim() === '') return undefined;
  if (line.startsWith('//')) return { kind: 'say', text: line.slice(1) };
  if (!line.startsWith('/')) return { kind: 'say', text: line };
  const [, name = '', rest = ''] = /^\/(\S*)\s*([\s\S]*)$/.exec(line) ?? [];
  if (isCommand(name)) return { kind: 'command', name, rest: rest.trim() };
  throw new VakError('invalid-input', `/${name.slice(0, 32)}: there is no such command; /help lists them`);
}

/** The first word, and what stands behind it. */
export function splitWord(text: string): readonly [word: string, rest: string] {
  const [, word = '', rest = ''] = /^(\S*)\s*([\s\S]*)$/.exec(text) ?? [];
  return [word, rest.trim()];
}

/** Words, some of which may stand in quotes: a path can hold spaces. Throws `invalid-input` if a quote does not end. */
export function splitQuoted(text: string): readonly string[] {
  const words = text.matchAll(/"([^"]*)"|'([^']*)'|([^\s"']\S*)|(["'])/g);
  return Array.from(words, ([, double, single, plain, open]) => {
    const word = double ?? single ?? plain;
    if (word !== undefined) return word;
    throw new VakError('invalid-input', `FILE: a quote (${open}) does not end; put one behind the name, too`);
  });
}

/** All commands, for people. */
export function chatHelp(): string {
  const rows = Object.entries(chatCommands).map(
    ([name, [args, help]]) => [`/${name} ${args}`.trimEnd(), help] as const,
  );
  const width = Math.max(...rows.map(([left]) => left.length));
  return rows.map(([left, help]) => `${left.padEnd(width)}  ${help}`).join('\n');
}
