/**
 * The rooms of this profile's operator, on whichever engine is behind the app (protocol.md §7, docs/spec/rooms.md R62).
 * Law: open while the key store is and an engine is in use; a lock ends them at once and erases what was worked out of keys.
 */

import type { Disposable } from '../../shared/base/disposer.ts';
import { type ErrorShape, isVakError } from '../../shared/base/vak-error.ts';
import type { EngineInUse } from '../connections/connection-switch.ts';
import type { KeyStore, StoredIdentity } from '../identity/key-store.ts';
import { createNkeySigner } from '../identity/nkey.ts';
import type { Secret } from '../identity/secret.ts';
import type { Clock } from '../ports/clock.ts';
import type { Logger } from '../ports/logger.ts';
import { createSerialLane } from '../serial-lane.ts';
import type { Rooms } from './rooms.ts';

/** Rooms that are open, and whose they are. */
export interface OpenedRooms {
  readonly rooms: Rooms;
  readonly peer: string;
  /** Key of this peer, `U…`. */
  readonly sign: string;
  readonly engine: EngineInUse;
  /** Erases the keys that it has worked out, and ends. */
  dispose(): void;
  /** Puts what was read on disk, then does the same. */
  close(): Promise<void>;
}

export interface OperatorRooms {
  /** Opens, exchanges or ends them, as keys and engine are now; call it when either has changed. */
  follow(): void;
  /** The same; resolves when it is done. Never rejects. */
  settle(): Promise<void>;
  current(): OpenedRooms | undefined;
  /** Why there are none although there should be. */
  problem(): ErrorShape | undefined;
  close(): Promise<void>;
}

export interface OperatorRoomsDeps {
  readonly keyStore: Pick<KeyStore, 'state' | 'read'>;
  readonly engine: () => EngineInUse | undefined;
  /** Opens those of an identity; throws what opening throws. */
  readonly open: (engine: EngineInUse, identity: StoredIdentity) => Promise<OpenedRooms>;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly onChange: () => void;
}

function nkeyOf(seed: Secret): string {
  const signer = createNkeySigner(seed);
  signer.dispose();
  return signer.nkey;
}

/** What could not be opened is tried again so much later, ms. */
const retryMs = 10_000;
/** Damaged files that are passed over at one go. */
const maxDamaged = 100;

/** Creates it with none open. */
export function createOperatorRooms(deps: OperatorRoomsDeps): OperatorRooms {
  const { keyStore, engine, open, clock, logger, onChange } = deps;
  const lane = createSerialLane();
  let opened: OpenedRooms | undefined;
  let problem: ErrorShape | undefined;
  let retry: Disposable | undefined;
  let isClosed = false;

  const operator = (): StoredIdentity | undefined => {
    if (isClosed || keyStore.state().kind !== 'unlocked') return undefined;
    return keyStore.read().identities.find(({ kind }) => kind === 'human');
  };

  const isOf = (wanted: EngineInUse | undefined, identity: StoredIdentity | undefined): boolean => {
    if (wanted === undefined || identity === undefined) return opened === undefined;
    return opened?.engine.fabric === wanted.fabric && opened.sign === nkeyOf(identity.signSeed);
  };

  /** At a lock nothing is waited for. */
  function endNow(): void {
    const old = opened;
    opened = undefined;
    old?.dispose();
    if (old !== undefined) onChange();
  }

  async function endInOrder(): Promise<void> {
    const old = opened;
    opened = undefined;
    if (old === undefined) return;
    onChange();
    await old.close();
  }

  /** Each damaged file is set aside once, and says so. */
  async function openWhole(inUse: EngineInUse, identity: StoredIdentity): Promise<OpenedRooms> {
    for (let damaged = 0; damaged < maxDamaged; damaged++) {
      try {
        return await open(inUse, identity);
      } catch (error) {
        if (!isVakError(error, 'corrupt')) throw error;
        logger.warn('profile.damaged', { message: error.message });
      }
    }
    return await open(inUse, identity);
  }

  async function openNow(inUse: EngineInUse, identity: StoredIdentity): Promise<void> {
    const rooms = await openWhole(inUse, identity);
    const isWanted = engine()?.fabric === inUse.fabric && operator() !== undefined;
    if (isWanted) opened = rooms;
    else rooms.dispose();
    onChange();
  }

  async function settleNow(): Promise<void> {
    retry?.dispose();
    const identity = operator();
    const wanted = identity === undefined ? undefined : engine();
    if (isOf(wanted, identity)) return;
    await endInOrder();
    problem = undefined;
    if (wanted !== undefined && identity !== undefined) await openNow(wanted, identity);
  }

  function notice(error: unknown): void {
    const shape = isVakError(error) ? error.toShape() : undefined;
    const message = `the rooms could not be opened, see the log: ${shape === undefined ? logger.bug('rooms.open', error) : ''}`;
    problem = shape ?? { code: 'internal', message, retryable: false };
    logger.error('rooms.problem', { code: problem.code, message: problem.message });
    if (!isClosed) retry = clock.setTimer(retryMs, follow);
    onChange();
  }

  const settle = (): Promise<void> => lane.run(settleNow).catch(notice);

  function follow(): void {
    if (operator() === undefined) endNow();
    void settle();
  }

  return {
    ...{ follow, settle },
    current: () => opened,
    problem: () => problem,
    async close() {
      isClosed = true;
      retry?.dispose();
      await lane.run(endInOrder).catch(notice);
      retry?.dispose();
    },
  };
}
