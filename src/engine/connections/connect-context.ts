/**
 * From a context of the settings to its engine (product.md "Engines and headless peers", "Configuration").
 * Law: credentials are asked for before each try and erased when one succeeds, no error tells any of them, and through a read-only context
 * nothing can be changed.
 */
import { VakError } from '../../shared/base/vak-error.ts';
import { inboxPrefixOf } from '../../shared/protocol/reader-names.ts';
import type { Settings } from '../../shared/settings/settings-schema.ts';
import type { Fabric } from '../bus/fabric.ts';
import { createEmbeddedFabric, type FabricPorts } from '../bus/memory/embedded-fabric.ts';
import type { JournalDurability } from '../bus/memory/journal.ts';
import type { GivenAuth } from '../bus/nats/nats-auth.ts';
import type { NatsOptions, NatsTls } from '../bus/nats/nats-options.ts';
import { busSettingsOf } from '../settings/bus-settings.ts';
import type { SecretSources } from '../settings/secret-sources.ts';
import { createContextAuth } from './context-auth.ts';
import type { ManagedLeases } from './managed-leases.ts';
import { type OwnServerAuth, provenBy } from './own-server-auth.ts';
import { createReadOnlyFabric } from './read-only-fabric.ts';

/** Where the embedded engine of a profile keeps its journal; undefined: in memory. */
export interface EmbeddedPlace {
  readonly folder: string | undefined;
  readonly durability: JournalDurability;
}

export interface ConnectContextDeps extends FabricPorts {
  readonly settings: Settings;
  /** Left out: the current one. */
  readonly context?: string;
  /** Tokens (S1): whose inbox prefix it is (A4). */
  readonly workspace: string;
  readonly peer: string;
  readonly embedded: EmbeddedPlace;
  readonly managed: ManagedLeases;
  /** Asked before each try to connect. */
  readonly sources: () => SecretSources;
  /** Stands in place of what {@link sources} has: `--creds`, `--nkey-file`. Its secrets stay the caller's. */
  readonly auth?: () => Promise<GivenAuth>;
  /** The peer's own keys, where a remote server is given nothing else; closed with its connection. */
  readonly ownAuth?: OwnServerAuth;
  /** Stands in place of the context's own. Its key stays the caller's. */
  readonly tls?: NatsTls;
  /** What the server refuses when no promise is left to reject. */
  readonly onError?: (error: VakError) => void;
  /** Every right that the server did not find. */
  readonly onDenied?: NatsOptions['onDenied'];
  /** Gives up the first connection. */
  readonly signal?: AbortSignal;
}

/** Runs something once, when the fabric is closed or has not come to be. */
async function owning(connecting: Promise<Fabric>, release: () => Promise<void> | void): Promise<Fabric> {
  let fabric: Fabric;
  try {
    fabric = await connecting;
  } catch (error) {
    await release();
    throw error;
  }
  let closing: Promise<void> | undefined;
  const close = async (): Promise<void> => {
    try {
      await fabric.close();
    } finally {
      await release();
    }
  };
  return {
    bus: fabric.bus,
    durable: fabric.durable,
    status: () => fabric.status(),
    onStatus: (listener) => fabric.onStatus(listener),
    facts: () => fabric.facts(),
    ping: () => fabric.ping(),
    close() {
      closing ??= close();
      return closing;
    },
  };
}

type Server = Pick<NatsOptions, 'servers' | 'auth' | 'tls'>;

async function connect(server: Server, deps: ConnectContextDeps): Promise<Fabric> {
  const { workspace, peer, clock, logger, randomness, onError, onDenied, signal } = deps;
  // Read only here: the client of NATS takes its time to load, and the embedded engine needs none of it.
  const { connectNats } = await import('../bus/nats/nats-fabric.ts');
  return await connectNats({
    ...server,
    ...{ clock, logger, randomness, name: peer },
    inboxPrefix: inboxPrefixOf(workspace, peer),
    ...(onError === undefined ? {} : { onError }),
    ...(onDenied === undefined ? {} : { onDenied }),
    ...(signal === undefined ? {} : { signal }),
  });
}

async function connectRemote(deps: ConnectContextDeps, urls: string, context: string | undefined): Promise<Fabric> {
  const auth = createContextAuth({ context, sources: deps.sources });
  const connecting = async (): Promise<Fabric> => {
    const tls = deps.tls ?? auth.tls();
    const read = deps.auth ?? auth.read;
    const server: Server = {
      servers: urls.split(','),
      async auth() {
        const given = await read();
        return given === undefined ? deps.ownAuth?.read() : provenBy(deps.ownAuth, given);
      },
    };
    const fabric = await connect(tls === undefined ? server : { ...server, tls }, deps);
    auth.erase();
    fabric.onStatus(({ kind }) => {
      if (kind === 'connected') auth.erase();
    });
    return fabric;
  };
  return await owning(connecting(), () => {
    auth.dispose();
    deps.ownAuth?.dispose();
  });
}

async function connectManaged(deps: ConnectContextDeps): Promise<Fabric> {
  const lease = await deps.managed.lease();
  const server: Server = { servers: [lease.server.url], auth: () => lease.server.auth };
  return await owning(connect(server, deps), lease.release);
}

/**
 * Opens the engine of a context. Throws `not-found` (no such context), `invalid-input` (it lacks its address), and what opening an
 * engine throws: `disconnected`, `unauthorized`, `tls-required`, `timeout`, `unsupported`, `already-running`, `corrupt` …
 */
export async function connectContext(deps: ConnectContextDeps): Promise<Fabric> {
  const { settings, embedded, clock, logger, randomness } = deps;
  const { context, kind, natsUrl, readOnly } = busSettingsOf(settings, deps.context);
  const open = async (): Promise<Fabric> => {
    switch (kind) {
      case 'embedded':
        return await createEmbeddedFabric({ ...embedded, clock, logger, randomness });
      case 'managed':
        return await connectManaged(deps);
      case 'remote': {
        if (natsUrl === null) {
          throw new VakError('invalid-input', `context ${context}: it has no address; set contexts.${context}.url`);
        }
        // The setting `natsUrl` is another server's address: the context's own credentials are not for it.
        return await connectRemote(deps, natsUrl, settings.natsUrl === null ? context : undefined);
      }
    }
  };
  const fabric = await open();
  return readOnly ? createReadOnlyFabric(fabric, context) : fabric;
}
