/** A program in the place of the app: runs one command on a worker, tells whose it is, and waits to be killed. */
import { createMemoryBus } from '../../src/engine/bus/memory/memory-bus.ts';
import { createMemoryHeadStore } from '../../src/engine/envelope/memory-head-store.ts';
import { createSystemClock } from '../../src/engine/ports/clock.ts';
import { createSilentLogger } from '../../src/engine/ports/logger.ts';
import { createSystemRandomness } from '../../src/engine/ports/randomness.ts';
import { createForkLauncher } from '../../src/engine/swarm/fork-launcher.ts';
import { createLocalSwarm } from '../../src/engine/swarm/local-swarm.ts';
import { swarmPartsOn } from './swarm-parts.ts';
import { createTestIssuer } from './worker-credentials.ts';

const [entry = '', ...command] = process.argv.slice(2);
const clock = createSystemClock();
const logger = createSilentLogger();
const swarm = createLocalSwarm({
  issueCredentials: createTestIssuer('test'),
  heads: createMemoryHeadStore(),
  launch: createForkLauncher({ entry, environment: process.env, logger }),
  ...{
    ...swarmPartsOn(createMemoryBus({ clock, logger })),
    clock,
    logger,
    randomness: createSystemRandomness(),
    workspace: 'test',
  },
  onChange: () => {},
});
const { session } = await swarm.run({ command });
process.stdout.write(`${JSON.stringify({ session, worker: swarm.state().workers[0]?.pid })}\n`);
