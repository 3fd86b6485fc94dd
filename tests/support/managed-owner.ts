/** A program that starts the managed server of a folder, tells its pid as a line, and waits to be killed. */
import { writeSync } from 'node:fs';
import { startManagedServer } from '../../src/engine/connections/managed-server.ts';
import { createSystemClock } from '../../src/engine/ports/clock.ts';
import { createSilentLogger } from '../../src/engine/ports/logger.ts';
import { createSystemRandomness } from '../../src/engine/ports/randomness.ts';

const [folder = '', program = ''] = process.argv.slice(2);
const server = await startManagedServer({
  ...{ folder, clock: createSystemClock(), logger: createSilentLogger(), randomness: createSystemRandomness() },
  findOnPath: () => program,
});
writeSync(1, `${server.pid}\n`);
