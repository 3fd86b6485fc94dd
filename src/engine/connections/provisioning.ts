/**
 * Whether the server of the connection in use has what the workspace needs, and making it (protocol.md §1).
 * Law: the same code makes it as `vak provision`; looking changes nothing, and a read-only context makes nothing.
 */
import { createDisposer, type Disposable } from '../../shared/base/disposer.ts';
import { isVakError, VakError } from '../../shared/base/vak-error.ts';
import type { AppContract } from '../../shared/contract/app-contract.ts';
import type { Services } from '../../shared/contract/define-contract.ts';
import type {
  ProvisioningPart,
  ProvisioningPlan,
  ProvisioningState,
} from '../../shared/contract/provisioning-contract.ts';
import { streamsOf } from '../../shared/protocol/stream-table.ts';
import type { DurablePlane } from '../bus/durable.ts';
import { keyValuesOf, type ProvisionedPart, provision } from '../bus/provision.ts';
import type { Clock } from '../ports/clock.ts';
import type { ConnectionSwitch } from './connection-switch.ts';

export interface Provisioning extends Disposable {
  readonly calls: Services<AppContract>['provisioning'];
  state(): ProvisioningState;
}

export interface ProvisioningDeps {
  readonly workspace: string;
  readonly connection: Pick<ConnectionSwitch, 'engine' | 'current' | 'status' | 'onChange'>;
  readonly clock: Clock;
  readonly onChange: () => void;
}

/** While something is lacking, or not known, it is looked again so often, ms: whoever runs the server may make it. */
const everyMs = 10_000;
/** Copies of what is made. */
const replicas = 1;

/** What is made, with its bounds, by its name. */
function partOf(workspace: string, { name, kind, outcome }: ProvisionedPart): ProvisioningPart {
  const stream = streamsOf(workspace).find((one) => one.name === name);
  const bucket = keyValuesOf(workspace).find((one) => one.name === name);
  return {
    ...{ name, outcome, replicas, kind: kind === 'stream' ? 'stream' : 'key-value' },
    ...{ subjects: stream?.subjects ?? [], maxAgeMs: stream?.maxAgeMs ?? null, maxBytes: stream?.maxBytes ?? null },
    ...{ whenFull: stream?.whenFull ?? null, history: bucket?.history ?? null },
  };
}

/** Streams that are not there. Whoever may not look does not know: then none is told. */
async function lackingOf(durable: DurablePlane, workspace: string): Promise<readonly string[]> {
  const lacking: string[] = [];
  for (const { name } of streamsOf(workspace)) {
    try {
      await durable.stream(name).state();
    } catch (error) {
      if (!isVakError(error, 'not-found')) throw error;
      lacking.push(name);
    }
  }
  return lacking;
}

/** Creates it; it looks as soon as there is a connection. */
export function createProvisioning({ workspace, connection, clock, onChange }: ProvisioningDeps): Provisioning {
  const held = createDisposer();
  let known: { readonly destination: string; readonly lacking: readonly string[] } | undefined;
  let isLooking = false;

  const inUse = () => (connection.status().kind === 'connected' ? connection.engine() : undefined);

  async function look(): Promise<void> {
    const engine = inUse();
    if (engine === undefined || isLooking) return;
    const { destination, fabric } = engine;
    isLooking = true;
    try {
      known = { destination, lacking: await lackingOf(fabric.durable, workspace) };
    } catch (error) {
      if (!isVakError(error)) throw error;
      known = undefined;
    } finally {
      isLooking = false;
    }
    onChange();
  }

  function follow(): void {
    const destination = inUse()?.destination;
    if (destination !== undefined && known?.destination !== destination) void look();
  }

  async function run(dryRun: boolean): Promise<ProvisioningPlan> {
    const engine = inUse();
    const environment = connection.current();
    if (engine === undefined) {
      throw new VakError('disconnected', `provision: there is no connection to ${environment}`, { retryable: true });
    }
    if (!dryRun && engine.readOnlyContext !== undefined) {
      throw new VakError('read-only', `provision: the connection ${engine.readOnlyContext} is read-only`);
    }
    try {
      const parts = await provision(engine.fabric.durable, workspace, { dryRun });
      return { environment, parts: parts.map((part) => partOf(workspace, part)) };
    } finally {
      if (!dryRun) await look();
    }
  }

  held.add(connection.onChange(follow));
  held.add(
    clock.setTicker(everyMs, () => {
      if (known === undefined || known.lacking.length > 0) void look();
    }),
  );
  follow();

  return {
    calls: {
      plan: () => run(true),
      async make({ environment }) {
        if (environment !== connection.current()) {
          throw new VakError(
            'conflict',
            'provision: the connection was changed meanwhile; look again what is missing',
            {
              details: { field: 'environment' },
            },
          );
        }
        return await run(false);
      },
    },
    state() {
      const destination = connection.engine()?.destination;
      return { lacking: known !== undefined && known.destination === destination ? known.lacking : [] };
    },
    dispose: () => held.dispose(),
  };
}
