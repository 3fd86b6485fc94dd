/**
 * Gives the keys that this peer owes: of the epoch that it began to all members, to who joined by its invitation (protocol.md R4, R5, R32).
 * Law: a duty is done when its records are on disk, and is looked for in the log: after a kill at any point a start does what was left.
 */
import type { SharedJsonFile } from '../identity/shared-json-file.ts';
import type { Clock } from '../ports/clock.ts';
import { createSerialLane } from '../serial-lane.ts';
import type { RoomFileState } from './room-file.ts';
import type { RoomKeyExchange } from './room-key-exchange.ts';
import type { RoomKeyring } from './room-keyring.ts';
import type { EpochStart, RoomLog } from './room-log.ts';
import type { RoomLogReader } from './room-log-reader.ts';

export interface RoomKeyDutiesDeps {
  /** Key of this peer. */
  readonly self: string;
  readonly logs: Pick<RoomLogReader, 'log'>;
  readonly file: SharedJsonFile<RoomFileState>;
  readonly keyring: RoomKeyring;
  readonly exchange: Pick<RoomKeyExchange, 'admit' | 'handOut'>;
  readonly clock: Pick<Clock, 'now'>;
}

export interface RoomKeyDuties {
  /** Does what is owed and can be done now. Throws what publishing throws; then it is done the next time. */
  run(): Promise<void>;
}

/** So long a duty waits for its key to come here, ms: those to whom it is owed have asked others by then. */
const maxWaitMs = 7 * 24 * 3_600_000;

/** Creates them. */
export function createRoomKeyDuties(deps: RoomKeyDutiesDeps): RoomKeyDuties {
  const { self, logs, file, keyring, exchange, clock } = deps;
  const lane = createSerialLane();
  /** Places in the log of what was done above the one that is kept. */
  const done = new Set<number>();

  /** What lies between is stepped from that one; who was away for it asks. `last`: the newest that brings a key of its own. */
  function isOwed(start: EpochStart, last: EpochStart | undefined): boolean {
    if (start.kind === 'JOIN') return start.inviter === self;
    return start === last && start.kind !== 'CREATE' && start.author === self;
  }

  const canGive = (log: RoomLog, { epoch, atMs }: EpochStart): boolean =>
    keyring.keyOf(log, epoch) !== undefined || clock.now() - atMs >= maxWaitMs;

  async function pay(log: RoomLog, headN: number): Promise<void> {
    const { dutyN } = file.read();
    let heldUpN: number | undefined;
    const last = log.epochs().findLast(({ kind }) => kind !== 'JOIN');
    for (const start of log.epochs().filter(({ n }) => n > dutyN && !done.has(n))) {
      if (!isOwed(start, last)) continue;
      if (!canGive(log, start)) {
        heldUpN ??= start.n;
        continue;
      }
      await (start.kind === 'JOIN' ? exchange.admit(log, start) : exchange.handOut(log, start));
      done.add(start.n);
    }
    const paidN = heldUpN === undefined ? headN : heldUpN - 1;
    await file.update((kept) => (kept.dutyN >= paidN ? kept : { ...kept, dutyN: paidN }));
    for (const n of [...done].filter((one) => one <= paidN)) done.delete(n);
  }

  return {
    run: () =>
      lane.run(async () => {
        const log = logs.log();
        const headN = log.head()?.n ?? -1;
        if (headN <= file.read().dutyN || log.standing()?.members.has(self) !== true) return;
        await pay(log, headN);
      }),
  };
}
