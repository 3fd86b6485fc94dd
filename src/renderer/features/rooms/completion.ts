/** What is offered while a message is typed: members after `@`, emoji after `:`. Pure. */
import { findEmoji, namedEmoji } from './emoji-list.ts';

export interface CompletionOption {
  readonly key: string;
  /** What is put in place of what was typed, with the space behind it. */
  readonly insert: string;
  readonly label: string;
  /** What stands beside it. */
  readonly note: string;
}

export interface Completion {
  readonly kind: 'member' | 'emoji';
  /** What was typed stands from here to the caret. */
  readonly from: number;
  readonly options: readonly CompletionOption[];
}

/** Somebody who can be named. */
export interface Nameable {
  readonly peer: string;
  readonly name: string | null;
}

const maxOptions = 8;
const memberForm = /(?:^|[^\p{L}\p{N}_])@([A-Za-z0-9_-]{0,64})$/u;
const emojiForm = /(?:^|[^\p{L}\p{N}_:]):([a-z0-9_]{2,32})$/iu;
const wholeEmojiForm = /(^|[^\p{L}\p{N}_:]):([a-z0-9_]{2,32}):$/iu;
/** As far as anything to be completed reaches back. */
const reach = 80;

function memberOptions(part: string, members: readonly Nameable[]): readonly CompletionOption[] {
  const wanted = part.toLowerCase();
  const begins = (text: string | null): boolean => text?.toLowerCase().startsWith(wanted) ?? false;
  return members
    .filter(({ peer, name }) => begins(peer) || (name?.split(/\s+/).some(begins) ?? false))
    .slice(0, maxOptions)
    .map(({ peer, name }) => ({ key: peer, insert: `@${peer} `, label: `@${peer}`, note: name ?? '' }));
}

/** What can be put at the caret; undefined: nothing. */
export function completionAt(text: string, caret: number, members: readonly Nameable[]): Completion | undefined {
  const before = text.slice(Math.max(0, caret - reach), caret);
  const member = memberForm.exec(before)?.[1];
  if (member !== undefined) {
    const options = memberOptions(member, members);
    return options.length === 0 ? undefined : { kind: 'member', from: caret - member.length - 1, options };
  }
  const emoji = emojiForm.exec(before)?.[1];
  if (emoji === undefined) return undefined;
  const options = findEmoji(emoji, maxOptions).map((one) => ({
    ...{ key: one.name, insert: `${one.emoji} `, label: one.emoji, note: `:${one.name}:` },
  }));
  return options.length === 0 ? undefined : { kind: 'emoji', from: caret - emoji.length - 1, options };
}

export interface TypedText {
  readonly text: string;
  readonly caret: number;
}

/** The text with an option in place of what was typed; a space that stands there already is not doubled. */
export function complete({ text, caret }: TypedText, from: number, insert: string): TypedText {
  const rest = text.slice(caret);
  const put = rest.startsWith(' ') && insert.endsWith(' ') ? insert.slice(0, -1) : insert;
  return { text: text.slice(0, from) + put + rest, caret: from + put.length + (put === insert ? 0 : 1) };
}

/** A name between two colons becomes its emoji as the second one is typed; undefined: nothing does. */
export function replaceNamedEmoji({ text, caret }: TypedText): TypedText | undefined {
  const name = wholeEmojiForm.exec(text.slice(Math.max(0, caret - reach), caret))?.[2];
  const emoji = namedEmoji.find((one) => one.name === name?.toLowerCase())?.emoji;
  if (name === undefined || emoji === undefined) return undefined;
  const from = caret - name.length - 2;
  return { text: text.slice(0, from) + emoji + text.slice(caret), caret: from + emoji.length };
}
