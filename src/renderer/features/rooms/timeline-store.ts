/**
 * The part of a room's timeline that is held here: read in pages, bounded, and where it is to be looked at next.
 * Law: what somebody looks at stays loaded while newer messages come; an answer to a question that was put aside is dropped.
 */
import { createStore, type StoreApi } from 'zustand/vanilla';
import { VakError } from '../../../shared/base/vak-error.ts';
import type { RoomItem, RoomPage } from '../../../shared/contract/rooms-contract.ts';
import type { Workbench } from '../../workbench.tsx';
import { keyOfItem } from './timeline-rows.ts';

/** Most items that are held, and so are in the page: one answer of the engine. */
export const maxItems = 200;
const pageItems = 60;

export type TimelineGoal = { readonly kind: 'end' } | { readonly kind: 'row'; readonly key: string };

export interface TimelineState {
  /** Oldest first. */
  readonly items: readonly RoomItem[];
  readonly hasOlder: boolean;
  readonly hasNewer: boolean;
  /** Of the last answer; −1: none came yet. */
  readonly version: number;
  readonly isLoading: 'page' | 'older' | 'newer' | undefined;
  /** Why the last page could not be read. */
  readonly error: unknown;
  /** Where the list has to go; undefined: it stays. */
  readonly goal: TimelineGoal | undefined;
  /** Place of the first message that was unread as the room was opened. */
  readonly firstUnreadSeq: number | null;
}

export interface Timeline {
  readonly store: StoreApi<TimelineState>;
  readonly room: string;
  older(): Promise<void>;
  newer(): Promise<void>;
  /** Reads what is held again, if that is older than `version`. */
  refresh(version: number): Promise<void>;
  /** To the newest. */
  toEnd(): Promise<void>;
  toUnread(): Promise<void>;
  /** Throws `not-found` if it is not in the timeline. */
  toMessage(messageId: string): Promise<void>;
  /** Whether the end is in sight, so that new messages are followed. */
  setFollowing(isFollowing: boolean): void;
  /** The list is where it had to go. */
  arrive(): void;
  /** The line above what was unread goes. */
  forgetUnread(): void;
}

export interface TimelineDeps {
  readonly room: string;
  readonly page: Workbench['client']['rooms']['page'];
  readonly firstUnreadSeq: number | null;
}

type Part = Omit<Parameters<TimelineDeps['page']>[0], 'room'>;

const seqsOf = (items: readonly RoomItem[]): readonly number[] =>
  items.flatMap(({ seq }) => (seq === null ? [] : [seq]));

/** Two pages that follow each other; an item that is in both stands once. */
function join(before: readonly RoomItem[], after: readonly RoomItem[]): readonly RoomItem[] {
  const known = new Set(before.map(keyOfItem));
  return [...before, ...after.filter((item) => !known.has(keyOfItem(item)))];
}

/** What is to be read to have the same span again. */
function spanOf({ items, hasNewer }: TimelineState, isFollowing: boolean): Part {
  const first = seqsOf(items)[0];
  if (first === undefined || (isFollowing && !hasNewer))
    return { limit: Math.min(maxItems, Math.max(pageItems, items.length)) };
  return { afterSeq: first - 1, limit: Math.min(maxItems, items.length + (hasNewer ? 0 : pageItems)) };
}

const empty = { items: [], hasOlder: false, hasNewer: false, version: -1, isLoading: undefined, error: undefined };

/** Creates it empty; `toEnd` or another goal reads the first page. */
export function createTimeline({ room, page, firstUnreadSeq }: TimelineDeps): Timeline {
  const store = createStore<TimelineState>(() => ({ ...empty, goal: undefined, firstUnreadSeq }));
  let isFollowing = true;
  /** Each question for other pages puts those before it aside. */
  let question = 0;
  let wantedVersion = -1;
  let isRefreshing = false;

  const read = (part: Part): Promise<RoomPage> => page({ room, ...part });

  async function load(
    kind: NonNullable<TimelineState['isLoading']>,
    ask: () => Promise<Partial<TimelineState>>,
  ): Promise<void> {
    const mine = ++question;
    store.setState({ isLoading: kind, error: undefined });
    try {
      const next = await ask();
      if (mine === question) store.setState({ ...next, isLoading: undefined });
    } catch (error) {
      if (mine !== question) return;
      store.setState({ isLoading: undefined, error });
    }
    if (mine === question) await catchUp();
  }

  /** A version that was told while something else was read. */
  async function catchUp(): Promise<void> {
    const { version, isLoading, error } = store.getState();
    if (isRefreshing || isLoading !== undefined || error !== undefined || version < 0 || version >= wantedVersion)
      return;
    const mine = question;
    isRefreshing = true;
    const wanted = wantedVersion;
    try {
      const span = spanOf(store.getState(), isFollowing);
      const { items, hasOlder, hasNewer, version: read_ } = await read(span);
      // One that is older than what was told would be asked for without end.
      if (mine === question) store.setState({ items, hasOlder, hasNewer, version: Math.max(read_, wanted) });
    } catch (failure) {
      if (mine === question) store.setState({ error: failure });
    } finally {
      isRefreshing = false;
    }
    await catchUp();
  }

  async function toEnd(): Promise<void> {
    isFollowing = true;
    const { version, hasNewer } = store.getState();
    if (version >= 0 && !hasNewer) {
      store.setState({ goal: { kind: 'end' } });
      return;
    }
    await load('page', async () => ({ ...(await read({ limit: pageItems })), goal: { kind: 'end' } }));
  }

  const rowOf = (messageId: string): TimelineGoal => ({ kind: 'row', key: `m:${messageId}` });
  const isHeld = (messageId: string): boolean =>
    store.getState().items.some((item) => item.kind === 'message' && item.messageId === messageId);

  return {
    store,
    room,
    async older() {
      const { hasOlder, isLoading, items } = store.getState();
      const first = seqsOf(items)[0];
      if (!hasOlder || isLoading !== undefined || first === undefined) return;
      await load('older', async () => {
        const before = await read({ beforeSeq: first, limit: pageItems });
        const now = store.getState();
        const all = join(before.items, now.items);
        const hasNewer = now.hasNewer || all.length > maxItems;
        return { items: all.slice(0, maxItems), hasOlder: before.hasOlder, hasNewer };
      });
    },
    async newer() {
      const { hasNewer, isLoading, items } = store.getState();
      const last = seqsOf(items).at(-1);
      if (!hasNewer || isLoading !== undefined || last === undefined) return;
      await load('newer', async () => {
        const after = await read({ afterSeq: last, limit: pageItems });
        const now = store.getState();
        const all = join(now.items, after.items);
        const hasOlder = now.hasOlder || all.length > maxItems;
        return { items: all.slice(-maxItems), hasOlder, hasNewer: after.hasNewer };
      });
    },
    async refresh(version) {
      const isNewer = version > wantedVersion;
      wantedVersion = Math.max(wantedVersion, version);
      const state = store.getState();
      // What failed may be otherwise now, and a room that was only just joined has not been read at all.
      if (state.error !== undefined && isNewer) store.setState({ error: undefined });
      if (state.version < 0 && state.isLoading === undefined && isNewer) await toEnd();
      else await catchUp();
    },
    toEnd,
    async toUnread() {
      const { firstUnreadSeq: unread, items } = store.getState();
      if (unread === null) return;
      isFollowing = false;
      const goal: TimelineGoal = { kind: 'row', key: 'unread' };
      const seqs = seqsOf(items);
      if ((seqs[0] ?? Number.POSITIVE_INFINITY) < unread && (seqs.at(-1) ?? 0) >= unread) {
        store.setState({ goal });
        return;
      }
      await load('page', async () => {
        const before = await read({ beforeSeq: unread, limit: pageItems / 2 });
        const after = await read({ afterSeq: unread - 1, limit: pageItems });
        const items = join(before.items, after.items);
        return { items, hasOlder: before.hasOlder, hasNewer: after.hasNewer, version: after.version, goal };
      });
    },
    async toMessage(messageId) {
      isFollowing = false;
      if (isHeld(messageId)) {
        store.setState({ goal: rowOf(messageId) });
        return;
      }
      await load('page', async () => {
        const around = await read({ around: messageId, limit: pageItems });
        const isThere = around.items.some((item) => item.kind === 'message' && item.messageId === messageId);
        if (!isThere) throw new VakError('not-found', 'the message is not in what this peer can read of the room');
        return { ...around, goal: rowOf(messageId) };
      });
    },
    setFollowing(next) {
      isFollowing = next;
    },
    arrive: () => store.setState({ goal: undefined }),
    forgetUnread: () => store.setState({ firstUnreadSeq: null }),
  };
}
