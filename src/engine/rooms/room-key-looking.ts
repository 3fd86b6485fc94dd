/**
 * Looks at what came for a peer: keys open what waits for them, invitations lead to rooms (docs/spec/rooms.md R28, R50).
 * Law: one look at a time, and what waits is judged once a second at most: nobody who floods rooms or keys has it done for each message.
 */
import type { Disposable, Disposer } from '../../shared/base/disposer.ts';
import { isVakError } from '../../shared/base/vak-error.ts';
import type { Clock } from '../ports/clock.ts';
import type { Logger } from '../ports/logger.ts';
import type { RoomDesks } from './room-desks.ts';
import type { RoomKeyExchange } from './room-key-exchange.ts';
import type { RoomKeyInbox } from './room-key-inbox.ts';
import { createLooking } from './room-looking.ts';

/** What waits for a log to be read further is tried again so often, ms. */
const takeEveryMs = 1_000;

/** Creates it at rest; `held` ends it. */
export function createKeyLooking(parts: {
  readonly inbox: Pick<RoomKeyInbox, 'read' | 'waitingCount'>;
  readonly exchange: Pick<RoomKeyExchange, 'invitations'>;
  readonly desks: Pick<RoomDesks, 'openHints' | 'lookSoon'>;
  readonly held: Disposer;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly onChange: () => void;
}) {
  const { inbox, exchange, desks, held, clock, logger, onChange } = parts;
  let timer: Disposable | undefined;
  let takenMs = Number.NEGATIVE_INFINITY;
  held.defer(() => timer?.dispose());

  const look = createLooking(async () => {
    if (held.isDisposed) return;
    await inbox.read();
    await desks.openHints(exchange.invitations());
    desks.lookSoon();
  });

  function tell(error: unknown): void {
    if (isVakError(error)) logger.warn('rooms.look', { code: error.code });
    else logger.bug('rooms.look', error);
  }

  /** A log was read further: records may have waited for that. */
  const takeWaiting = createLooking(async () => {
    const waitingCount = inbox.waitingCount();
    await inbox.read();
    takenMs = clock.monotonic();
    if (inbox.waitingCount() < waitingCount) desks.lookSoon();
  });

  /** Each record that waits is judged anew each time: rooms that change all the time do not have that done each time. */
  function takeWaitingSoon(): void {
    if (timer !== undefined || held.isDisposed || inbox.waitingCount() === 0) return;
    timer = clock.setTimer(Math.max(0, takenMs + takeEveryMs - clock.monotonic()), () => {
      timer = undefined;
      takeWaiting().catch(tell);
    });
  }

  return {
    lookSoon(): void {
      if (!held.isDisposed) look().catch(tell);
    },
    onDeskChange(): void {
      takeWaitingSoon();
      onChange();
    },
  };
}
