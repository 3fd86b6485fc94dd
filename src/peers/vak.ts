#!/usr/bin/env node
/** Program `vak`: the headless side, one command a line (cli.md). */
import { homedir } from 'node:os';
import { version } from '../../package.json';
import { runSelfTest } from '../engine/crypto/self-test.ts';
import { createSystemClock } from '../engine/ports/clock.ts';
import { createJsonLogger } from '../engine/ports/logger.ts';
import { createSystemRandomness, createUuid } from '../engine/ports/randomness.ts';
import { createNoVault } from '../engine/ports/vault.ts';
import { type CliHost, exitCodes } from './cli/command.ts';
import { commandTable } from './cli/command-table.ts';
import { createOutput } from './cli/output.ts';
import { runCommandLine } from './cli/run-command-line.ts';
import { createTerminal } from './cli/terminal.ts';

const clock = createSystemClock();
const randomness = createSystemRandomness();
const interruption = new AbortController();
const { signal } = interruption;
const logger = createJsonLogger(
  (line) => process.stderr.write(`${line}\n`),
  clock.now,
  () => createUuid(clock, randomness),
);
const nothing = (): void => {};
const host: CliHost = {
  clock,
  randomness,
  // What a person must know is told as talk; of the log only faults of the program are left.
  logger: { ...logger, debug: nothing, info: nothing, warn: nothing },
  vault: createNoVault(),
  environment: { ...process.env },
  platform: process.platform,
  homeFolder: homedir(),
  version,
  terminal: createTerminal({ input: process.stdin, show: (text) => process.stderr.write(text), signal }),
  output: createOutput(process.stdout, process.stderr),
  signal,
  selfTest: runSelfTest,
};

for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(name, () => {
    // The first lets a write finish; whoever insists is obeyed.
    if (signal.aborted) process.exit(exitCodes.interrupted);
    interruption.abort();
  });
}
// The clock's timers do not keep a process alive, and between two events nothing else may.
setInterval(() => {}, 0x7fff_ffff);

process.exit(await runCommandLine(process.argv.slice(2), commandTable, host));
