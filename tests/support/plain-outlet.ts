/** A session's way to a bus for tests that look at what is said, not at who says it: envelopes without seal or signature. */
import type { Bus } from '../../src/engine/bus/bus.ts';
import { createEnvelopeAuthor } from '../../src/engine/envelope/envelope-author.ts';
import { createMemoryHeadStore } from '../../src/engine/envelope/memory-head-store.ts';
import { createSystemClock } from '../../src/engine/ports/clock.ts';
import { createSilentLogger } from '../../src/engine/ports/logger.ts';
import { createSystemRandomness } from '../../src/engine/ports/randomness.ts';
import { createEnvelopeOutlet } from '../../src/engine/work/envelope-outlet.ts';
import type { SessionOutlet } from '../../src/engine/work/session-publisher.ts';

/** Creates the outlet of peer `w1` in workspace `test`. A failure to publish is thrown: no such test expects one. */
export function createPlainOutlet(bus: Pick<Bus, 'publish' | 'whenWritable'>, session: string): SessionOutlet {
  const author = createEnvelopeAuthor({
    ...{ workspace: 'test', peer: 'w1', session, kind: 'e', heads: createMemoryHeadStore() },
    ...{ clock: createSystemClock(), randomness: createSystemRandomness() },
  });
  return createEnvelopeOutlet({
    ...{ bus, author, logger: createSilentLogger() },
    onFailure(reason) {
      throw new Error(reason);
    },
  });
}
