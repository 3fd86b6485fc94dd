/**
 * What a session's model said, put together from its tokens, what it thought apart from what it answered; each token knows its time.
 * Law: bounded, the oldest text gives way and is counted; tokens that never came are named where they are missing, one that comes twice
 * is shown once.
 */
import type { TokenDelta } from './session-payloads.ts';

/** Text that is kept, in UTF-16 units. */
export const maxTokenText = 1024 * 1024;
/** Tokens that are kept. */
export const maxTokens = 50_000;
/** Longest text of one block, in UTF-16 units: only the last block is drawn anew when a token comes. */
const blockLength = 2_048;

interface Token {
  readonly atMs: number;
  readonly text: string;
}
/** A stretch of one channel; `missingCount`: tokens that never came just before it. */
export interface TokenBlock {
  /** Of no other block. */
  readonly id: number;
  readonly channel: TokenDelta['channel'];
  readonly text: string;
  readonly missingCount: number;
}
/** How the tokens up to a time came. */
export interface TokenTiming {
  readonly count: number;
  /** The last of them: its text, when it came, and how long it was waited for; undefined: there is none. */
  readonly last: (Token & { readonly waitMs: number | undefined }) | undefined;
  /** Over all of them; undefined while they are too few to say. */
  readonly perSecond: number | undefined;
  readonly longestWaitMs: number;
}
/** What was said up to a time. */
export interface TokenReading {
  readonly blocks: readonly TokenBlock[];
  readonly timing: TokenTiming;
  /** UTF-16 units that gave way to newer text. */
  readonly forgottenLength: number;
}

export interface TokenLog {
  /** Tokens of both channels that are kept. */
  readonly count: number;
  add(delta: TokenDelta, atMs: number): void;
  /** What was said up to `atMs`; undefined: all of it. */
  read(atMs: number | undefined): TokenReading;
}

interface Block {
  readonly id: number;
  readonly channel: TokenDelta['channel'];
  readonly missingCount: number;
  readonly tokens: Token[];
  length: number;
  /** Its text as a whole; undefined until it is asked for. */
  whole: TokenBlock | undefined;
}

function wholeOf(block: Block): TokenBlock {
  const { id, channel, missingCount, tokens } = block;
  block.whole ??= { id, channel, missingCount, text: tokens.map(({ text }) => text).join('') };
  return block.whole;
}

function upTo(block: Block, atMs: number): TokenBlock | undefined {
  const { id, channel, missingCount, tokens } = block;
  if ((tokens.at(-1)?.atMs ?? 0) <= atMs) return wholeOf(block);
  const said = tokens.filter((token) => token.atMs <= atMs);
  return said.length === 0 ? undefined : { id, channel, missingCount, text: said.map(({ text }) => text).join('') };
}

function timingOf(tokens: readonly Token[]): TokenTiming {
  let longestWaitMs = 0;
  for (let at = 1; at < tokens.length; at++) {
    longestWaitMs = Math.max(longestWaitMs, (tokens[at] as Token).atMs - (tokens[at - 1] as Token).atMs);
  }
  const last = tokens.at(-1);
  const before = tokens.at(-2);
  const spanMs = (last?.atMs ?? 0) - (tokens[0]?.atMs ?? 0);
  return {
    count: tokens.length,
    last: last && { ...last, waitMs: before === undefined ? undefined : last.atMs - before.atMs },
    perSecond: spanMs > 0 ? ((tokens.length - 1) * 1000) / spanMs : undefined,
    longestWaitMs,
  };
}

/** Creates an empty log. */
export function createTokenLog(): TokenLog {
  const blocks: Block[] = [];
  const nextIndex = new Map<TokenDelta['channel'], number>();
  let nextId = 0;
  let length = 0;
  let count = 0;
  let forgottenLength = 0;
  let newestMs = 0;

  function blockFor(channel: TokenDelta['channel'], missingCount: number): Block {
    const last = blocks.at(-1);
    if (last?.channel === channel && missingCount === 0 && last.length < blockLength) return last;
    const block: Block = { id: nextId++, channel, missingCount, tokens: [], length: 0, whole: undefined };
    blocks.push(block);
    return block;
  }

  function forgetOldest(): void {
    while (blocks.length > 1 && (length > maxTokenText || count > maxTokens)) {
      const gone = blocks.shift() as Block;
      length -= gone.length;
      count -= gone.tokens.length;
      forgottenLength += gone.length;
    }
  }

  return {
    get count() {
      return count;
    },
    add({ channel, index, text }, atMs) {
      const expected = nextIndex.get(channel) ?? index;
      // A channel that begins anew counts from 0 again.
      if (index < expected && index !== 0) return;
      nextIndex.set(channel, index + 1);
      newestMs = Math.max(newestMs, atMs);
      const block = blockFor(channel, Math.max(0, index - expected));
      block.tokens.push({ atMs: newestMs, text });
      block.length += text.length;
      block.whole = undefined;
      length += text.length;
      count++;
      forgetOldest();
    },
    read(atMs) {
      const said = atMs === undefined ? blocks.map(wholeOf) : blocks.flatMap((block) => upTo(block, atMs) ?? []);
      const tokens = blocks.flatMap((block) => block.tokens);
      const timed = atMs === undefined ? tokens : tokens.filter((token) => token.atMs <= atMs);
      return { blocks: said, timing: timingOf(timed), forgottenLength };
    },
  };
}
