/**
 * Where what lies in a profile, for the app and the command line alike (product.md "Configuration").
 * Law: one name for one file; nothing of a profile is read from anywhere else.
 */
import { join } from 'node:path';

/** Paths of a profile's files. */
export interface ProfileFiles {
  readonly settings: string;
  readonly keyStore: string;
  /** Highest serials seen. */
  readonly serials: string;
  /** Newest entries seen of rooms' logs. */
  readonly roomHeads: string;
  /** Keys seen first. */
  readonly pins: string;
  /** Heads of the own peers' chains. */
  readonly heads: string;
  /** Which incidents were acknowledged. */
  readonly incidents: string;
  /** When the key store was backed up last. */
  readonly backupRecord: string;
  /** Folder of the embedded engine's journal. */
  readonly engine: string;
  /** Folder of the managed nats-server. */
  readonly managedServer: string;
  /** Folder of what waits to be published. */
  readonly outbox: string;
  /** Folder of what is kept of rooms, sealed. */
  readonly rooms: string;
  /** Folder of retries of dead letters. */
  readonly campaigns: string;
  /** Cards and grants of a workspace. `workspace` must be a token. */
  directory(workspace: string): string;
}

/** Files of the profile in `folder`. */
export function profileFiles(folder: string): ProfileFiles {
  return {
    settings: join(folder, 'settings.json'),
    keyStore: join(folder, 'key-store.json'),
    serials: join(folder, 'serials.json'),
    roomHeads: join(folder, 'room-heads.json'),
    pins: join(folder, 'pins.json'),
    heads: join(folder, 'heads.json'),
    incidents: join(folder, 'incidents.json'),
    backupRecord: join(folder, 'backup-record.json'),
    engine: join(folder, 'engine'),
    managedServer: join(folder, 'managed-server'),
    outbox: join(folder, 'outbox'),
    rooms: join(folder, 'rooms'),
    campaigns: join(folder, 'campaigns'),
    directory: (workspace) => join(folder, 'workspaces', `${workspace}.json`),
  };
}
