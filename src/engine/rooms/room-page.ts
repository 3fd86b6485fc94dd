/**
 * A page of a room's timeline: messages and what is told of the log, in the order of the stream (product.md "Rooms").
 * Law: a page has no gaps; older messages are read from the stream before a page says that there are none.
 */
import { VakError } from '../../shared/base/vak-error.ts';
import type { RoomEventItem, RoomItem, RoomPage } from '../../shared/contract/rooms-contract.ts';
import { messageItem, sendingItems } from './room-items.ts';
import type { RoomLoading } from './room-loading.ts';
import type { RoomPlace } from './room-place.ts';

/** What is asked for: as the call `page`. */
export interface PageQuestion {
  readonly limit: number;
  readonly beforeSeq?: number | undefined;
  readonly afterSeq?: number | undefined;
  readonly around?: string | undefined;
}

type StoredItem = RoomItem & { readonly seq: number };

/** How often a page goes on to look for messages when what it found only changes others. */
const maxLoads = 8;
const maxSearchLoads = 200;

const isBefore = (seq: number | undefined) => (one: { readonly seq: number }) => seq === undefined || one.seq < seq;

export interface RoomPagesDeps {
  readonly loading: Pick<RoomLoading, 'older' | 'isDone'>;
  readonly events: (place: RoomPlace) => readonly RoomEventItem[];
}

/** Creates the reader of pages. `version` of the answer is the caller's. */
export function createRoomPages({ loading, events }: RoomPagesDeps) {
  /** Events that lie where messages are in memory: before that messages may be missing. */
  function shownEvents(place: RoomPlace): readonly RoomEventItem[] {
    const { reader } = place.desk;
    const all = events(place);
    const first = reader.timeline().all()[0]?.seq;
    return reader.hasOlder() && first !== undefined ? all.filter(({ seq }) => seq >= first) : all;
  }

  function merge(messages: readonly StoredItem[], others: readonly RoomEventItem[]): StoredItem[] {
    return [...messages, ...others].sort((left, right) => left.seq - right.seq);
  }

  function storedAfter(place: RoomPlace, afterSeq: number, limit: number): readonly StoredItem[] {
    const timeline = place.desk.reader.timeline();
    const messages = timeline.slice({ afterSeq, limit }).map((one) => messageItem(place, one) as StoredItem);
    const others = shownEvents(place).filter(({ seq }) => seq > afterSeq);
    return merge(messages, others).slice(0, limit);
  }

  function storedBefore(place: RoomPlace, beforeSeq: number | undefined, limit: number): readonly StoredItem[] {
    const timeline = place.desk.reader.timeline();
    const range = beforeSeq === undefined ? { limit } : { beforeSeq, limit };
    const messages = timeline.slice(range).map((one) => messageItem(place, one) as StoredItem);
    return merge(messages, shownEvents(place).filter(isBefore(beforeSeq))).slice(-limit);
  }

  /** Loads until there are enough messages before a place, or no more. */
  async function fill(place: RoomPlace, { beforeSeq, limit }: PageQuestion, signal: AbortSignal): Promise<void> {
    const { desk } = place;
    const range = beforeSeq === undefined ? { limit } : { beforeSeq, limit };
    for (let loads = 0; loads < maxLoads && !loading.isDone(desk); loads++) {
      const missing = limit - desk.reader.timeline().slice(range).length;
      if (missing <= 0) return;
      await loading.older(desk, missing, signal);
    }
  }

  /** Loads until a place lies in memory. */
  async function reach(place: RoomPlace, isThere: () => boolean, signal: AbortSignal): Promise<void> {
    const { desk } = place;
    for (let loads = 0; loads < maxSearchLoads && !isThere() && !loading.isDone(desk); loads++)
      await loading.older(desk, 500, signal);
  }

  function hasAny(place: RoomPlace, range: { readonly beforeSeq: number } | { readonly afterSeq: number }): boolean {
    const { reader } = place.desk;
    const isInRange = ({ seq }: { readonly seq: number }): boolean =>
      'beforeSeq' in range ? seq < range.beforeSeq : seq > range.afterSeq;
    return reader.timeline().slice({ ...range, limit: 1 }).length > 0 || shownEvents(place).some(isInRange);
  }

  function pageOf(place: RoomPlace, stored: readonly StoredItem[]): Omit<RoomPage, 'version'> {
    const [first, last] = [stored[0]?.seq, stored.at(-1)?.seq];
    const { reader } = place.desk;
    const hasOlder = reader.hasOlder() || (first !== undefined && hasAny(place, { beforeSeq: first }));
    const hasNewer = last !== undefined && hasAny(place, { afterSeq: last });
    return { items: hasNewer ? stored : [...stored, ...sendingItems(place)], hasOlder, hasNewer };
  }

  async function around(
    place: RoomPlace,
    messageId: string,
    { limit, signal }: { limit: number; signal: AbortSignal },
  ) {
    const { reader } = place.desk;
    await reach(place, () => reader.timeline().byId(messageId) !== undefined, signal);
    const found = reader.timeline().byId(messageId);
    if (found === undefined)
      throw new VakError('not-found', 'page: no message of this id is in the room, as far as it can be read here');
    const half = Math.ceil(limit / 2);
    await fill(place, { beforeSeq: found.seq + 1, limit: half }, signal);
    const before = storedBefore(place, found.seq + 1, half);
    return pageOf(place, [...before, ...storedAfter(place, found.seq, limit - half)]);
  }

  return async (place: RoomPlace, question: PageQuestion, signal: AbortSignal): Promise<Omit<RoomPage, 'version'>> => {
    const { limit, beforeSeq, afterSeq } = question;
    if (question.around !== undefined) return await around(place, question.around, { limit, signal });
    if (afterSeq === undefined) {
      await fill(place, question, signal);
      return pageOf(place, storedBefore(place, beforeSeq, limit));
    }
    const { reader } = place.desk;
    await reach(place, () => (reader.timeline().all()[0]?.seq ?? Number.POSITIVE_INFINITY) <= afterSeq + 1, signal);
    return pageOf(place, storedAfter(place, afterSeq, limit));
  };
}
