/**
 * The time, read once a turn (protocol.md W10): for what happens too often to look at the clock each time.
 * Law: it is never later than the clock's, and earlier by one turn at most.
 */
import type { Clock } from '../ports/clock.ts';

export interface TurnTime {
  /** Another one each turn; 0 until `begin` was called in this one. */
  id: number;
  /** When the turn began, by `clock.monotonic`; known while `id` is not 0. */
  atMs: number;
  /** Reads the clock, if nobody has in this turn. */
  begin(): void;
}

/** Creates it; nothing is read or deferred until somebody begins. */
export function createTurnTime(clock: Clock): TurnTime {
  let serial = 0;
  const end = (): void => {
    turn.id = 0;
  };
  const turn: TurnTime = {
    id: 0,
    atMs: 0,
    begin() {
      if (turn.id !== 0) return;
      serial++;
      turn.id = serial;
      turn.atMs = clock.monotonic();
      clock.defer(end);
    },
  };
  return turn;
}
