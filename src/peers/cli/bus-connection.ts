/** The connection of a command: which server, as whom; what is refused there is told (cli.md). */
import type { Fabric } from '../../engine/bus/fabric.ts';
import type { GivenAuth } from '../../engine/bus/nats/nats-auth.ts';
import type { NatsOptions } from '../../engine/bus/nats/nats-options.ts';
import { createContextAuth } from '../../engine/connections/context-auth.ts';
import { readManagedServer } from '../../engine/connections/managed-record.ts';
import { createOwnServerAuth, provenBy } from '../../engine/connections/own-server-auth.ts';
import { createReadOnlyFabric } from '../../engine/connections/read-only-fabric.ts';
import { busSettingsOf, destinationOf } from '../../engine/settings/bus-settings.ts';
import { settlesWithin } from '../../engine/wait.ts';
import { createDisposer, type Disposer } from '../../shared/base/disposer.ts';
import { isVakError, VakError } from '../../shared/base/vak-error.ts';
import { inboxPrefixOf } from '../../shared/protocol/reader-names.ts';
import type { Settings } from '../../shared/settings/settings-schema.ts';
import { openLineAuth, openSources, readTlsFiles } from './bus-credentials.ts';
import { type DeniedCommand, explainDenied } from './bus-denial.ts';
import type { CliHost, CommonOptions } from './command.ts';
import { checkProfile, type Profile } from './profile.ts';
import { managingSettings, settingsFor } from './settings-for.ts';
import type { OpenWorkspace } from './workspace.ts';

const elsewhere = 'give a server with --nats-url, or use a managed or remote context (vak context ls)';

/** Which server a command asks, for people. */
function labelOf({ context, connection }: CommonOptions, settings: Settings): string {
  if (connection.natsUrl !== undefined) return '--nats-url';
  return settings.natsUrl === null || context !== undefined ? `context ${settings.currentContext}` : 'setting natsUrl';
}

/** After an interruption the server may take so long to let go, ms. */
const hurriedMs = 300;

/** Where a command has connected to. */
export interface BusPlace {
  /** For people. */
  readonly label: string;
  /** For what is kept for this server alone. */
  readonly destination: string;
  /** Name of the context if it is read-only. */
  readonly readOnlyContext: string | undefined;
}

export interface BusAsked {
  readonly common: CommonOptions;
  readonly profile: Profile;
  readonly host: CliHost;
  /** Where the settings lead to no remote server, the profile's managed one is started, and provisioned. */
  readonly isManaging?: boolean;
  /** By whose name inboxes go (A4); the one of `--identity` if left out. */
  readonly peer?: string;
  /** Told of what the server refuses when no promise is left to reject. */
  readonly onRefused?: (error: VakError) => void;
  /** What the peer is granted, where that is known before it is refused something. */
  readonly granted?: DeniedCommand['granted'];
  /** Told of every right that the server did not find. */
  readonly onDenied?: NonNullable<NatsOptions['onDenied']> | undefined;
}

/** Host and port of each address, and nothing else that might stand in one. */
function hostsOf(servers: NatsOptions['servers']): string {
  return servers.map((url) => (URL.canParse(url) ? new URL(url).host : 'an address')).join(', ');
}

/** Why no connection came about: which server was asked, and what may be the reason of a refusal. */
function explained(error: unknown, { profile }: BusAsked, where: string): unknown {
  if (!isVakError(error) || error.code === 'aborted') return error;
  const { code, message, retryable, details } = error;
  const isLocked = code === 'unauthorized' && profile.keyStore.state().kind === 'locked';
  const hint = isLocked ? '; the key store is locked, set VAK_PASSPHRASE_FILE if it holds the credentials' : '';
  const more = details === undefined ? {} : { details };
  return new VakError(code, `${message} (${where})${hint}`, { cause: error, retryable, ...more });
}

type Held = Pick<Disposer, 'add' | 'defer'>;

/** A server, and who this is there. */
type Server = Pick<NatsOptions, 'servers' | 'auth' | 'tls'>;

/** The app runs it only while it uses that very connection: being open is not enough. */
function notManagedNow(label: string, context: string, { settings }: Profile): VakError {
  const { natsUrl, currentContext } = settings.settings();
  const isUsed = natsUrl === null && currentContext === context;
  const advice = isUsed
    ? 'start the app on this profile (if it is open, its title bar says why its server does not run)'
    : `the app runs it only while it uses this connection: ${natsUrl === null ? '' : 'vak config bus delete natsUrl, '}vak context use ${context}, with the app open on this profile`;
  return new VakError('disconnected', `${label}: its server is not running; ${advice}, or ${elsewhere}`);
}

interface ManagedAsked {
  readonly label: string;
  readonly context: string;
}

/** The managed server runs with the app, and is joined, never started, from here. */
async function managedServer(
  { common, profile, host }: BusAsked,
  { label, context }: ManagedAsked,
  held: Held,
): Promise<Server> {
  refuseFiles(label, common.connection);
  const found = await readManagedServer(profile.files.managedServer, host.clock);
  if (found === undefined) throw notManagedNow(label, context, profile);
  const { url, seed } = held.add({ ...found, dispose: () => found.seed.dispose() });
  return { servers: [url], auth: { kind: 'nkey', seed } };
}

/** Whose name a command goes by at a server: whom it says, else the profile's person, as far as the key store is open. */
function nameOf({ common, profile, peer }: BusAsked): string {
  const named = peer ?? common.identity;
  if (named !== undefined) return named;
  const isOpen = profile.keyStore.state().kind === 'unlocked';
  const people = isOpen ? profile.keyStore.read().identities.filter(({ kind }) => kind === 'human') : [];
  return (people.length === 1 ? people[0]?.peer : undefined) ?? 'vak';
}

/** The error as a command says it: if the server refused something, with who tried it, and by which rule (A20). */
export function inBusWords(error: unknown, asked: BusAsked): Promise<unknown> {
  const { common, profile, host, granted } = asked;
  return explainDenied(error, { common, profile, host, granted, peer: nameOf(asked) });
}

/** A server by its address; `context`: whose own credentials may be used there. Without any a peer is known by its own key. */
async function remoteServer(
  asked: BusAsked,
  { natsUrl, context }: { readonly natsUrl: string; readonly context: string | undefined },
  held: Held,
): Promise<Server> {
  const { common, profile, host } = asked;
  const line = held.add((await openLineAuth(common.connection)) ?? { read: undefined, dispose: () => {} });
  const tls = await readTlsFiles(common.connection);
  held.defer(() => tls?.key?.dispose());
  const own = held.add(createContextAuth({ context, sources: await openSources(profile, host) }));
  const readOwn = async (): Promise<GivenAuth> => {
    const found = await own.read();
    if (found !== undefined) return found;
    throw new VakError('locked', 'connect: the credentials are not there any more; the key store has locked');
  };
  const isGiven = line.read !== undefined || (await own.read()) !== undefined;
  const known = { keyStore: profile.keyStore, workspace: common.workspace, peer: nameOf(asked), clock: host.clock };
  const byKey = held.add(createOwnServerAuth(known));
  const readByKey = byKey.read() === undefined ? undefined : () => byKey.read();
  const readGiven = line.read ?? readOwn;
  const read = isGiven ? async () => provenBy(byKey, await readGiven()) : readByKey;
  const used = tls ?? own.tls();
  return {
    servers: natsUrl.split(','),
    ...(read === undefined ? {} : { auth: read }),
    ...(used === undefined ? {} : { tls: used }),
  };
}

/** Files of a line are for a server that is given: the managed one has its own credentials. */
function refuseFiles(label: string, { natsUrl: _, ...files }: CommonOptions['connection']): void {
  if (Object.values(files).every((path) => path === undefined)) return;
  throw new VakError(
    'invalid-input',
    `${label}: its server is managed and has its own credentials; leave --creds, --nkey-file, --tls-… out`,
  );
}

async function startManaged(asked: BusAsked, label: string, settings: Settings): Promise<Fabric> {
  const { common, profile, host, onRefused, onDenied } = asked;
  refuseFiles(label, common.connection);
  const { connectManaging } = await import('./managing-bus.ts');
  const { workspace } = common;
  return await connectManaging({ profile, host, workspace, peer: nameOf(asked), onRefused, onDenied }, settings);
}

async function connect(asked: BusAsked, settings: Settings, held: Held): Promise<Fabric> {
  const { common, host, onRefused, onDenied } = asked;
  const { clock, logger, randomness, signal } = host;
  const { context, kind, natsUrl, readOnly } = busSettingsOf(settings);
  const label = labelOf(common, settings);
  if (kind === 'embedded') {
    throw new VakError(
      'disconnected',
      `${label}: its bus is embedded, it lives inside the app's process and no other process can reach it; ${elsewhere}`,
    );
  }
  if (kind === 'remote' && natsUrl === null) {
    throw new VakError('invalid-input', `${label}: has no address; set contexts.${context}.url, or ${elsewhere}`);
  }
  if (kind === 'managed' && asked.isManaging === true) return await startManaged(asked, label, settings);
  // The setting natsUrl is another server's address: the context's own credentials are not for it.
  const owner = settings.natsUrl === null ? context : undefined;
  const server =
    natsUrl === null
      ? await managedServer(asked, { label, context }, held)
      : await remoteServer(asked, { natsUrl, context: owner }, held);
  // Read only here: the client of NATS takes its time to load, and most commands need none.
  const { connectNats } = await import('../../engine/bus/nats/nats-fabric.ts');
  const peer = nameOf(asked);
  try {
    const fabric = await connectNats({
      ...{ ...server, clock, logger, randomness, signal, name: peer },
      inboxPrefix: inboxPrefixOf(common.workspace, peer),
      ...(onRefused === undefined ? {} : { onError: onRefused }),
      ...(onDenied === undefined ? {} : { onDenied }),
    });
    return readOnly ? createReadOnlyFabric(fabric, context) : fabric;
  } catch (error) {
    throw explained(error, asked, `${label}, ${hostsOf(server.servers)}`);
  }
}

/**
 * Locks the key store of a peer that runs for hours, once it has its own keys: a process that has the root open is worth attacking. It
 * stays open where the connection, when it is sought anew, asks it for its credentials.
 */
export function lockUnlessNeeded({ connection }: CommonOptions, open: OpenWorkspace): void {
  const isNamed = connection.creds !== undefined || connection.nkeyFile !== undefined;
  if (isNamed || open.contents().credentials.size === 0) open.profile.keyStore.lock();
}

/**
 * Connects to the server of `--nats-url`, of `--context`, of the setting natsUrl, or of the current context; runs the work, closes.
 * Throws `disconnected` also for an embedded context, which no other process reaches, what connecting throws, and what the server refuses
 * in the words of {@link inBusWords}.
 */
export async function withBus<T>(asked: BusAsked, work: (fabric: Fabric, place: BusPlace) => Promise<T>): Promise<T> {
  const { common, profile, host, isManaging = false } = asked;
  checkProfile(profile, common);
  const given = settingsFor(common, profile.settings.settings());
  const settings = isManaging ? managingSettings(given) : given;
  const held = createDisposer();
  try {
    const fabric = await connect(asked, settings, held);
    try {
      const { context, readOnly } = busSettingsOf(settings);
      return await work(fabric, {
        label: labelOf(common, settings),
        destination: destinationOf(settings),
        readOnlyContext: readOnly ? context : undefined,
      });
    } catch (error) {
      throw await inBusWords(error, asked);
    } finally {
      const closed = fabric.close();
      // Whoever interrupts does not wait for a server that does not answer; one's own is ended in order.
      if (host.signal.aborted && !isManaging) await settlesWithin(host.clock, hurriedMs, closed);
      else await closed;
    }
  } finally {
    held.dispose();
  }
}
