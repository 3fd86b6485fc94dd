/** The managed server of a profile, run by a command that needs no other (cli.md, product.md "Engines and headless peers"). */
import type { Fabric } from '../../engine/bus/fabric.ts';
import type { NatsOptions } from '../../engine/bus/nats/nats-options.ts';
import { provision } from '../../engine/bus/provision.ts';
import { connectContext } from '../../engine/connections/connect-context.ts';
import { createFindOnPath } from '../../engine/connections/find-on-path.ts';
import { createManagedLeases } from '../../engine/connections/managed-leases.ts';
import { startManagedServer } from '../../engine/connections/managed-server.ts';
import type { VakError } from '../../shared/base/vak-error.ts';
import { keptStreamsOf } from '../../shared/settings/kept-streams.ts';
import type { Settings } from '../../shared/settings/settings-schema.ts';
import type { CliHost } from './command.ts';
import type { Profile } from './profile.ts';

export interface ManagingAsked {
  readonly profile: Profile;
  readonly host: CliHost;
  readonly workspace: string;
  readonly peer: string;
  readonly onRefused?: ((error: VakError) => void) | undefined;
  readonly onDenied?: NatsOptions['onDenied'] | undefined;
}

/**
 * Starts the server, or joins it where another process of the profile runs it, connects, and makes what the workspace needs. Closing the
 * fabric ends the server if it is ours; one that another process left is started again in its place. Throws as `connectContext`, `provision`.
 */
export async function connectManaging(asked: ManagingAsked, settings: Settings): Promise<Fabric> {
  const { profile, host, workspace, peer, onRefused, onDenied } = asked;
  const { clock, randomness, logger, environment, signal, output } = host;
  const { files, settings: file } = profile;
  const findOnPath = createFindOnPath(environment['PATH'] ?? '');
  const managed = createManagedLeases(async () => {
    const server = await startManagedServer({ folder: files.managedServer, clock, randomness, logger, findOnPath });
    const whose = server.isOwner ? 'runs' : 'is run by another process';
    output.talk(
      `vak: the managed server ${whose} at ${server.url}; other programs of this profile use it through a managed context`,
    );
    return server;
  }, logger);
  const fabric = await connectContext({
    ...{ settings, workspace, peer, managed, clock, randomness, logger, signal },
    embedded: { folder: files.engine, durability: 'written' },
    sources: () => ({ environment }),
    ...(onRefused === undefined ? {} : { onError: onRefused }),
    ...(onDenied === undefined ? {} : { onDenied }),
  });
  try {
    await provision(fabric.durable, workspace, { streams: keptStreamsOf(workspace, file.settings().retention) });
    return fabric;
  } catch (error) {
    await fabric.close();
    throw error;
  }
}
