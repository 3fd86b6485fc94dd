/** An engine of this process for tests of the library, and connections to it. */
import { afterAll, afterEach, beforeAll } from 'vitest';
import type { ConnectOptions, Embedded, LogEntry, Vak } from '../../src/peers/library/library-api.ts';
import { connect, openEmbedded } from '../../src/peers/library.ts';

export interface LibraryPlace {
  readonly bus: Embedded;
  /** A coordinator, and the operator of the workspace: a person of its profile. Both are there for the whole file. */
  readonly boss: Vak;
  readonly operator: Vak;
  /** A connection that is closed after the test. */
  join(identity: string, more?: Omit<ConnectOptions, 'identity' | 'embedded'>): Promise<Vak>;
  /** The worker `hand` of a queue. */
  joinWorker(queue: string, onLog?: (entry: LogEntry) => void): Promise<Vak>;
}

/** Opens one for a test file, in which each test has a queue of its own. */
export function prepareLibrary(): LibraryPlace {
  let place: { readonly bus: Embedded; readonly boss: Vak; readonly operator: Vak } | undefined;
  const opened: Vak[] = [];
  const get = () => {
    if (place === undefined) throw new Error('the engine is not open');
    return place;
  };
  beforeAll(async () => {
    const embedded = await openEmbedded();
    const boss = await connect({ embedded, identity: 'boss', roles: ['coordinator'] });
    place = { bus: embedded, boss, operator: await connect({ embedded, identity: 'operator' }) };
  });
  afterEach(async () => {
    for (const vak of opened.splice(0)) await vak.close({ finishWithinMs: 0 });
  });
  afterAll(async () => {
    const { bus, boss, operator } = get();
    await boss.close();
    await operator.close();
    await bus.close();
  });

  const join: LibraryPlace['join'] = async (identity, more = {}) => {
    const vak = await connect({ embedded: get().bus, identity, ...more });
    opened.push(vak);
    return vak;
  };
  return {
    get bus() {
      return get().bus;
    },
    get boss() {
      return get().boss;
    },
    get operator() {
      return get().operator;
    },
    join,
    joinWorker: (queue, onLog) => join('hand', { roles: ['worker'], queues: [queue], onLog }),
  };
}
