/**
 * Makes the consumers that peers claim from on the server in use, as its operator (protocol.md A35).
 * Law: it makes what is lacking and changes nothing; what could not be made is tried again, and told in the log once.
 */
import { createDisposer, type Disposable } from '../../shared/base/disposer.ts';
import { isVakError } from '../../shared/base/vak-error.ts';
import { grantedNow } from '../access/access-export.ts';
import { ensureThere, type StreamConsumer } from '../bus/provision.ts';
import type { ConnectionSwitch, EngineInUse } from '../connections/connection-switch.ts';
import type { Profile } from '../identity/profile.ts';
import type { Clock } from '../ports/clock.ts';
import type { Logger } from '../ports/logger.ts';
import { createSerialLane } from '../serial-lane.ts';
import { claimedConsumers } from '../work/claimed-consumers.ts';

/** What was not made is tried again so often, ms. */
const againMs = 10_000;

export interface ClaimedKeeperDeps {
  readonly workspace: string;
  readonly profile: Pick<Profile, 'keyStore' | 'records'>;
  readonly connection: Pick<ConnectionSwitch, 'onChange'>;
  /** The engine that may be written to now. */
  readonly place: () => EngineInUse | undefined;
  /** Whether the key store may be read. */
  readonly isOpen: () => boolean;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Creates it; it follows the connection, the key store and the grants. On the app's own engines each peer makes its own. */
export function createClaimedKeeper(deps: ClaimedKeeperDeps): Disposable {
  const { workspace, profile, connection, place, isOpen, clock, logger } = deps;
  const { keyStore, records } = profile;
  const held = createDisposer();
  const lane = createSerialLane();
  let engine: EngineInUse | undefined;
  /** What stands there, as far as is known. */
  const there = new Set<string>();
  const told = new Set<string>();
  let isWhole = true;
  let isDisposed = false;

  function wanted() {
    if (!isOpen()) return [];
    const contents = keyStore.read();
    if (!contents.workspaces.some((one) => one.workspace === workspace)) return [];
    return claimedConsumers(workspace, grantedNow({ workspace, contents, records, nowMs: clock.now() }));
  }

  /** Whether it stands there now. Throws what asking for it throws. */
  async function makeOne({ fabric }: EngineInUse, one: StreamConsumer): Promise<boolean> {
    const name = `${one.stream} ${one.spec.name}`;
    if (there.has(name)) return true;
    try {
      await ensureThere(fabric.durable, one);
      there.add(name);
      return true;
    } catch (error) {
      if (!isVakError(error)) throw error;
      if (!told.has(name)) logger.warn('consumers.not-made', { name, code: error.code });
      told.add(name);
      return false;
    }
  }

  async function makeAll(): Promise<void> {
    const now = place();
    if (now !== engine) there.clear();
    engine = now;
    isWhole = true;
    if (now?.kind !== 'remote') return;
    for (const one of wanted()) {
      if (isDisposed || place() !== now) return;
      const isThere = await makeOne(now, one);
      isWhole &&= isThere;
    }
  }

  const follow = (): void => {
    lane.run(makeAll).catch((thrown: unknown) => logger.bug('consumers.keep', thrown));
  };
  held.add(connection.onChange(follow));
  held.add(keyStore.onChange(follow));
  held.add(records.directory.onChange(follow));
  held.add(clock.setTicker(againMs, () => (isWhole ? undefined : follow())));
  held.add({
    dispose() {
      isDisposed = true;
    },
  });
  follow();
  return held;
}
