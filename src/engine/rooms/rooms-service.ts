/**
 * Rooms as a window asks for them (product.md "Rooms", protocol.md §7).
 * Law: what changes a room is an entry that its log may refuse, or a message that is kept until it is stored; nothing leaves here but texts
 * that were made visible.
 */
import { isVakError, VakError } from '../../shared/base/vak-error.ts';
import type { AppContract } from '../../shared/contract/app-contract.ts';
import type { Services } from '../../shared/contract/define-contract.ts';
import type { RoomContent } from '../../shared/protocol/room-content.ts';
import type { SettingsFile } from '../settings/settings-file.ts';
import type { CardBoxes } from './card-boxes.ts';
import type { OpenedRooms } from './operator-rooms.ts';
import type { RoomChange } from './room-commits.ts';
import type { createRoomFinding } from './room-finding.ts';
import type { RoomMedia } from './room-media-calls.ts';
import type { createRoomPages } from './room-page.ts';
import { membersOf, readersOf } from './room-people.ts';
import type { RoomPlace } from './room-place.ts';
import type { RoomSummaries } from './room-summary.ts';

type Calls = Services<AppContract>['rooms'];

export interface RoomsServiceDeps {
  /** Throws why there are none. */
  readonly opened: () => OpenedRooms;
  readonly cards: Pick<CardBoxes, 'find'>;
  readonly summaries: Pick<RoomSummaries, 'versionOf'>;
  readonly pages: ReturnType<typeof createRoomPages>;
  readonly finding: ReturnType<typeof createRoomFinding>;
  readonly media: RoomMedia;
  readonly settings: Pick<SettingsFile, 'settings' | 'set'>;
  /** Asks for a card's file and pins what is in it. */
  readonly addCardFile: Services<AppContract>['access']['addCardFile'];
  /** When a peer was heard last, ms since the epoch. */
  readonly heardMs: (peer: string) => number | undefined;
  /** Something was changed that the rooms do not tell of themselves. */
  readonly onChange: () => void;
}

/** All rooms of an opening, as they are looked at. */
export function placesOf({ rooms, peer, sign }: OpenedRooms, cards: RoomPlace['cards']): readonly RoomPlace[] {
  return rooms.list().map((desk) => ({ desk, me: { peer, sign }, cards }));
}

function noService(cause: VakError): VakError {
  const message =
    'rooms: nobody orders the logs of rooms here, so nothing can change in them; start vak membershipd on this connection, or use the embedded engine';
  return new VakError('no-responders', message, { cause, retryable: true });
}

/** Says what it means that nobody answers. */
async function asked<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw isVakError(error, 'no-responders') ? noService(error) : error;
  }
}

type PlaceOf = (room: string) => RoomPlace;

interface Doing {
  readonly placeOf: PlaceOf;
  commit(room: string, change: RoomChange, subject?: string): Promise<void>;
  say(room: string, content: RoomContent): Promise<string>;
}

function createDoing(placeOf: PlaceOf): Doing {
  return {
    placeOf,
    async commit(room, change, subject) {
      const { desk } = placeOf(room);
      await asked(desk.commit(change, subject === undefined ? {} : { subject }));
    },
    async say(room, content) {
      const { desk } = placeOf(room);
      const messageId = await desk.sender.say(content);
      desk.lookSoon();
      return messageId;
    },
  };
}

/** The log's changes. */
function membershipCalls({ opened, cards, addCardFile }: RoomsServiceDeps, { placeOf, commit }: Doing) {
  /** Key of a peer that may be let in. */
  function keyOf(peer: string): string {
    const card = cards.find(peer);
    if (card === undefined) {
      const message = `invite: no card of ${peer} is known here; ask it for its card (vak id card) and add it, or invite it from its file`;
      throw new VakError('not-found', message, { details: { peer } });
    }
    if (card.state !== 'blocked' && card.state !== 'changed') return card.sign;
    const why =
      card.state === 'blocked' ? 'you blocked it' : 'a card with another signing key came, and nobody has accepted it';
    throw new VakError(
      'forbidden',
      `invite: nothing is sent to ${peer}: ${why}; compare its safety number first (Identity & access)`,
    );
  }

  const invite: Calls['invite'] = async ({ room, peer, role }) => {
    const sign = keyOf(peer);
    await commit(room, { type: 'INVITE', peer, role }, sign);
    await opened().rooms.exchange.invite(placeOf(room).desk.reader.log(), peer);
  };

  return {
    async create({ name, topic, history }) {
      const desk = await asked(opened().rooms.create({ name, topic, history }));
      desk.lookSoon();
      return { room: desk.room };
    },
    join: ({ room }) => commit(room, { type: 'JOIN', peer: placeOf(room).me.peer }),
    decline: ({ room }) => commit(room, { type: 'DECLINE' }),
    async leave({ room }) {
      const { desk, me } = placeOf(room);
      if (desk.reader.log().standing()?.members.get(me.sign)?.role === 'owner')
        throw new VakError(
          'forbidden',
          'leave: you are its owner; make somebody else the owner first, or close the room',
        );
      await commit(room, { type: 'LEAVE' });
    },
    close: ({ room }) => commit(room, { type: 'CLOSE' }),
    setTopic: ({ room, name, topic }) => commit(room, { type: 'TOPIC', name, topic }),
    invite,
    async inviteFromFile({ room }, context) {
      placeOf(room);
      const { peer } = await addCardFile({}, context);
      await invite({ room, peer, role: 'member' }, context);
      return { peer };
    },
    kick: ({ room, sign, reason }) => commit(room, { type: 'KICK', ...(reason === undefined ? {} : { reason }) }, sign),
    setRole: ({ room, sign, role }) => commit(room, { type: 'ROLE', role }, sign),
    rotate: ({ room }) => commit(room, { type: 'REKEY', cause: 'hand' }),
  } satisfies Partial<Calls>;
}

/** What is said. */
function messageCalls({ placeOf, say }: Doing) {
  /** What is to be changed must be there; who may change it its readers judge by the log, so that is said before. */
  function target(room: string, messageId: string, isOwnOnly: boolean): void {
    const { desk, me } = placeOf(room);
    const message = desk.reader.timeline().byId(messageId);
    if (message === undefined) throw new VakError('not-found', 'room: no message of this id is there');
    if (message.sign === me.sign) return;
    const role = desk.reader.log().standing()?.members.get(me.sign)?.role;
    const mayLead = role === 'owner' || role === 'moderator';
    if (isOwnOnly) throw new VakError('forbidden', 'edit: only its author can change a message');
    if (!mayLead)
      throw new VakError('forbidden', 'redact: only its author, the owner and moderators can take a message away');
  }

  return {
    async send({ room, text, replyTo }) {
      const content: RoomContent =
        replyTo === undefined ? { kind: 'text', text } : { kind: 'reply', target: replyTo, text };
      return { messageId: await say(room, content) };
    },
    async edit({ room, messageId, text }) {
      target(room, messageId, true);
      await say(room, { kind: 'edit', target: messageId, text });
    },
    async redact({ room, messageId, reason }) {
      target(room, messageId, false);
      await say(room, { kind: 'redaction', target: messageId, ...(reason === undefined ? {} : { reason }) });
    },
    async react({ room, messageId, emoji, isOff }) {
      await say(room, { kind: 'reaction', target: messageId, emoji, ...(isOff ? { isOff } : {}) });
    },
    cancelSending: ({ room, messageId }) => placeOf(room).desk.sender.cancel(messageId),
    async retrySending({ room, messageId }) {
      const { desk } = placeOf(room);
      await desk.sender.retry(messageId);
      desk.lookSoon();
    },
  } satisfies Partial<Calls>;
}

/** What this peer keeps for itself. */
function markCalls({ settings, onChange }: RoomsServiceDeps, { placeOf }: Doing) {
  async function keep(
    room: string,
    change: Partial<{ markSeq: number; isMuted: boolean; draft: string }>,
  ): Promise<void> {
    await placeOf(room).desk.file.update((kept) => ({ ...kept, ...change }));
    onChange();
  }

  return {
    async markRead({ room, seq }) {
      const { desk } = placeOf(room);
      const markSeq = Math.min(seq, desk.reader.readSeq());
      if (markSeq <= desk.file.read().markSeq) return;
      await keep(room, { markSeq });
      desk.presence.markRead(markSeq);
    },
    setMuted: ({ room, isMuted }) => keep(room, { isMuted }),
    setDraft: ({ room, text: draft }) => keep(room, { draft }),
    setTyping: ({ room, isTyping }) => placeOf(room).desk.presence.setTyping(isTyping),
    async setPresence({ sendsReceipts, sendsTyping }) {
      const { receipts, typing } = settings.settings().rooms;
      if (receipts !== sendsReceipts) await settings.set('rooms.receipts', sendsReceipts);
      if (typing !== sendsTyping) await settings.set('rooms.typing', sendsTyping);
    },
  } satisfies Partial<Calls>;
}

/** What is asked. */
function readingCalls(deps: RoomsServiceDeps, { placeOf }: Doing) {
  const { opened, cards, summaries, pages, finding, heardMs } = deps;
  return {
    members({ room }) {
      const place = placeOf(room);
      const withheld = opened().rooms.exchange.withheldFrom(place.desk.reader.log());
      return { version: summaries.versionOf(place), members: membersOf(place, { withheld, heardMs }) };
    },
    async page({ room, ...question }, { signal }) {
      const place = placeOf(room);
      const version = summaries.versionOf(place);
      return { version, ...(await pages(place, question, signal)) };
    },
    whoCanRead: ({ room, messageId }) => readersOf(placeOf(room), messageId),
    async requestKeys({ room }) {
      const { desk } = placeOf(room);
      await desk.requestKeys();
      desk.lookSoon();
    },
    search: ({ room, text, limit }, { signal }) =>
      finding(room === undefined ? placesOf(opened(), cards) : [placeOf(room)], { text, limit }, signal),
  } satisfies Partial<Calls>;
}

/** Creates the calls. Each throws `locked`, `disconnected`, `not-found` for a room that this peer is not in, and what is said at it. */
export function createRoomsService(deps: RoomsServiceDeps): Calls {
  const { opened, cards, media } = deps;
  const doing = createDoing((room) => {
    const { rooms, peer, sign } = opened();
    return { desk: rooms.get(room), me: { peer, sign }, cards };
  });
  const { placeOf } = doing;
  return {
    ...membershipCalls(deps, doing),
    ...messageCalls(doing),
    ...markCalls(deps, doing),
    ...readingCalls(deps, doing),
    attach: ({ room, text }, { signal }) => media.attach(placeOf(room), text, signal),
    attachChosen: ({ room, choiceId }) => media.attachChosen(placeOf(room), choiceId),
    attachBytes: ({ room, ...file }, { signal }) => media.attachBytes(placeOf(room), file, signal),
    saveAttachment: ({ room, messageId }, { signal }) => media.save(placeOf(room), messageId, signal),
    preview: ({ room, messageId }, { signal }) => media.preview(placeOf(room), messageId, signal),
    cancelTransfer: ({ transferId }) => media.cancel(transferId),
  };
}
