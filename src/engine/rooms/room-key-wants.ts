/**
 * Asks for the keys that are missing (docs/spec/rooms.md R28).
 * Law: they come by themselves, mostly; what does not is asked for, ever more seldom, and of many at once only the newest.
 */
import type { Disposable } from '../../shared/base/disposer.ts';
import type { Clock } from '../ports/clock.ts';
import type { RoomKeyExchange } from './room-key-exchange.ts';
import type { RoomKeyring } from './room-keyring.ts';
import type { RoomReader } from './room-reader.ts';
import { lacksKey, type TimelineMessage } from './room-timeline.ts';

export interface RoomKeyWants extends Disposable {
  /** Asks for keys that have not come for a while, but for those that somebody does not hand out. Throws what publishing throws. */
  askIfDue(): Promise<void>;
  /** Asks at once, and for all. */
  ask(): Promise<void>;
}

export interface RoomKeyWantsDeps {
  /** Key of this peer. */
  readonly self: string;
  readonly reader: Pick<RoomReader, 'log' | 'timeline'>;
  readonly keyring: Pick<RoomKeyring, 'keyOf' | 'baseOf'>;
  readonly exchange: Pick<RoomKeyExchange, 'request'>;
  readonly clock: Clock;
  readonly lookSoon: () => void;
}

/** A key that does not come by itself is asked for so soon, then after so long, and then after twice as long each time, ms. */
const askAfterMs = 3_000;
const firstPauseMs = 30_000;
const maxPauseMs = 15 * 60_000;
/** Keys that are asked for at once. */
const maxAsked = 32;

/** Creates it; it has asked for nothing. */
export function createRoomKeyWants(deps: RoomKeyWantsDeps): RoomKeyWants {
  const { self, reader, keyring, exchange, clock, lookSoon } = deps;
  let missingSinceMs: number | undefined;
  let askedMs: number | undefined;
  let pauseMs = firstPauseMs;
  let timer: Disposable | undefined;

  /** Whether the key of an older epoch is missing, as it was at the last look; and when that was. */
  let [isOlderMissing, lookedMs] = [false, Number.NEGATIVE_INFINITY];

  /** Epochs whose key is missing, one for each key that they follow from, the newest first. `isAll`: those that are withheld, too. */
  function missing(isAll: boolean): readonly number[] {
    const log = reader.log();
    const isWanted = (one: TimelineMessage): boolean => lacksKey(one) && (isAll || one.notOpened?.cause === 'no-key');
    const locked = reader.timeline().all().filter(isWanted);
    const epochs = new Set([...locked.map(({ epoch }) => epoch), log.standing()?.epoch ?? 0]);
    const byBase = new Map(Array.from(epochs, (epoch) => [keyring.baseOf(log, epoch)?.epoch, epoch]));
    const asked = [...byBase.values()].filter((epoch) => keyring.keyOf(log, epoch) === undefined);
    return asked.sort((left, right) => right - left).slice(0, maxAsked);
  }

  function rest(): void {
    missingSinceMs = undefined;
    pauseMs = firstPauseMs;
  }

  async function ask(isAll: boolean): Promise<void> {
    askedMs = clock.monotonic();
    for (const epoch of missing(isAll)) await exchange.request(reader.log(), epoch);
  }

  /** All messages in memory are looked through for it: now and then. */
  function isAnyMissing(epoch: number): boolean {
    if (keyring.keyOf(reader.log(), epoch) === undefined) return true;
    if (clock.monotonic() - lookedMs >= askAfterMs) {
      lookedMs = clock.monotonic();
      isOlderMissing = missing(false).length > 0;
    }
    return isOlderMissing;
  }

  function isDue(nowMs: number): boolean {
    if (missingSinceMs === undefined) {
      missingSinceMs = nowMs;
      timer?.dispose();
      timer = clock.setTimer(askAfterMs, lookSoon);
    }
    return nowMs - missingSinceMs >= askAfterMs && (askedMs === undefined || nowMs - askedMs >= pauseMs);
  }

  return {
    ask: () => ask(true),
    async askIfDue() {
      const standing = reader.log().standing();
      const isIn = standing?.members.has(self) === true;
      if (!isIn || !isAnyMissing(standing.epoch)) return rest();
      const isAgain = askedMs !== undefined;
      if (!isDue(clock.monotonic())) return;
      if (isAgain) pauseMs = Math.min(maxPauseMs, pauseMs * 2);
      await ask(false);
    },
    dispose: () => timer?.dispose(),
  };
}
