/**
 * Program `worker`: a peer that runs commands. Started by the app it serves main's bus; by hand it runs one command.
 */
import { createForkPort } from '../engine/bus/channel/fork-port.ts';
import { runSelfTest } from '../engine/crypto/self-test.ts';
import { createSystemClock } from '../engine/ports/clock.ts';
import { createJsonLogger } from '../engine/ports/logger.ts';
import { createSystemRandomness, createUuid } from '../engine/ports/randomness.ts';
import { removeStalePipes } from '../engine/work/command-pipes.ts';
import { createProcessTable } from '../engine/work/process-table.ts';
import { createParentPort, type ElectronParentPort } from './parent-port.ts';
import type { WorkerHost } from './worker-host.ts';
import { runOnChannel } from './worker-on-channel.ts';

const clock = createSystemClock();
const randomness = createSystemRandomness();
const host: WorkerHost = {
  clock,
  randomness,
  logger: createJsonLogger(
    (line) => process.stderr.write(`${line}\n`),
    clock.now,
    () => createUuid(clock, randomness),
  ),
  table: createProcessTable(),
  environment: { ...process.env },
  cwd: process.cwd(),
  selfTest: runSelfTest,
  exit: (code) => process.exit(code),
};
// Whoever read our stderr is gone: then nobody reads the log.
process.stderr.on('error', () => {});
// The clock's timers do not keep a process alive, and between two events nothing else may.
setInterval(() => {}, 0x7fff_ffff);

// Of workers whose app died with them.
removeStalePipes();

const { parentPort } = process as { parentPort?: ElectronParentPort };
if (parentPort) runOnChannel(createParentPort(parentPort), host);
else if (process.send !== undefined) runOnChannel(createForkPort(process), host);
else {
  // Read only here: a worker of the app starts the sooner for it.
  const { runOnCommandLine } = await import('./worker-on-command-line.ts');
  await runOnCommandLine(process.argv.slice(2), host);
}
