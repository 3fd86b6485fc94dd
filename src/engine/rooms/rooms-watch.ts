/**
 * Looks after the rooms that are open: for those that nobody told of, for who orders the logs, for what is unread and what the desktop is
 * told of it.
 * Law: it asks no more than it has to, as each question is a message on the bus; what fails is tried again at the next look.
 */
import { createDisposer, type Disposable } from '../../shared/base/disposer.ts';
import { isVakError } from '../../shared/base/vak-error.ts';
import type { Clock } from '../ports/clock.ts';
import type { Logger } from '../ports/logger.ts';
import type { OpenedRooms } from './operator-rooms.ts';
import type { RoomLoading } from './room-loading.ts';
import type { RoomNotices } from './room-notices.ts';
import type { RoomPlace } from './room-place.ts';
import { readSeqOf } from './room-summary.ts';

export interface RoomsWatch extends Disposable {
  /** Rooms were opened, or ended. */
  openingChanged(): void;
  /** Something in the rooms has changed. */
  roomsChanged(): void;
  /** Whoever serves the logs is another, or none. */
  serviceChanged(): void;
  /** Somebody answered for the logs, or nobody did. */
  noteService(isThere: boolean): void;
  /** Null: not known yet. */
  hasService(): boolean | null;
  /** When all was looked at last. */
  readAtMs(): number | null;
}

export interface RoomsWatchDeps {
  readonly opened: () => OpenedRooms | undefined;
  readonly places: () => readonly RoomPlace[];
  /** Whether this app serves the logs of the engine in use; null: it will see; undefined: that is not its to do. */
  readonly ownService: () => boolean | null | undefined;
  /** Whether there is any room at all on the engine in use. */
  readonly hasLogs: () => Promise<boolean>;
  readonly loading: Pick<RoomLoading, 'inBackground' | 'begin'>;
  readonly notices: Pick<RoomNotices, 'follow' | 'begin'>;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly onChange: () => void;
}

/** A service that does not answer is sought so often, and one that does is asked again so often, ms. */
const seekEveryMs = 10_000;
/** What could not be looked at is looked at again so often, ms. */
const lookEveryMs = 60_000;
const askEveryMs = 600_000;
/** However often rooms change, what follows of it is worked out once in so long, ms. */
const followMs = 100;
/** What is unread is counted so far, and so many messages lie ready to be shown. */
const maxUnread = 5_000;
const readyCount = 60;

/** Whether enough of a room lies in memory to say what is unread in it. */
const isReady = (place: RoomPlace) => (): boolean => {
  const all = place.desk.reader.timeline().all();
  const first = all[0]?.seq;
  if (all.length >= maxUnread) return true;
  return all.length >= readyCount && first !== undefined && first <= readSeqOf(place) + 1;
};

/** Creates it; nothing is looked at before rooms are open. */
export function createRoomsWatch(deps: RoomsWatchDeps): RoomsWatch {
  const { opened, places, loading, notices, clock, logger, onChange } = deps;
  const held = createDisposer();
  let known: OpenedRooms | undefined;
  let answered: boolean | null = null;
  let askedMs = Number.NEGATIVE_INFINITY;
  let readAtMs: number | null = null;
  let timer: Disposable | undefined;
  let looking: OpenedRooms | undefined;

  function followNow(): void {
    timer = undefined;
    // What was known of rooms that have ended is what is told of them behind a lock.
    if (opened() === undefined) return;
    const all = places();
    for (const place of all) if (place.desk.reader.readSeq() > 0) loading.inBackground(place.desk, isReady(place));
    notices.follow(all);
    onChange();
  }

  /** Of rooms that this peer is in, and nobody told it of, the service knows; where there are none nobody is asked. */
  async function lookAt({ rooms }: OpenedRooms): Promise<void> {
    if (deps.ownService() === undefined || (await deps.hasLogs())) await rooms.look();
    readAtMs = clock.now();
  }

  async function lookOnce(at: OpenedRooms): Promise<void> {
    looking = at;
    askedMs = clock.monotonic();
    try {
      await lookAt(at);
    } catch (error) {
      // Whoever ended the rooms has ended the look as well.
      if (opened() !== at) return;
      if (!isVakError(error)) throw error;
      logger.warn('rooms.look', { code: error.code });
    } finally {
      if (looking === at) looking = undefined;
      onChange();
    }
  }

  function look(): void {
    const at = opened();
    if (at === undefined || looking === at) return;
    lookOnce(at).catch((error: unknown) => logger.bug('rooms.look', error));
  }

  /** Looks for somebody else's service alone: the rooms that are open hear what is new in them. */
  function seek({ rooms }: OpenedRooms): void {
    askedMs = clock.monotonic();
    rooms.findRooms().catch((error: unknown) => {
      if (isVakError(error)) logger.warn('rooms.seek', { code: error.code });
      else logger.bug('rooms.seek', error);
    });
  }

  /** When all is looked at again, ms after the last question; undefined: when something is heard. */
  function nextLookMs(): number | undefined {
    if (readAtMs === null) return lookEveryMs;
    return deps.ownService() === undefined && answered === true ? askEveryMs : undefined;
  }

  /** Whether somebody else's service is there can only be asked. */
  function lookIfDue(): void {
    const at = opened();
    if (at === undefined || looking === at) return;
    const dueMs = nextLookMs();
    if (dueMs === undefined) {
      if (deps.ownService() === undefined) seek(at);
    } else if (clock.monotonic() - askedMs >= dueMs) look();
  }

  function watchStatus({ engine: { fabric } }: OpenedRooms): Disposable {
    return fabric.onStatus(() => {
      if (fabric.status().kind === 'connected') look();
    });
  }

  let status: Disposable | undefined;
  held.add(clock.setTicker(seekEveryMs, lookIfDue));
  held.defer(() => {
    timer?.dispose();
    status?.dispose();
  });

  return {
    openingChanged() {
      const now = opened();
      if (now !== known) {
        known = now;
        answered = null;
        readAtMs = null;
        status?.dispose();
        status = now && watchStatus(now);
        notices.begin();
        loading.begin();
        look();
      }
      onChange();
    },
    roomsChanged() {
      if (!held.isDisposed) timer ??= clock.setTimer(followMs, followNow);
      onChange();
    },
    serviceChanged() {
      if (deps.ownService() === true) look();
      onChange();
    },
    noteService(isThere) {
      if (answered === isThere) return;
      answered = isThere;
      onChange();
    },
    hasService() {
      const own = deps.ownService();
      return own === undefined ? answered : own;
    },
    readAtMs: () => readAtMs,
    dispose: () => held.dispose(),
  };
}
