/**
 * Composition of rooms in the app: the operator's own, on the engine in use, and what windows ask of them (protocol.md §7).
 * Law: constructs and connects, decides nothing.
 */
import { createDisposer } from '../shared/base/disposer.ts';
import { VakError } from '../shared/base/vak-error.ts';
import type { AppContract } from '../shared/contract/app-contract.ts';
import type { Services } from '../shared/contract/define-contract.ts';
import type { ConnectionSwitch } from './connections/connection-switch.ts';
import { createStoredJudge } from './envelope/stored-judge.ts';
import type { Profile } from './identity/profile.ts';
import { muteStateOf } from './operations/mute-rules.ts';
import type { OperatorOutbox } from './outbox/operator-outbox.ts';
import type { OutboxGuard } from './outbox/outbox.ts';
import type { AppService, AppServiceState } from './plane/app-service.ts';
import type { Notifier } from './ports/notifier.ts';
import { type CardBoxes, createCardBoxes } from './rooms/card-boxes.ts';
import { openOperatorRooms } from './rooms/operator-room-peer.ts';
import { createOperatorRooms, type OpenedRooms, type OperatorRooms } from './rooms/operator-rooms.ts';
import { createRoomFinding } from './rooms/room-finding.ts';
import { createFrameGuard } from './rooms/room-frame-guard.ts';
import { openRoomHeads, type RoomHeads } from './rooms/room-heads.ts';
import { createEventItems } from './rooms/room-items.ts';
import { createRoomLoading, type RoomLoading } from './rooms/room-loading.ts';
import { createRoomMedia, type RoomMedia, type RoomMediaDeps } from './rooms/room-media-calls.ts';
import { createRoomNotices } from './rooms/room-notices.ts';
import { createRoomPages } from './rooms/room-page.ts';
import type { RoomPlace } from './rooms/room-place.ts';
import { type PresenceChoice, presenceChoice } from './rooms/room-presence.ts';
import { roomLogsPattern, roomMessagesSubject, roomStreamOf } from './rooms/room-subjects.ts';
import { createRoomSummaries } from './rooms/room-summary.ts';
import { createRoomsService, placesOf, type RoomsServiceDeps } from './rooms/rooms-service.ts';
import { createRoomsState } from './rooms/rooms-state.ts';
import { createRoomsWatch, type RoomsWatch } from './rooms/rooms-watch.ts';
import type { SnapshotReaders } from './snapshots/snapshot-hub.ts';
import type { WorkPlaneDeps } from './work-plane.ts';

export interface RoomsPlane {
  readonly services: Pick<Services<AppContract>, 'rooms'>;
  readonly readers: Pick<SnapshotReaders<AppContract>, 'rooms.state'>;
  /** Of the outbox through which frames go (R51). */
  readonly guard: OutboxGuard;
  /** Somebody may serve logs now who did not before, or the other way round. */
  serviceChanged(): void;
  close(): Promise<void>;
}

export interface RoomsPlaneDeps
  extends Pick<WorkPlaneDeps, 'workspace' | 'gate' | 'trust' | 'sessions' | 'clock' | 'randomness' | 'logger'> {
  readonly connection: Pick<ConnectionSwitch, 'live' | 'engine' | 'onChange' | 'onLeave'>;
  readonly profile: Pick<Profile, 'keyStore' | 'records' | 'heads' | 'files' | 'settings'>;
  readonly outbox: Pick<OperatorOutbox, 'publish'>;
  /** The app's own membership service. */
  readonly membership: Pick<AppService, 'state'>;
  readonly addCardFile: RoomsServiceDeps['addCardFile'];
  readonly prompt: RoomMediaDeps['prompt'];
  readonly notifier: Notifier;
  readonly onChange: () => void;
}

/** Opens the file of heads when it is needed first. */
function createHeads({ profile, clock, randomness, logger }: RoomsPlaneDeps) {
  let opening: Promise<RoomHeads> | undefined;
  return {
    get: (): Promise<RoomHeads> => {
      opening ??= openRoomHeads({
        ...{ path: profile.files.roomHeads, clock, randomness },
        report: ({ message }) => logger.warn('profile.damaged', { message }),
      }).catch((error: unknown) => {
        // A damaged one was set aside: the next try begins anew.
        opening = undefined;
        throw error;
      });
      return opening;
    },
    async close(): Promise<void> {
      const heads = await opening?.catch(() => undefined);
      await heads?.settled().catch(({ message }: Error) => logger.warn('profile.damaged', { message }));
      heads?.dispose();
    },
  };
}

/** What others are told, as the settings are now. */
const choiceOf =
  ({ profile: { settings } }: RoomsPlaneDeps) =>
  (): PresenceChoice =>
    presenceChoice(settings.settings());

/** The operator's rooms, as keys and engine are. */
function createOpening(
  deps: RoomsPlaneDeps,
  parts: {
    readonly cards: CardBoxes;
    readonly heads: ReturnType<typeof createHeads>;
    readonly onService: (isThere: boolean) => void;
    readonly onRooms: () => void;
    readonly onOpening: () => void;
  },
): OperatorRooms {
  const { workspace, connection, profile, outbox, trust, clock, randomness, logger } = deps;
  const { keyStore, records, files } = profile;
  const judge = createStoredJudge({ ...trust, workspace });
  const ports = { clock, randomness, logger };
  return createOperatorRooms({
    ...{ ...ports, keyStore, engine: connection.engine, onChange: parts.onOpening },
    open: async (engine, identity) =>
      await openOperatorRooms(
        {
          ...{ ...ports, workspace, keyStore, outbox, pins: records.pins, cards: parts.cards, judge },
          ...{ checks: records.checks, heads: await parts.heads.get(), chainHeads: profile.heads },
          ...{ folder: files.rooms, choice: choiceOf(deps), onService: parts.onService, onChange: parts.onRooms },
        },
        engine,
        identity,
      ),
  });
}

/** Gives what is open, or throws why nothing is. */
function createNeed(rooms: OperatorRooms, { profile: { keyStore } }: RoomsPlaneDeps): () => OpenedRooms {
  return () => {
    const opened = rooms.current();
    if (opened !== undefined) return opened;
    if (keyStore.state().kind !== 'unlocked')
      throw new VakError('locked', 'rooms: the key store is locked; unlock it first');
    const problem = rooms.problem();
    if (problem !== undefined) throw VakError.fromShape(problem);
    throw new VakError('disconnected', 'rooms: there is no connection yet; try again when it is there', {
      retryable: true,
    });
  };
}

/** Whether a service works; null: it is at rest. */
function serves({ kind }: AppServiceState): boolean | null {
  return kind === 'off' ? null : kind === 'running';
}

/** What looks after the rooms, and what a window asks of them goes through. */
function createLooking(deps: RoomsPlaneDeps, parts: Pick<Parts, 'rooms' | 'cards' | 'places'>) {
  const { workspace, connection, profile, gate, notifier, clock, logger, onChange } = deps;
  const { rooms, places } = parts;
  const held = createDisposer();
  const stream = () => connection.live.durable.stream(roomStreamOf(workspace));
  const loading = createRoomLoading({
    ...{ logger, onChange },
    countOf: (room) => stream().count(roomMessagesSubject(workspace, room)),
  });
  const notifications = () => profile.settings.settings().notifications;
  const notices = held.add(
    createRoomNotices({
      ...{ workspace, bus: connection.live.bus, notifier, clock, isLocked: () => !gate.isOpen },
      isOn: () => notifications().desktop && muteStateOf(notifications(), clock.now()).untilMs === null,
    }),
  );
  const watch = held.add(
    createRoomsWatch({
      ...{ opened: rooms.current, places, loading, notices, clock, logger, onChange },
      ownService: () => (connection.engine()?.kind === 'remote' ? undefined : serves(deps.membership.state())),
      hasLogs: async () => (await stream().count(roomLogsPattern(workspace))) > 0,
    }),
  );
  return { loading, watch, dispose: () => held.dispose() };
}

interface Parts {
  readonly rooms: OperatorRooms;
  readonly cards: CardBoxes;
  readonly places: () => readonly RoomPlace[];
  readonly loading: RoomLoading;
  readonly media: RoomMedia;
  readonly watch: RoomsWatch;
  /** Rises when cards or pins have changed. */
  readonly cardVersion: () => number;
}

/** What windows ask for. */
function createSurface(deps: RoomsPlaneDeps, parts: Parts): Pick<RoomsPlane, 'services' | 'readers'> {
  const { profile, sessions, clock, addCardFile, onChange } = deps;
  const { rooms, cards, loading, media } = parts;
  const withheld = ({ desk }: RoomPlace) => [
    ...(rooms.current()?.rooms.exchange.withheldFrom(desk.reader.log()) ?? []),
  ];
  const summaries = createRoomSummaries((place) => [parts.cardVersion(), withheld(place)]);
  const heardMs = (peer: string): number | undefined => {
    const seen = sessions.ofPeer(peer).map(({ lastSeenMs }) => lastSeenMs);
    return seen.length === 0 ? undefined : Math.max(...seen);
  };
  const calls = createRoomsService({
    ...{ opened: createNeed(rooms, deps), cards, summaries, media, addCardFile, heardMs, onChange },
    settings: profile.settings,
    pages: createRoomPages({ loading, events: createEventItems() }),
    finding: createRoomFinding({ loading, clock }),
  });
  const state = createRoomsState({ ...parts, keyStore: profile.keyStore, summaries, choice: choiceOf(deps) });
  return { services: { rooms: calls }, readers: { 'rooms.state': state } };
}

/** Builds it; rooms are open as soon as the key store is and an engine is there. */
export function createRoomsPlane(deps: RoomsPlaneDeps): RoomsPlane {
  const { workspace, connection, profile, gate, prompt, clock, randomness, onChange } = deps;
  const { keyStore, records } = profile;
  const held = createDisposer();
  const heads = createHeads(deps);
  const cards = createCardBoxes({ workspace, keyStore, pins: records.pins, clock });
  const rooms = createOpening(deps, {
    ...{ cards, heads, onService: (isThere) => watch.noteService(isThere) },
    ...{ onRooms: () => watch.roomsChanged(), onOpening: () => onOpening() },
  });
  const places = (): readonly RoomPlace[] => {
    const now = rooms.current();
    return now === undefined ? [] : placesOf(now, cards);
  };
  const { loading, watch } = held.add(createLooking(deps, { rooms, cards, places }));
  const media = createRoomMedia({ prompt, clock, randomness, onChange });
  let cardVersion = 0;

  /** Files belong to the rooms that they were for. */
  function onOpening(): void {
    if (rooms.current() === undefined) media.endAll();
    watch.openingChanged();
  }

  for (const source of [connection, gate, keyStore]) held.add(source.onChange(rooms.follow));
  held.add(connection.onLeave(rooms.settle));
  held.add(profile.settings.onChange(onChange));
  held.add(
    records.pins.onChange(() => {
      cardVersion++;
      onChange();
    }),
  );
  return {
    ...createSurface(deps, { rooms, cards, places, loading, media, watch, cardVersion: () => cardVersion }),
    guard: createFrameGuard((room) => places().find(({ desk }) => desk.room === room)?.desk),
    serviceChanged: () => watch.serviceChanged(),
    async close() {
      await rooms.close();
      held.dispose();
      await heads.close();
    },
  };
}
