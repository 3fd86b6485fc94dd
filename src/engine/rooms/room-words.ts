/**
 * Words about rooms for people (protocol.md R10, product.md "Rooms").
 * Law: what others wrote is made visible, and a sentence says the true cause, who, and what can be done.
 */
import { signOf, visibleText } from '../../shared/base/visible-text.ts';
import type { RoomEventItem, UnopenedMessage } from '../../shared/contract/rooms-contract.ts';
import type { RoomEntryBody } from '../../shared/protocol/payload-room-log.ts';
import type { NotOpened } from './room-timeline.ts';

const hidden = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;
const joiner = '\u200d';
const pictograph = /\p{Extended_Pictographic}/u;
const maxLine = 200;

/** Whether a joiner stands between two signs that make one emoji of it. */
function joinsEmoji(text: string, at: number): boolean {
  const before = [...text.slice(Math.max(0, at - 4), at).replace(/\ufe0f|[\u{1f3fb}-\u{1f3ff}]/gu, '')].at(-1) ?? '';
  const after = String.fromCodePoint(text.codePointAt(at + 1) ?? 0x20);
  return pictograph.test(before) && (pictograph.test(after) || /[♀♂⚕]/u.test(after));
}

/** A message as it is shown: its lines, tabs and emoji stay, whatever else is hidden is shown as a sign. */
export function visibleMessage(text: string): string {
  return text.replace(hidden, (character, at: number, whole: string) => {
    if (character === '\n' || character === '\t') return character;
    return character === joiner && joinsEmoji(whole, at) ? character : signOf(character);
  });
}

/** The first line of a text that says something, cut. */
export function lineOf(text: string): string {
  const line = text.split('\n').find((one) => one.trim() !== '') ?? '';
  const characters = [...visibleMessage(line.slice(0, 4 * maxLine)).trim()];
  return characters.length > maxLine ? `${characters.slice(0, maxLine - 1).join('')}…` : characters.join('');
}

type Unopened = Pick<UnopenedMessage, 'cause' | 'canAskAgain'> & { readonly next: string };

const nothingToDo = 'It does not count, and nothing has to be done.';
const reSend = 'Ask its sender to send it again.';
const dishonest = 'Whoever publishes such messages is not to be trusted: tell the room’s owner.';
const askable = { canAskAgain: true } as const;
const final = { canAskAgain: false } as const;

const byCause: Readonly<Record<string, Unopened>> = {
  'no-key': {
    cause: 'no-key',
    ...askable,
    next: 'It opens by itself when the key comes; ask again for it if it does not.',
  },
  withheld: { cause: 'withheld', ...askable, next: 'Ask whoever withholds it why, then ask again for the key.' },
  replayed: { cause: 'replayed', ...final, next: nothingToDo },
  jumped: { cause: 'bad-form', ...final, next: reSend },
  'too-many-boots': { cause: 'bad-form', ...final, next: reSend },
  'old-epoch': { cause: 'wrong-epoch', ...final, next: reSend },
  'not-member': { cause: 'not-member', ...final, next: nothingToDo },
  closed: { cause: 'wrong-epoch', ...final, next: nothingToDo },
  'wrong-epoch': { cause: 'wrong-epoch', ...final, next: 'An honest sender sends it again under the key in force.' },
  'wrong-head': { cause: 'wrong-head', ...final, next: reSend },
  diverged: {
    cause: 'wrong-head',
    ...final,
    next: 'Compare with its sender what the members panel shows; one of you is shown another log.',
  },
  'other-envelope': { cause: 'bad-signature', ...final, next: dishonest },
  'wrong-room': { cause: 'bad-signature', ...final, next: dishonest },
  'bad-signature': { cause: 'bad-signature', ...final, next: dishonest },
  tampered: { cause: 'tampered', ...final, next: reSend },
  'bad-form': { cause: 'bad-form', ...final, next: nothingToDo },
};
const anyOther: Unopened = { cause: 'bad-form', ...final, next: nothingToDo };

/** Why a message could not be opened or does not count. `isBefore`: it was said before this peer came in. */
export function unopenedOf({ cause, detail }: NotOpened, isBefore: boolean): UnopenedMessage {
  const isKeyless = cause === 'no-key' || cause === 'withheld';
  if (isKeyless && isBefore) {
    const text = 'It was said before you came in; here a new member reads from its joining on.';
    return { cause: 'before-joining', text, canAskAgain: false };
  }
  const { next, ...known } = byCause[cause] ?? anyOther;
  return { ...known, text: `${visibleText(detail)} ${next}` };
}

/** A change of a message that nobody has here. */
export function unknownTarget(kind: string, peer: string): UnopenedMessage {
  const what = { edit: 'edited', redaction: 'took away', reaction: 'reacted to' }[kind] ?? 'speaks of';
  const text = `${visibleText(peer)} ${what} a message that is not here. ${nothingToDo}`;
  return { cause: 'unknown-target', text, canAskAgain: false };
}

const rekeyWords = {
  left: 'as somebody had left',
  age: 'as the last one was 7 days old',
  count: 'as the last one had sealed as much as one may',
  hand: 'by hand',
} as const;

/** Whose doing an entry is, by names that may be shown. */
export interface EntryNames {
  readonly by: string;
  readonly about: string;
}

type Told = Pick<RoomEventItem, 'event' | 'text'>;
type Body<T extends RoomEntryBody['type']> = Extract<RoomEntryBody, { readonly type: T }>;
type Tellers = { readonly [T in RoomEntryBody['type']]: (body: Body<T>, names: EntryNames) => Told };

const tellers: Tellers = {
  CREATE: ({ history }, { by }) => ({
    event: 'created',
    text: `${by} made this room. Who joins reads ${history === 'shared' ? 'all that was said' : 'from its joining on'}.`,
  }),
  INVITE: ({ role }, { by, about }) => ({
    event: 'invited',
    text: `${by} invited ${about}${role === 'moderator' ? ' as a moderator' : ''}.`,
  }),
  JOIN: (_body, { by }) => ({
    event: 'joined',
    text: `${by} joined. The key went a step on: it opens nothing before.`,
  }),
  DECLINE: (_body, { by }) => ({ event: 'declined', text: `${by} declined the invitation.` }),
  LEAVE: (_body, { by }) => ({ event: 'left', text: `${by} left. Whoever speaks next makes a new key first.` }),
  KICK({ commit, reason }, { by, about }) {
    const why = reason === undefined ? '' : ` Reason: ${visibleText(reason)}`;
    if (commit === undefined) return { event: 'withdrawn', text: `${by} took back the invitation of ${about}.${why}` };
    return { event: 'kicked', text: `${by} removed ${about} and made a new key, which ${about} does not get.${why}` };
  },
  ROLE({ role }, { by, about }) {
    const now = role === 'owner' ? `the owner; ${by} is a moderator now` : `a ${role}`;
    return { event: 'role', text: `${by} made ${about} ${now}.` };
  },
  REKEY: ({ cause }, { by }) => ({ event: 'rekeyed', text: `${by} made a new key, ${rekeyWords[cause]}.` }),
  TOPIC({ name, topic }, { by }) {
    const about = topic === '' ? 'no topic' : `the topic “${visibleText(topic)}”`;
    return { event: 'topic', text: `${by} gave the room the name “${visibleText(name)}” and ${about}.` };
  },
  CLOSE: (_body, { by }) => ({ event: 'closed', text: `${by} closed the room. What was said stays readable.` }),
};

/** What an entry of the log tells. */
export function tellEntry(body: RoomEntryBody, names: EntryNames): Told {
  const tell = tellers[body.type] as (of: RoomEntryBody, named: EntryNames) => Told;
  return tell(body, names);
}

const causeOfEpoch = {
  CREATE: (by: string) => `${by} made the room`,
  JOIN: (by: string) => `${by} joined`,
  KICK: (by: string) => `${by} removed somebody`,
  REKEY: (by: string) => `${by} made a new key`,
} as const;

/** Why an epoch began. */
export function epochCause(kind: keyof typeof causeOfEpoch, by: string): string {
  return causeOfEpoch[kind](visibleText(by));
}

/** What to do about a room that is stopped. */
export const troubleNext = {
  fork: 'Nothing more is sent. Tell whoever runs the membership service, and make a new room.',
  'rolled-back':
    'Nothing more is sent. Tell whoever runs the membership service: its store has lost or replaced what was there.',
  diverged: 'Nothing more is sent. Compare the members with whoever said it; one of you is shown another log.',
} as const;
