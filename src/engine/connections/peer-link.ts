/**
 * How one peer of the app is on the engine in use (protocol.md A4, A18, B8): on NATS by a connection of its own, on the embedded engine by
 * that itself.
 * Law: what it says and does goes over no other peer's connection; what it says between two engines waits for the next; who is kept out is
 * told why, and tries again.
 */
import { VakError } from '../../shared/base/vak-error.ts';
import type { Bus } from '../bus/bus.ts';
import type { Fabric } from '../bus/fabric.ts';
import { lendBus } from '../bus/lent-bus.ts';
import { createLiveBus } from '../bus/live-bus.ts';
import { createWaitingBus } from '../bus/waiting-bus.ts';
import { createPlaceFollower } from '../place-follower.ts';
import type { Clock } from '../ports/clock.ts';
import type { Logger } from '../ports/logger.ts';
import type { WorkPlace } from '../swarm/work-lanes.ts';
import type { EngineInUse } from './connection-switch.ts';
import type { OwnServerAuth } from './own-server-auth.ts';
import { connectPeer } from './peer-connection.ts';

/** Why a peer is on no engine, though there is one; in `message`, `it` is the peer. */
export interface LinkProblem {
  readonly message: string;
  /** The server does not let it in: somebody has to tell the server of it. */
  readonly isKeptOut: boolean;
}

export interface PeerLink {
  /** Its live plane, whichever engine it is on. */
  readonly bus: Bus;
  /** Where it may work now; undefined: it is on no engine, or on one where nothing may be changed. The same object while it is the same. */
  place(): WorkPlace | undefined;
  /** Null: it is where it should be, or on its way for the first time. */
  problem(): LinkProblem | null;
  /** It has its keys: from now on it is where the app is. Resolves as `follow`. */
  begin(): Promise<void>;
  /** Call it when another engine may be in use; resolves when it has moved there, or could not. */
  follow(): Promise<void>;
  /** Resolves when the engine has all that it has said and asked to hear so far. Throws why it is on none, `timeout`, `disconnected`. */
  reached(): Promise<void>;
  /** Leaves for good. */
  close(): Promise<void>;
}

export interface PeerLinkDeps {
  readonly peer: string;
  /** What is behind the app; undefined while that is exchanged. */
  readonly present: () => EngineInUse | undefined;
  /** The engine in use, where it may be written to. */
  readonly writable: () => EngineInUse | undefined;
  /** Its own keys; closed with the link. */
  readonly ownAuth: OwnServerAuth;
  /** Told when `place` may be another; what was done at the former one has ended when it resolves. Must not reject. */
  readonly onMove: () => Promise<void>;
  /** Told when `problem` may be another. */
  readonly onChange: () => void;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Whoever waits for an operator to tell the server of it must not wait for long after that, ms. */
const lastRetryMs = 10_000;

interface Linked {
  /** Its own connection; undefined: it shares the app's. */
  readonly own: Fabric | undefined;
  readonly place: WorkPlace | undefined;
}

/** Creates it on no engine: it moves when it has begun. */
export function createPeerLink(deps: PeerLinkDeps): PeerLink {
  const { peer, present, writable, ownAuth, onMove, onChange, clock, logger } = deps;
  let waiting = createWaitingBus(clock);
  const bus = createLiveBus(waiting);
  const life = new AbortController();
  let hasBegun = false;

  async function open(engine: EngineInUse, lost: (cause: VakError) => void): Promise<Linked> {
    const own = await connectPeer(engine, { peer, ownAuth, lost, signal: life.signal });
    const { destination } = engine;
    const fabric = own ?? engine.fabric;
    const say = waiting.take();
    // It is there within this call: nothing that is said now comes before what waited.
    const moved = bus.exchange(own?.bus ?? lendBus(engine.fabric.bus, clock));
    say(bus);
    await moved;
    return { own, place: writable() === engine ? { fabric, destination } : undefined };
  }

  async function shut({ own }: Linked): Promise<void> {
    await onMove();
    waiting = createWaitingBus(clock);
    await bus.exchange(waiting);
    await own?.close();
  }

  const follower = createPlaceFollower<EngineInUse, Linked>({
    wanted: () => (hasBegun ? present() : undefined),
    ...{ open, shut, clock, logger, event: 'peer-link', lastRetryMs },
    onChange() {
      onChange();
      void onMove();
    },
  });

  async function follow(): Promise<void> {
    await follower.follow();
    await onMove();
  }

  return {
    bus,
    place: () => follower.opened()?.place,
    problem() {
      const state = follower.state();
      if (state.kind !== 'failed') return null;
      const { message, code } = state.error;
      return { message, isKeptOut: code === 'unauthorized' };
    },
    async begin() {
      hasBegun = true;
      await follow();
    },
    follow,
    async reached() {
      await follower.follow();
      const state = follower.state();
      if (state.kind === 'failed') {
        const { code, message, retryable } = state.error;
        throw new VakError(code, `${peer}: ${message}`, { retryable });
      }
      await follower.opened()?.own?.ping();
    },
    async close() {
      life.abort();
      await follower.close();
      await bus.close();
      ownAuth.dispose();
    },
  };
}
