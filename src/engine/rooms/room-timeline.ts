/**
 * What was said in a room, put together: edits, redactions, reactions and replies with what they are about (protocol.md R11, R35).
 * Law: order is the stream's alone, whatever order things became known in; what somebody may not change stays as it was.
 */
import type { MessageKind } from '../../shared/protocol/payload-rooms.ts';
import type { ContentOf, RoomContent } from '../../shared/protocol/room-content.ts';

/** Why a message does not count or could not be opened, and what to say about it. */
export interface NotOpened {
  readonly cause: string;
  readonly detail: string;
}

/** A message at its place. `content`: opened; without, `notOpened` says why. `isCounted`: it was refused for nothing (R34). Times in ms since the epoch. */
export interface TimelineMessage {
  readonly seq: number;
  readonly atMs: number;
  readonly messageId: string;
  readonly kind: MessageKind;
  /** Name and key of the sender, as the log has them there. */
  readonly peer: string;
  readonly sign: string;
  readonly epoch: number;
  readonly isCounted: boolean;
  readonly content?: RoomContent;
  readonly notOpened?: NotOpened;
}

/** Whether a message counts and only its key is missing: with it, it can be opened. What another key sealed never opens. */
export function lacksKey({ isCounted, notOpened }: Pick<TimelineMessage, 'isCounted' | 'notOpened'>): boolean {
  return isCounted && (notOpened?.cause === 'no-key' || notOpened?.cause === 'withheld');
}

/** A message as it is to be shown: what was said about it later is in it. */
export interface ShownMessage {
  readonly message: TimelineMessage;
  /** As it reads now; undefined where it could not be opened, was redacted, or has no words. */
  readonly text: string | undefined;
  readonly attachment: ContentOf<'attachment'> | undefined;
  readonly editedMs: number | undefined;
  readonly redacted: { readonly peer: string; readonly reason: string | undefined } | undefined;
  /** By emoji, in the order of their coming. */
  readonly reactions: readonly { readonly emoji: string; readonly peers: readonly string[] }[];
  /** What it answers; `message` undefined: it is not known here. */
  readonly replyTo: { readonly messageId: string; readonly message: TimelineMessage | undefined } | undefined;
}

/** How much lies in memory at most: messages, and characters of them. */
export interface TimelineBound {
  readonly count: number;
  readonly weight: number;
}

export interface RoomTimeline {
  /** Puts a message at its place; one of the same place takes its place (its key came). */
  put(message: TimelineMessage): void;
  at(seq: number): TimelineMessage | undefined;
  /** Messages that stand for themselves, oldest first, `limit` at most: the last ones before a place, or the first ones after one. */
  slice(range: {
    readonly beforeSeq?: number;
    readonly afterSeq?: number;
    readonly limit: number;
  }): readonly ShownMessage[];
  byId(messageId: string): TimelineMessage | undefined;
  shown(message: TimelineMessage): ShownMessage;
  /** Everything that lies in memory, in order. */
  all(): readonly TimelineMessage[];
  fits(bound: TimelineBound): boolean;
  /** The oldest ones give way until the rest fits; those that did. */
  keepNewest(bound: TimelineBound): readonly TimelineMessage[];
  /** Rises with each change. */
  version(): number;
}

export interface TimelineDeps {
  /** Whether the holder of a key was owner or moderator at a place. */
  readonly leads: (sign: string, seq: number) => boolean;
  /** Whether everything from this peer's first message on lies here: only then a target that is not here is not there. */
  readonly isWhole: () => boolean;
}

/** Reactions that one member has on a message at once; what it adds then does not count until it takes one back. */
const maxReactionsEach = 20;

type Targeted = Extract<RoomContent, { readonly target: string }>;
type Change = TimelineMessage & { readonly content: Exclude<Targeted, { readonly kind: 'reply' }> };

function isChange(message: TimelineMessage): message is Change {
  return message.content !== undefined && ['edit', 'redaction', 'reaction'].includes(message.content.kind);
}

/** Where a place is, or would be, in a list ordered by place. */
function placeOf(list: readonly { readonly seq: number }[], seq: number): number {
  let [low, high] = [0, list.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((list[middle]?.seq ?? 0) < seq) low = middle + 1;
    else high = middle;
  }
  return low;
}

function insert<T extends { readonly seq: number }>(list: T[], one: T): void {
  const at = placeOf(list, one.seq);
  list.splice(at, list[at]?.seq === one.seq ? 1 : 0, one);
}

function wordsOf(content: RoomContent | undefined): string | undefined {
  return content !== undefined && 'text' in content ? content.text : undefined;
}

/** Characters of a message, about. */
const weightOf = (message: TimelineMessage | undefined): number => 512 + (wordsOf(message?.content)?.length ?? 0);

/** Creates an empty one. */
export function createRoomTimeline({ leads, isWhole }: TimelineDeps): RoomTimeline {
  const messages: TimelineMessage[] = [];
  const byId = new Map<string, TimelineMessage>();
  /** What was said about a message, by its id, in the order of the stream. */
  const changes = new Map<string, Change[]>();
  let weight = 0;
  let version = 0;

  /** Of several of one id the first that counts is meant: whoever takes an id that was there takes nothing over (R36). */
  function isMeant(message: TimelineMessage, known: TimelineMessage | undefined): boolean {
    if (known === undefined || known.seq === message.seq) return true;
    return message.isCounted && (!known.isCounted || message.seq < known.seq);
  }

  function remember(message: TimelineMessage): void {
    weight += weightOf(message);
    if (isMeant(message, byId.get(message.messageId))) byId.set(message.messageId, message);
    if (!isChange(message)) return;
    const about = changes.get(message.content.target) ?? [];
    insert(about, message);
    changes.set(message.content.target, about);
  }

  function forget(message: TimelineMessage): void {
    weight -= weightOf(message);
    if (byId.get(message.messageId) === message) byId.delete(message.messageId);
    if (!isChange(message)) return;
    const about = changes.get(message.content.target) ?? [];
    const at = placeOf(about, message.seq);
    if (about[at]?.seq === message.seq) about.splice(at, 1);
    if (about.length === 0) changes.delete(message.content.target);
  }

  /** Whether it is shown by itself: what changes another message is shown there. */
  function standsAlone(message: TimelineMessage): boolean {
    if (message.notOpened !== undefined || !isChange(message)) return true;
    return isWhole() && !byId.has(message.content.target);
  }

  function reactionsTo(about: readonly Change[]): ShownMessage['reactions'] {
    const byEmoji = new Map<string, Map<string, string>>();
    const counts = new Map<string, number>();
    for (const { content, sign, peer } of about) {
      if (content.kind !== 'reaction') continue;
      const peers = byEmoji.get(content.emoji) ?? new Map<string, string>();
      byEmoji.set(content.emoji, peers);
      const count = counts.get(sign) ?? 0;
      if (content.isOff === true) counts.set(sign, count - Number(peers.delete(sign)));
      else if (!peers.has(sign) && count < maxReactionsEach) {
        peers.set(sign, peer);
        counts.set(sign, count + 1);
      }
    }
    const lists = Array.from(byEmoji, ([emoji, peers]) => ({ emoji, peers: [...peers.values()] }));
    return lists.filter(({ peers }) => peers.length > 0);
  }

  /** Whether somebody may take a message away: its author, and who leads the room. */
  function mayRedact({ sign, seq }: TimelineMessage, message: TimelineMessage): boolean {
    return sign === message.sign || leads(sign, seq);
  }

  function redactionOf(about: readonly Change[], message: TimelineMessage): ShownMessage['redacted'] {
    for (const one of about) {
      if (one.content.kind === 'redaction' && mayRedact(one, message))
        return { peer: one.peer, reason: one.content.reason };
    }
    return undefined;
  }

  function replyOf(content: RoomContent | undefined): ShownMessage['replyTo'] {
    if (content?.kind !== 'reply') return undefined;
    return { messageId: content.target, message: byId.get(content.target) };
  }

  function shown(message: TimelineMessage): ShownMessage {
    const { content, sign } = message;
    const about = byId.get(message.messageId) === message ? (changes.get(message.messageId) ?? []) : [];
    const redacted = redactionOf(about, message);
    const replyTo = replyOf(content);
    if (redacted !== undefined) {
      const nothing = { text: undefined, attachment: undefined, editedMs: undefined };
      return { ...nothing, message, redacted, reactions: [], replyTo };
    }
    const edit = about.findLast((one) => one.content.kind === 'edit' && one.sign === sign);
    return {
      ...{ message, redacted, replyTo, editedMs: edit?.atMs, reactions: reactionsTo(about) },
      text: wordsOf(edit?.content) ?? wordsOf(content),
      attachment: content?.kind === 'attachment' ? content : undefined,
    };
  }

  /** Goes from a place in one direction until there are enough. */
  function gather(from: number, step: 1 | -1, limit: number): TimelineMessage[] {
    const found: TimelineMessage[] = [];
    for (let at = from; found.length < limit; at += step) {
      const message = messages[at];
      if (message === undefined) break;
      if (standsAlone(message)) found.push(message);
    }
    return step === 1 ? found : found.reverse();
  }

  return {
    put(message) {
      const known = messages[placeOf(messages, message.seq)];
      if (known?.seq === message.seq) forget(known);
      insert(messages, message);
      remember(message);
      version++;
    },
    at(seq) {
      const message = messages[placeOf(messages, seq)];
      return message?.seq === seq ? message : undefined;
    },
    slice({ beforeSeq, afterSeq, limit }) {
      const found =
        afterSeq === undefined
          ? gather(placeOf(messages, beforeSeq ?? Number.POSITIVE_INFINITY) - 1, -1, limit)
          : gather(placeOf(messages, afterSeq + 1), 1, limit);
      return found.map(shown);
    },
    byId: (messageId) => byId.get(messageId),
    shown,
    all: () => messages,
    fits: (bound) => messages.length < bound.count && weight < bound.weight,
    keepNewest(bound) {
      let [goneCount, left] = [0, weight];
      while (messages.length - goneCount > bound.count || (left > bound.weight && goneCount < messages.length)) {
        left -= weightOf(messages[goneCount]);
        goneCount++;
      }
      const gone = messages.splice(0, goneCount);
      for (const message of gone) forget(message);
      if (gone.length > 0) version++;
      return gone;
    },
    version: () => version,
  };
}
