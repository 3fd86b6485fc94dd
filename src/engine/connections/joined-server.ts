/**
 * A managed server that another process runs, as one that joined it sees it (product.md "Engines and headless peers").
 * Law: that its owner has gone is noticed and told, so that somebody starts it again in the same place.
 */
import type { Disposable } from '../../shared/base/disposer.ts';
import { VakError } from '../../shared/base/vak-error.ts';
import type { Clock } from '../ports/clock.ts';
import type { Logger } from '../ports/logger.ts';
import { isLiving, type ManagedRecord, readRecord } from './managed-record.ts';
import { createManagedStates, type ManagedState } from './managed-state.ts';

export interface JoinedServerDeps {
  readonly folder: string;
  readonly clock: Clock;
  readonly logger: Logger;
}

export interface JoinedServer {
  state(): ManagedState;
  onState(listener: (state: ManagedState) => void): Disposable;
  stop(): void;
}

const lookMs = 2_000;

/** Looks after whoever runs it, until it is stopped or nobody runs it. `joined`: the record as it was then. */
export function watchJoinedServer({ folder, clock, logger }: JoinedServerDeps, joined: ManagedRecord): JoinedServer {
  const states = createManagedStates(clock, logger);
  let isLooking = false;

  async function look(): Promise<void> {
    const record = await readRecord(folder);
    // Another process may have taken it over meanwhile, on the same port.
    const isRun = record?.port === joined.port && (await isLiving(record.owner, record.place)) !== false;
    if (isRun || states.now().kind !== 'running') return;
    ticker.dispose();
    const error = new VakError('disconnected', 'managed server: the process that ran it has ended', {
      retryable: true,
    });
    states.change({ kind: 'failed', sinceMs: clock.now(), error: error.toShape() });
  }

  const ticker = clock.setTicker(lookMs, () => {
    if (isLooking) return;
    isLooking = true;
    look()
      .catch((thrown: unknown) => logger.bug('managed-server.look', thrown))
      .finally(() => {
        isLooking = false;
      });
  });
  return {
    state: states.now,
    onState: states.add,
    stop() {
      ticker.dispose();
      if (states.now().kind !== 'stopped') states.change({ kind: 'stopped', sinceMs: clock.now() });
      states.clear();
    },
  };
}
