/**
 * The status of whichever engine is present, and the record of outages (protocol.md B8).
 * Law: an outage begins when the connection is lost, not when answers are late, and ends once; an exchange of engines is no outage.
 */
import type { Disposable } from '../../shared/base/disposer.ts';
import type { BusStatus, BusStatusSource } from '../bus/bus-status.ts';
import { createListenerSet } from '../listener-set.ts';
import type { Logger } from '../ports/logger.ts';

/** When what others published live may have been missed, ms since the epoch; `toMs` null: it still lasts. */
export interface Outage {
  readonly fromMs: number;
  readonly toMs: number | null;
}

/** Outages that are remembered; the oldest give way. */
const maxOutages = 100;

export interface LiveStatus extends BusStatusSource {
  /** Speaks of another engine from now on. */
  follow(source: BusStatusSource): void;
  /** Oldest first. */
  outages(): readonly Outage[];
  /** Called when an outage begins, and with the same `fromMs` when it is over. */
  onOutage(listener: (outage: Outage) => void): Disposable;
  /** Nobody hears of anything any more. */
  end(): void;
}

/** Outages by what the status says. */
function createOutageBook(tell: (outage: Outage) => void) {
  const book: Outage[] = [];
  let staleSinceMs: number | undefined;
  const isOpen = (): boolean => book.at(-1)?.toMs === null;

  return {
    book,
    note(status: BusStatus): void {
      const isLost = status.kind === 'reconnecting' || (status.kind === 'closed' && status.error !== null);
      if (isLost && !isOpen()) {
        // Nothing came any more since the first answer that was late.
        const outage = { fromMs: staleSinceMs ?? status.sinceMs, toMs: null };
        book.push(outage);
        if (book.length > maxOutages) book.shift();
        tell(outage);
      }
      if (status.kind === 'connected' && isOpen()) {
        const { fromMs } = book.pop() as Outage;
        // Another engine may have connected before the outage began.
        const outage = { fromMs, toMs: Math.max(fromMs, status.sinceMs) };
        book.push(outage);
        tell(outage);
      }
      staleSinceMs = status.kind === 'stale' ? (staleSinceMs ?? status.sinceMs) : undefined;
    },
  };
}

const serverOf = (status: BusStatus): string | undefined => (status.kind === 'connected' ? status.server : undefined);

/** Begins with the status of an engine. Listeners hear of another kind, or of another server. */
export function createLiveStatus(first: BusStatusSource, logger: Logger): LiveStatus {
  const statuses = createListenerSet<BusStatus>(logger, 'connection.listener-threw');
  const outages = createListenerSet<Outage>(logger, 'connection.listener-threw');
  const outageBook = createOutageBook(outages.tell);
  let source = first;
  let told = first.status();

  function take(status: BusStatus): void {
    const isNews = status.kind !== told.kind || serverOf(status) !== serverOf(told);
    told = status;
    outageBook.note(status);
    if (isNews) statuses.tell(status);
  }

  outageBook.note(told);
  let following = first.onStatus(take);
  return {
    // Round trip and attempts move silently.
    status: () => source.status(),
    onStatus: statuses.add,
    follow(next) {
      following.dispose();
      source = next;
      following = next.onStatus(take);
      take(next.status());
    },
    outages: () => [...outageBook.book],
    onOutage: outages.add,
    end() {
      following.dispose();
      statuses.clear();
      outages.clear();
    },
  };
}
