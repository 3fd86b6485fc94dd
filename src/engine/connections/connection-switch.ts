/**
 * Which engine is behind the app: the one that the settings ask for, as soon as it can be had (product.md "Configuration").
 * Law: a change that fails leaves the engine before it in use, is told, and is tried again; nothing waits for it.
 */
import { type Disposable, toDisposable } from '../../shared/base/disposer.ts';
import { type ErrorShape, isVakError, VakError } from '../../shared/base/vak-error.ts';
import type { ConnectionStatus } from '../../shared/contract/connections-contract.ts';
import { keptStreamsOf } from '../../shared/settings/kept-streams.ts';
import { embeddedContext } from '../../shared/settings/setting-keys.ts';
import type { ContextKind, Settings } from '../../shared/settings/settings-schema.ts';
import type { ServerDenial } from '../access/server-denials.ts';
import type { Fabric } from '../bus/fabric.ts';
import { createEmbeddedFabric, type FabricPorts } from '../bus/memory/embedded-fabric.ts';
import { provision } from '../bus/provision.ts';
import { createListenerSet } from '../listener-set.ts';
import { createSerialLane } from '../serial-lane.ts';
import { type BusSettings, busSettingsOf, destinationOf } from '../settings/bus-settings.ts';
import { settlesWithin } from '../wait.ts';
import { type ConnectContextDeps, connectContext } from './connect-context.ts';
import { createLiveFabric, type LiveFabric } from './live-fabric.ts';
import type { OwnServerAuth } from './own-server-auth.ts';

/** Who connects beside the app itself. */
export interface AppPeer {
  readonly peer: string;
  /** Its own keys, where the server is given nothing else (A18); they stay the caller's. */
  readonly ownAuth: OwnServerAuth;
  /** Gives up the connection while it is made. */
  readonly signal?: AbortSignal;
}

/** An engine, and by which name things are kept for it alone. */
export interface EngineInUse {
  readonly kind: ContextKind;
  readonly fabric: Fabric;
  readonly destination: string;
  /** Name of the context if it is read-only. */
  readonly readOnlyContext: string | undefined;
  /**
   * Opens a connection of another peer's own to it, which the caller closes. Throws what connecting throws. Left out where all peers share
   * the fabric: on the embedded engine, and where nothing can be changed.
   */
  readonly connectAs?: (who: AppPeer) => Promise<Fabric>;
}

export interface ConnectionSwitch {
  readonly live: LiveFabric;
  /** The engine in use; undefined while what stands behind the app is no more than a stand-in. */
  engine(): EngineInUse | undefined;
  /** The same, or the stand-in: what is behind the app. Undefined while one is exchanged for the other. */
  present(): EngineInUse | undefined;
  /** Name of the context in use; while the first connection is sought, of the one that is sought. */
  current(): string;
  /** The same name if that context is read-only. */
  readOnlyContext(): string | undefined;
  /** The live status; until there was a connection, how far the search for it is. */
  status(): ConnectionStatus;
  /** Why the last change failed; undefined since one succeeded. */
  problem(): ErrorShape | undefined;
  /** Does what the settings ask for now, in its own time. `isAnew`: also if they ask for what is in use, as its secrets changed. */
  follow(isAnew?: boolean): void;
  /** Changes to a context; resolves when it is in use. Throws what connecting throws: then nothing has changed. */
  use(name: string): Promise<void>;
  /** Connects to a context beside the one in use, or gives that; the caller closes it. */
  connect(name: string, signal?: AbortSignal): Promise<Fabric>;
  onChange(listener: () => void): Disposable;
  /** Called before the engine in use is left, when `engine` gives none any more; it is waited for, but not for long. Must not reject. */
  onLeave(listener: () => Promise<void>): Disposable;
  close(): Promise<void>;
}

/** What the switch is made of. */
export interface ConnectionSwitchDeps
  extends FabricPorts,
    Pick<ConnectContextDeps, 'workspace' | 'embedded' | 'managed' | 'sources'> {
  /** A peer's own keys, where a server is given nothing else. */
  readonly ownAuth?: (peer: string) => OwnServerAuth;
  /** Every right that a server did not find for that peer. */
  readonly onDenied?: (peer: string, denied: ServerDenial) => void;
  readonly settings: () => Settings;
  /** Who connects, as far as that is known by then. */
  readonly peer: () => string;
}

const firstRetryMs = 2_000;
const lastRetryMs = 30_000;
/** Whatever is kept for an engine has so long to let go of it, ms. */
const leaveLimitMs = 4_000;

/** Tells two connections apart. */
const keyOf = ({ context, kind, natsUrl, readOnly }: BusSettings): string =>
  JSON.stringify([context, kind, natsUrl, readOnly]);

function toVakError(thrown: unknown, logger: FabricPorts['logger']): VakError {
  if (isVakError(thrown)) return thrown;
  return new VakError('internal', `the connection failed, see the log: ${logger.bug('connection.open', thrown)}`);
}

/** A context as the settings had it when it was opened. */
type OpenedPlace = Pick<ConnectContextDeps, 'settings' | 'context'>;

/** Who connects, and how it is known where nothing else is given. */
type Connecting = Pick<ConnectContextDeps, 'peer' | 'ownAuth' | 'signal'>;

/** What is behind the app. */
interface Present {
  readonly isStandIn: boolean;
  readonly engine: EngineInUse;
}

function ownAuthOf({ ownAuth }: ConnectionSwitchDeps, peer: string): Pick<ConnectContextDeps, 'ownAuth'> {
  return ownAuth === undefined ? {} : { ownAuth: ownAuth(peer) };
}

const placeOf = (settings: Settings, context: string | undefined): OpenedPlace =>
  context === undefined ? { settings } : { settings, context };

/** Opens engines, our own ones with the workspace's streams in them. */
function createOpener(deps: ConnectionSwitchDeps) {
  const { clock, randomness, logger, workspace } = deps;
  const ports = { clock, randomness, logger };

  async function provisionQuietly(fabric: Fabric): Promise<void> {
    try {
      await provision(fabric.durable, workspace, { streams: keptStreamsOf(workspace, deps.settings().retention) });
    } catch (error) {
      const { code, message } = toVakError(error, logger);
      logger.warn('connection.not-provisioned', { code, message });
    }
  }

  async function connect(place: OpenedPlace, { peer, ownAuth, signal }: Connecting): Promise<Fabric> {
    const { ownAuth: _, ...rest } = deps;
    return await connectContext({
      ...{ ...rest, ...place, peer },
      ...(ownAuth === undefined ? {} : { ownAuth }),
      ...(signal === undefined ? {} : { signal }),
      onDenied: (denied) => deps.onDenied?.(peer, denied),
      onError: (error) => logger.warn('connection.refused', { peer, code: error.code, message: error.message }),
    });
  }

  function engineOf(fabric: Fabric, place: OpenedPlace): EngineInUse {
    const { context, kind, readOnly } = busSettingsOf(place.settings, place.context);
    const destination = destinationOf(place.settings, place.context);
    const engine = { kind, fabric, destination, readOnlyContext: readOnly ? context : undefined };
    if (kind === 'embedded' || readOnly) return engine;
    return {
      ...engine,
      connectAs: ({ ownAuth, ...who }) =>
        // A connection erases its keys at its end: these are for the next one as well.
        connect(place, { ...who, ownAuth: { read: () => ownAuth.read(), dispose() {} } }),
    };
  }

  async function open(place: OpenedPlace, signal?: AbortSignal): Promise<Fabric> {
    const peer = deps.peer();
    const fabric = await connect(place, { peer, ...ownAuthOf(deps, peer), ...(signal && { signal }) });
    const { kind, readOnly } = busSettingsOf(place.settings, place.context);
    // Of our own engines we are the provisioner; a remote one is made ready by whoever may.
    if (kind !== 'remote' && !readOnly) await provisionQuietly(fabric);
    return fabric;
  }

  return {
    open,
    async openAt(place: OpenedPlace, signal?: AbortSignal): Promise<Present> {
      return { isStandIn: false, engine: engineOf(await open(place, signal), place) };
    },
    /** What stands in until there is another. */
    async openMemory(): Promise<Present> {
      const fabric = await createEmbeddedFabric({ ...ports, folder: undefined, durability: 'written' });
      return {
        isStandIn: true,
        engine: { kind: 'embedded', fabric, destination: 'memory', readOnlyContext: undefined },
      };
    },
  };
}

/** Tries again after a while that grows with each try. */
function createRetry(clock: FabricPorts['clock'], run: () => void) {
  let count = 0;
  let timer: Disposable | undefined;
  const stop = (): void => timer?.dispose();
  return {
    stop,
    count: () => count,
    reset() {
      count = 0;
    },
    later() {
      const waitMs = Math.min(lastRetryMs, firstRetryMs * 2 ** Math.min(count, 10));
      count++;
      stop();
      timer = clock.setTimer(waitMs, run);
    },
  };
}

/** Those who keep something for the engine in use, and let go of it before it is left. */
function createLeaving({ clock, logger }: Pick<FabricPorts, 'clock' | 'logger'>) {
  const keepers = new Set<() => Promise<void>>();
  return {
    add(listener: () => Promise<void>): Disposable {
      const own = (): Promise<void> => listener();
      keepers.add(own);
      return toDisposable(() => keepers.delete(own));
    },
    /** What is claimed on it is given back while it is still there. */
    async letGo(): Promise<void> {
      if (keepers.size === 0) return;
      const all = Promise.allSettled(Array.from(keepers, (leave) => leave()));
      if (!(await settlesWithin(clock, leaveLimitMs, all))) logger.warn('connection.left-in-haste');
    },
  };
}

const inUseOf = (present: Present | undefined): EngineInUse | undefined =>
  present?.isStandIn === false ? present.engine : undefined;

/** The fabric in use for somebody who closes what was opened: closing it leaves it in use. */
function lend({ bus, durable, status, onStatus, facts, ping }: LiveFabric): Fabric {
  return { bus, durable, status, onStatus, facts, ping, close: async () => {} };
}

/** Opens the first engine: the embedded one if it is asked for, else one in memory until the connection is there. */
export async function openConnectionSwitch(deps: ConnectionSwitchDeps): Promise<ConnectionSwitch> {
  const { clock, logger } = deps;
  const opener = createOpener(deps);
  const changes = createListenerSet<void>(logger, 'connection.change');
  const leaving = createLeaving({ clock, logger });
  let inUse = busSettingsOf(deps.settings());
  let problem: ErrorShape | undefined;
  let present: Present | undefined;
  let isEstablished = false;
  const retry = createRetry(clock, () => follow());
  let closing: AbortController | undefined = new AbortController();
  /** One change at a time; what fails changes nothing but `problem`. */
  const changing = createSerialLane();

  const changed = (): void => changes.tell();

  async function openFirst(): Promise<Present> {
    if (inUse.kind !== 'embedded') return await opener.openMemory();
    try {
      const first = await opener.openAt({ settings: deps.settings() });
      isEstablished = true;
      return first;
    } catch (thrown) {
      problem = toVakError(thrown, logger).toShape();
      return await opener.openMemory();
    }
  }

  present = await openFirst();
  const live = createLiveFabric(present.engine.fabric, { logger });
  const sinceMs = clock.now();

  /** Whatever is kept for what was there before is let go of first. */
  async function exchangeFor(next: Present): Promise<void> {
    const former = present;
    present = undefined;
    changed();
    await leaving.letGo();
    try {
      await live.exchange(next.engine.fabric);
      present = next;
    } catch (error) {
      present = former;
      changed();
      throw error;
    }
  }

  async function moveTo(settings: Settings, context: string | undefined): Promise<void> {
    const wanted = busSettingsOf(settings, context);
    // Its journal can be open once: it is left before it is opened anew.
    if (isEstablished && inUse.kind === 'embedded' && wanted.kind === 'embedded') {
      await exchangeFor(await opener.openMemory());
      isEstablished = false;
    }
    await exchangeFor(await opener.openAt(placeOf(settings, context), closing?.signal));
    inUse = wanted;
    isEstablished = true;
    problem = undefined;
    retry.reset();
    changed();
  }

  /** Whether what is in use is what is asked for. */
  function isThere(wanted: BusSettings, isAnew: boolean): boolean {
    return isEstablished && keyOf(wanted) === keyOf(inUse) && !(isAnew && wanted.kind === 'remote');
  }

  function fail(thrown: unknown, context: string): void {
    const { code, message, ...error } = toVakError(thrown, logger).toShape();
    if (closing === undefined) return;
    problem = { code, message, ...error };
    logger.warn('connection.failed', { context, code, message });
    retry.later();
    changed();
  }

  async function followNow(isAnew: boolean): Promise<void> {
    if (closing === undefined) return;
    const settings = deps.settings();
    const wanted = busSettingsOf(settings);
    if (isThere(wanted, isAnew)) {
      problem = undefined;
      return changed();
    }
    if (!isEstablished) inUse = wanted;
    try {
      await moveTo(settings, undefined);
    } catch (thrown) {
      fail(thrown, wanted.context);
    }
  }

  function follow(isAnew = false): void {
    retry.stop();
    void changing.run(() => followNow(isAnew));
  }

  live.onStatus(changed);
  if (!isEstablished) follow();

  return {
    live,
    ...{ current: () => inUse.context, present: () => present?.engine, engine: () => inUseOf(present) },
    ...{ problem: () => problem, readOnlyContext: () => (inUse.readOnly ? inUse.context : undefined) },
    status() {
      if (isEstablished || inUse.context === embeddedContext) return live.status();
      const attempt = retry.count();
      if (attempt === 0) return { kind: 'connecting', sinceMs };
      return { kind: 'reconnecting', sinceMs, attempt, error: problem ?? null };
    },
    ...{ follow, onChange: changes.add, onLeave: leaving.add },
    use: (name) =>
      changing.run(async () => {
        retry.stop();
        const wanted = busSettingsOf(deps.settings(), name);
        if (isEstablished && keyOf(wanted) === keyOf(inUse)) return;
        await moveTo(deps.settings(), name);
      }),
    async connect(name, signal) {
      const isInUse = isEstablished && keyOf(busSettingsOf(deps.settings(), name)) === keyOf(inUse);
      return isInUse ? lend(live) : await opener.open(placeOf(deps.settings(), name), signal);
    },
    async close() {
      closing?.abort();
      closing = undefined;
      retry.stop();
      await changing.idle();
      await live.close();
      changes.clear();
    },
  };
}
