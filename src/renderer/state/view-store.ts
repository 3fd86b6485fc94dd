/**
 * What only this window knows: view, layout, selection (architecture.md §4). All but the selection survives a restart.
 * Theme and time zone are copies for the first paint; the settings file owns them (look-settings.ts).
 */
import { createStore, type StoreApi } from 'zustand/vanilla';
import { type Grouping, groupings } from '../../shared/filter/letter-filter.ts';
import { type Bookmark, bookmarksOf, type MessageRef } from './bookmarks.ts';

/** The nine views of the left rail, in order of ⌘/Ctrl+1…9. */
export const viewIds = [
  'operations',
  'streams',
  'queues',
  'dead-letters',
  'trace',
  'approvals',
  'rooms',
  'identity',
  'settings',
] as const;
export type ViewId = (typeof viewIds)[number];
export type ThemeChoice = 'system' | 'light' | 'dark';
export type TimeZoneChoice = 'utc' | 'local';
export type StreamsMode = 'messages' | 'session';
/** Parts of Identity & access, in the order of their tabs. */
export const identityTabIds = ['self', 'grants', 'peers', 'what-if'] as const;
export type IdentityTab = (typeof identityTabIds)[number];
export type TracePage = 'trace' | 'chains';
/** What Streams is to show next. */
export type WantedInStreams =
  | { readonly kind: 'message'; readonly seq: number }
  /** The newest place in the table where messages are missing. */
  | { readonly kind: 'dropped' | 'outage' }
  | { readonly kind: 'session' };
/** What another view is to show next; whoever shows it takes it away. */
export type Wanted =
  | WantedInStreams
  | { readonly kind: 'quarantine' | 'connections' }
  /** With what became of one task; null: with what waits. */
  | { readonly kind: 'incident'; readonly id: string }
  | { readonly kind: 'queue'; readonly queue: string; readonly taskId: string | null }
  /** A setting by its key, or a part of the page by its name. */
  | { readonly kind: 'setting'; readonly key: string }
  /** Those that a filter finds. */
  | { readonly kind: 'letters'; readonly filter: string }
  /** The trace that an envelope is of. */
  | { readonly kind: 'trace'; readonly envelopeId: string }
  /** A peer with its keys, in Identity & access. */
  | { readonly kind: 'peer'; readonly peer: string }
  /** A room, at one of its messages; null: where it was left. */
  | { readonly kind: 'room'; readonly room: string; readonly messageId: string | null }
  /** Null: the one that has waited longest. */
  | { readonly kind: 'approvals'; readonly requestId: string | null };

export interface ViewState {
  readonly view: ViewId;
  readonly theme: ThemeChoice;
  readonly timeZone: TimeZoneChoice;
  readonly isInspectorOpen: boolean;
  /** The session that the streams view shows; null: all of them. It is kept where it stands open as a session. */
  readonly selectedSession: string | null;
  /** The durable stream that the streams view shows; null: what is heard live. Streams belong to a connection, so it is not kept. */
  readonly selectedStream: string | null;
  /** Sessions that stand open side by side, in the order in which they were opened; at most 40. Their peers may live on. */
  readonly openSessions: readonly string[];
  /** The time that is shown of a session, ms since the epoch, where it is not now. */
  readonly sessionCursors: Readonly<Record<string, number>>;
  /** What the Streams view shows of a session: its messages, or its terminal, charts and tasks. */
  readonly streamsMode: StreamsMode;
  /** Asked of a view that was not shown yet; not kept. */
  readonly wanted: Wanted | null;
  /** The queue that has the cursor, and whether its detail is open. */
  readonly selectedQueue: string | null;
  readonly isQueueOpen: boolean;
  /** `lag`, `-lag`: the column that queues are sorted by, `-` from the largest on. */
  readonly queueOrder: string;
  readonly queueFilter: string;
  readonly identityTab: IdentityTab;
  /** The trace that is shown; null: none is. */
  readonly selectedTrace: string | null;
  /** What the Trace view shows: a trace, or the chains of sources; and the source whose chain is looked at. */
  readonly tracePage: TracePage;
  readonly selectedChain: string | null;
  /** The room that is shown, and whether its members are listed beside it. */
  readonly selectedRoom: string | null;
  readonly isRoomMembersOpen: boolean;
  /** What finds messages in Streams. */
  readonly messageFilter: string;
  /** What finds dead letters, and what they are put together by. */
  readonly letterFilter: string;
  readonly letterGrouping: Grouping;
  /** Messages that were marked to be found again, the newest first. */
  readonly bookmarks: readonly Bookmark[];
  /** The message that others are compared with; not kept. */
  readonly comparedTo: MessageRef | null;
  /** What was typed and not sent yet, by the name of its form; no secret belongs here. */
  readonly drafts: Readonly<Record<string, string>>;
  /** Widths that were dragged, in px, by the name of the panel or column. */
  readonly sizesPx: Readonly<Record<string, number>>;
  /** How far lists and pages are scrolled, in px, by their names. */
  readonly scrollsPx: Readonly<Record<string, number>>;
  /** Where features were left, by their names: JSON that kept-place.ts writes and reads. */
  readonly places: Readonly<Record<string, string>>;
}

const defaults: ViewState = {
  view: 'operations',
  theme: 'system',
  timeZone: 'utc',
  isInspectorOpen: true,
  selectedSession: null,
  selectedStream: null,
  openSessions: [],
  sessionCursors: {},
  streamsMode: 'messages',
  wanted: null,
  selectedQueue: null,
  isQueueOpen: false,
  queueOrder: 'name',
  queueFilter: '',
  identityTab: 'self',
  selectedTrace: null,
  tracePage: 'trace',
  selectedChain: null,
  selectedRoom: null,
  isRoomMembersOpen: false,
  messageFilter: '',
  letterFilter: '',
  letterGrouping: 'cause',
  bookmarks: [],
  comparedTo: null,
  drafts: {},
  sizesPx: {},
  scrollsPx: {},
  places: {},
};
/** Longest text of a place. */
export const maxPlaceLength = 4_096;
const maxScrollPx = 100_000_000;
/** Longest text of a filter or draft that is kept, in UTF-16 units. */
const maxTextLength = 65_536;
const storageKey = 'view-state-v1';

/** The value if it is one of those. */
export function oneOf<T extends string>(value: unknown, allowed: readonly T[], fallback: T): T {
  return allowed.includes(value as T) ? (value as T) : fallback;
}

function sizesOf(value: unknown, mostPx = 10_000): Readonly<Record<string, number>> {
  if (typeof value !== 'object' || value === null) return {};
  const isSize = (entry: [string, unknown]): entry is [string, number] =>
    typeof entry[1] === 'number' && entry[1] > 0 && entry[1] < mostPx;
  return Object.fromEntries(Object.entries(value).filter(isSize));
}

/** Most sessions that stand open at once. */
export const maxOpenSessions = 40;
const maxSessionLength = 64;

function openSessionsOf(value: unknown): readonly string[] {
  if (!Array.isArray(value)) return [];
  const isSession = (one: unknown): one is string =>
    typeof one === 'string' && one !== '' && one.length <= maxSessionLength;
  return [...new Set(value.filter(isSession))].slice(0, maxOpenSessions);
}

/** The times of sessions that stand open still. */
function cursorsOf(value: unknown, open: readonly string[]): Readonly<Record<string, number>> {
  if (typeof value !== 'object' || value === null) return {};
  const isKept = ([session, atMs]: [string, unknown]): boolean => open.includes(session) && Number.isSafeInteger(atMs);
  return Object.fromEntries(Object.entries(value).filter(isKept));
}

function textOf(value: unknown, fallback: string): string {
  return typeof value === 'string' && value.length <= maxTextLength ? value : fallback;
}

function textsOf(value: unknown): Readonly<Record<string, string>> {
  if (typeof value !== 'object' || value === null) return {};
  return Object.fromEntries(Object.entries(value).filter(([, text]) => textOf(text, '') !== ''));
}

function load(storage: Pick<Storage, 'getItem'>): ViewState {
  let raw: Record<string, unknown> = {};
  try {
    const parsed: unknown = JSON.parse(storage.getItem(storageKey) ?? '{}');
    if (typeof parsed === 'object' && parsed !== null) raw = parsed as Record<string, unknown>;
  } catch {
    // A layout that cannot be read is not worth an error: the defaults apply and are written with the next change.
  }
  const openSessions = openSessionsOf(raw['openSessions']);
  const streamsMode = oneOf(raw['streamsMode'], ['messages', 'session'], defaults.streamsMode);
  const selected = openSessions.find((session) => session === raw['selectedSession']);
  return {
    view: oneOf(raw['view'], viewIds, defaults.view),
    theme: oneOf(raw['theme'], ['system', 'light', 'dark'], defaults.theme),
    timeZone: oneOf(raw['timeZone'], ['utc', 'local'], defaults.timeZone),
    isInspectorOpen: raw['isInspectorOpen'] !== false,
    selectedSession: (streamsMode === 'session' ? selected : undefined) ?? null,
    selectedStream: null,
    openSessions,
    sessionCursors: cursorsOf(raw['sessionCursors'], openSessions),
    streamsMode,
    wanted: null,
    selectedQueue: textOf(raw['selectedQueue'], '') || null,
    isQueueOpen: raw['isQueueOpen'] === true,
    queueOrder: textOf(raw['queueOrder'], defaults.queueOrder),
    queueFilter: textOf(raw['queueFilter'], defaults.queueFilter),
    identityTab: oneOf(raw['identityTab'], identityTabIds, defaults.identityTab),
    selectedTrace: /^[0-9a-f]{32}$/.exec(textOf(raw['selectedTrace'], ''))?.[0] ?? null,
    tracePage: oneOf(raw['tracePage'], ['trace', 'chains'], defaults.tracePage),
    selectedChain: textOf(raw['selectedChain'], '').slice(0, 2_048) || null,
    selectedRoom: textOf(raw['selectedRoom'], '') || null,
    isRoomMembersOpen: raw['isRoomMembersOpen'] === true,
    messageFilter: textOf(raw['messageFilter'], defaults.messageFilter),
    letterFilter: textOf(raw['letterFilter'], defaults.letterFilter),
    letterGrouping: oneOf(raw['letterGrouping'], groupings, defaults.letterGrouping),
    bookmarks: bookmarksOf(raw['bookmarks']),
    comparedTo: null,
    drafts: textsOf(raw['drafts']),
    sizesPx: sizesOf(raw['sizesPx']),
    scrollsPx: sizesOf(raw['scrollsPx'], maxScrollPx),
    places: textsOf(raw['places']),
  };
}

/** Shows one message in Streams, whatever that shows now: among all messages of all subjects, with its inspector. */
export function showMessage(store: Pick<StoreApi<ViewState>, 'setState'>, seq: number): void {
  store.setState({
    view: 'streams',
    selectedSession: null,
    selectedStream: null,
    messageFilter: '',
    streamsMode: 'messages',
    isInspectorOpen: true,
    wanted: { kind: 'message', seq },
  });
}

/** Shows the newest place in the table of all subjects where messages are missing, and why. */
export function showGap(store: Pick<StoreApi<ViewState>, 'setState'>, kind: 'dropped' | 'outage'): void {
  store.setState({
    view: 'streams',
    selectedSession: null,
    selectedStream: null,
    messageFilter: '',
    streamsMode: 'messages',
    wanted: { kind },
  });
}

/** Shows what became of a session: its terminal and its tasks. */
export function showSession(store: Pick<StoreApi<ViewState>, 'setState'>, selectedSession: string): void {
  store.setState({
    view: 'streams',
    selectedSession,
    selectedStream: null,
    streamsMode: 'session',
    wanted: { kind: 'session' },
  });
}

/** Puts a session among those that stand open; beyond their bound the one that was opened first gives way. */
export function openSessionTab(store: Pick<StoreApi<ViewState>, 'setState'>, session: string): void {
  store.setState(({ openSessions }) =>
    openSessions.includes(session) ? {} : { openSessions: [...openSessions, session].slice(-maxOpenSessions) },
  );
}

/** Closes a session's tab; if it was shown, its neighbour is shown, or all subjects. */
export function closeSessionTab(store: Pick<StoreApi<ViewState>, 'setState'>, session: string): void {
  store.setState(({ openSessions, selectedSession, sessionCursors }) => {
    const at = openSessions.indexOf(session);
    const left = openSessions.filter((one) => one !== session);
    const next = left[Math.min(at, left.length - 1)] ?? null;
    return {
      openSessions: left,
      sessionCursors: cursorsOf(sessionCursors, left),
      selectedSession: selectedSession === session ? next : selectedSession,
    };
  });
}

/** Shows a session as it was at a time; undefined: as it is. */
export function setSessionCursor(
  store: Pick<StoreApi<ViewState>, 'setState'>,
  session: string,
  atMs: number | undefined,
): void {
  store.setState(({ sessionCursors: { [session]: _before, ...others } }) => ({
    sessionCursors: atMs === undefined ? others : { ...others, [session]: atMs },
  }));
}

/** Shows the connection in use among the others. */
export function showConnections(store: Pick<StoreApi<ViewState>, 'setState'>): void {
  store.setState({ view: 'settings', wanted: { kind: 'connections' } });
}

/** Shows a setting by its key, or a part of the page by its name. */
export function showSetting(store: Pick<StoreApi<ViewState>, 'setState'>, key: string): void {
  store.setState({ view: 'settings', wanted: { kind: 'setting', key } });
}

/** Shows what was refused. */
export function showQuarantine(store: Pick<StoreApi<ViewState>, 'setState'>): void {
  store.setState({ view: 'operations', wanted: { kind: 'quarantine' } });
}

/** Shows an incident of the work plane among what is wrong. */
export function showIncident(store: Pick<StoreApi<ViewState>, 'setState'>, id: string): void {
  store.setState({ view: 'operations', wanted: { kind: 'incident', id } });
}

/** Shows a queue with its detail: what waits in it, or what became of one of its tasks. */
export function showQueue(
  store: Pick<StoreApi<ViewState>, 'setState'>,
  queue: string,
  taskId: string | null = null,
): void {
  store.setState({ view: 'queues', wanted: { kind: 'queue', queue, taskId } });
}

/** Shows the dead letters that a filter finds. */
export function showLetters(store: Pick<StoreApi<ViewState>, 'setState'>, filter: string): void {
  store.setState({ view: 'dead-letters', wanted: { kind: 'letters', filter } });
}

/** Shows what waits for an answer: one request, or the one that has waited longest. */
export function showApprovals(store: Pick<StoreApi<ViewState>, 'setState'>, requestId: string | null = null): void {
  store.setState({ view: 'approvals', wanted: { kind: 'approvals', requestId } });
}

/** Shows what is known of a peer's keys, with its safety number. */
export function showPeer(store: Pick<StoreApi<ViewState>, 'setState'>, peer: string): void {
  store.setState({ view: 'identity', identityTab: 'peers', wanted: { kind: 'peer', peer } });
}

/** Shows a room: where it was left, or at one of its messages. */
export function showRoom(
  store: Pick<StoreApi<ViewState>, 'setState'>,
  room: string,
  messageId: string | null = null,
): void {
  store.setState({ view: 'rooms', selectedRoom: room, wanted: { kind: 'room', room, messageId } });
}

/** Shows a trace by its id, 32 lower hex digits. */
export function showTrace(store: Pick<StoreApi<ViewState>, 'setState'>, selectedTrace: string): void {
  store.setState({ view: 'trace', tracePage: 'trace', selectedTrace });
}

/** Shows the trace that an envelope is of, once it is found. */
export function showTraceOf(store: Pick<StoreApi<ViewState>, 'setState'>, envelopeId: string): void {
  store.setState({ view: 'trace', tracePage: 'trace', wanted: { kind: 'trace', envelopeId } });
}

/** Shows what is known of a source's chain. */
export function showChain(store: Pick<StoreApi<ViewState>, 'setState'>, selectedChain: string): void {
  store.setState({ view: 'trace', tracePage: 'chains', selectedChain });
}

/** Creates the store; every change is written to `storage`. */
export function createViewStore(storage: Pick<Storage, 'getItem' | 'setItem'>): StoreApi<ViewState> {
  const store = createStore<ViewState>(() => load(storage));
  store.subscribe((state) => {
    const { wanted: _, comparedTo: _marked, ...kept } = state;
    const sessionCursors = cursorsOf(state.sessionCursors, state.openSessions);
    storage.setItem(storageKey, JSON.stringify({ ...kept, sessionCursors }));
  });
  return store;
}
