/**
 * Grants and peers as the app shows them (product.md "Identity & access").
 * Law: constructs and connects, decides nothing.
 */
import { createDisposer, type Disposable } from '../../shared/base/disposer.ts';
import type { PeersState } from '../../shared/contract/access-contract.ts';
import type { AppContract } from '../../shared/contract/app-contract.ts';
import type { Services } from '../../shared/contract/define-contract.ts';
import type { Logger } from '../ports/logger.ts';
import { type AccessExportDeps, createAccessExportService } from './access-export-service.ts';
import { createCardSightings } from './card-sightings.ts';
import { createGrantsService, type GrantsServiceDeps } from './grants-service.ts';
import type { KeyStore } from './key-store.ts';
import { createPeersService, type PeersServiceDeps } from './peers-service.ts';
import type { WorkspaceRecords } from './workspace-records.ts';

export interface AccessPorts extends Pick<GrantsServiceDeps, 'clock' | 'randomness'> {
  readonly prompt: PeersServiceDeps['prompt'] & AccessExportDeps['prompt'];
  readonly logger: Logger;
  readonly profile: {
    readonly keyStore: Pick<KeyStore, 'state' | 'read' | 'update' | 'onChange'>;
    readonly records: WorkspaceRecords;
  };
}

export interface AccessServiceDeps extends Pick<GrantsServiceDeps, 'right'> {
  /** `current`: name of the context in use. */
  readonly connection: { current(): string };
  readonly identity: Pick<PeersServiceDeps, 'operator'>;
  readonly outbox: Pick<GrantsServiceDeps, 'publish'>;
  /** Told when the peers have changed. */
  readonly onChange: () => void;
}

export interface AccessService extends Disposable {
  readonly calls: Services<AppContract>['access'];
  peers(): PeersState;
  /** Resolves when the cards that have come so far are noted. */
  settled(): Promise<void>;
}

/** Creates it. */
export function createAccessService(ports: AccessPorts, deps: AccessServiceDeps): AccessService {
  const { keyStore, records } = ports.profile;
  const { identity, outbox, connection, right, onChange } = deps;
  const held = createDisposer();
  const own = { ...ports, keyStore, records };
  const sightings = held.add(createCardSightings(own));
  const peers = createPeersService({ ...own, sightings, operator: identity.operator });
  for (const source of [records.pins, records.directory, keyStore]) held.add(source.onChange(onChange));
  return {
    calls: {
      ...createGrantsService({ ...own, right, environment: connection.current, publish: outbox.publish }),
      ...peers.calls,
      ...createAccessExportService(own),
    },
    peers: peers.state,
    settled: sightings.settled,
    dispose: () => held.dispose(),
  };
}
