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

/** An engine, and by which name things are kept for it alone. */
export interface EngineInUse {
  readonly kind: ContextKind;
  readonly fabric: Fabric;
  readonly destination: string;
  /** Name of the context if it is read-only. */
  readonly readOnlyContext: string | undefined;
}

export interface ConnectionSwitch {
  readonly live: LiveFabric;
  /** The engine in use; undefined while what stands behind the app is no more than a stand-in. */
  engine(): EngineInUse | undefined;
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

/** Opens engines, our own ones with the workspace's streams in them. */
function createOpener(deps: ConnectionSwitchDeps) {
  const { clock, randomness, logger, workspace } = deps;

  async function provisionQuietly(fabric: Fabric): Promise<void> {
    try {
      await provision(fabric.durable, workspace, { streams: keptStreamsOf(workspace, deps.settings().retention) });
    } catch (error) {
      const { code, message } = toVakError(error, logger);
      logger.warn('connection.not-provisioned', { code, message });
    }
  }

  return {
    async open(settings: Settings, context: string | undefined, signal?: AbortSignal): Promise<Fabric> {
      const peer = deps.peer();
      const own = deps.ownAuth?.(peer);
      const { ownAuth: _, ...rest } = deps;
      const fabric = await connectContext({
        ...rest,
        ...{ settings, peer },
        ...(own === undefined ? {} : { ownAuth: own }),
        ...(context === undefined ? {} : { context }),
        ...(signal === undefined ? {} : { signal }),
        onDenied: (denied) => deps.onDenied?.(peer, denied),
        onError: (error) => logger.warn('connection.refused', { code: error.code, message: error.message }),
      });
      const { kind, readOnly } = busSettingsOf(settings, context);
      // Of our own engines we are the provisioner; a remote one is made ready by whoever may.
      if (kind !== 'remote' && !readOnly) await provisionQuietly(fabric);
      return fabric;
    },
    /** What stands in until there is another. */
    openMemory: () => createEmbeddedFabric({ folder: undefined, durability: 'written', clock, randomness, logger }),
  };
}

function engineOf(fabric: Fabric, settings: Settings, context: string | undefined): EngineInUse {
  const { context: name, kind, readOnly } = busSettingsOf(settings, context);
  return { kind, fabric, destination: destinationOf(settings, context), readOnlyContext: readOnly ? name : undefined };
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
  let engine: EngineInUse | undefined;
  let isEstablished = false;
  const retry = createRetry(clock, () => follow());
  let closing: AbortController | undefined = new AbortController();
  /** One change at a time; what fails changes nothing but `problem`. */
  const changing = createSerialLane();

  const changed = (): void => changes.tell();

  async function openFirst(): Promise<Fabric> {
    if (inUse.kind !== 'embedded') return await opener.openMemory();
    try {
      const fabric = await opener.open(deps.settings(), undefined);
      isEstablished = true;
      engine = engineOf(fabric, deps.settings(), undefined);
      return fabric;
    } catch (thrown) {
      problem = toVakError(thrown, logger).toShape();
      return await opener.openMemory();
    }
  }

  const live = createLiveFabric(await openFirst(), { logger });
  const sinceMs = clock.now();

  /** Whatever is kept for the engine before is let go of first. */
  async function exchangeFor(next: Fabric): Promise<void> {
    const former = engine;
    engine = undefined;
    changed();
    if (former !== undefined) await leaving.letGo();
    try {
      await live.exchange(next);
    } catch (error) {
      engine = former;
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
    const next = await opener.open(settings, context, closing?.signal);
    await exchangeFor(next);
    engine = engineOf(next, settings, context);
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
    ...{ current: () => inUse.context, engine: () => engine },
    readOnlyContext: () => (inUse.readOnly ? inUse.context : undefined),
    status() {
      if (isEstablished || inUse.context === embeddedContext) return live.status();
      const attempt = retry.count();
      if (attempt === 0) return { kind: 'connecting', sinceMs };
      return { kind: 'reconnecting', sinceMs, attempt, error: problem ?? null };
    },
    problem: () => problem,
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
      return isInUse ? lend(live) : await opener.open(deps.settings(), name, signal);
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
