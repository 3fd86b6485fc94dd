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
import { createFileOutput, isFileOutput } from './cli/file-output.ts';
import { createOutput } from './cli/output.ts';
import { runCommandLine } from './cli/run-command-line.ts';
import { checkStandardInput } from './cli/standard-input.ts';
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
/** What the commands themselves tell, of every journal that they open. */
const toldEvents: ReadonlySet<string> = new Set(['journal-read-only']);
const output = createOutput(isFileOutput(1) ? createFileOutput(1) : process.stdout, process.stderr);
const host: CliHost = {
  clock,
  randomness,
  // What a person must know is told as talk; of the log only faults are left, with --quiet only those of the program itself.
  logger: {
    ...{ ...logger, debug: nothing, info: nothing, warn: nothing },
    error(event, fields) {
      if (!output.isQuiet() && !toldEvents.has(event)) logger.error(event, fields);
    },
  },
  vault: createNoVault(),
  environment: { ...process.env },
  platform: process.platform,
  homeFolder: homedir(),
  version,
  terminal: createTerminal({
    input: process.stdin,
    show: (text) => process.stderr.write(text),
    signal,
    checkInput: () => checkStandardInput(0),
  }),
  output,
  input() {
    checkStandardInput(0);
    return process.stdin;
  },
  ...(process.stdin.isTTY && process.stdout.isTTY
    ? { keyboard: { input: process.stdin, output: process.stdout } }
    : {}),
  signal,
  selfTest: runSelfTest,
};

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Ends the process. Should that hang in a call of the system, a signal ends it by itself again. */
function leave(code: number): never {
  for (const name of signals) process.removeAllListeners(name);
  process.exit(code);
}

for (const name of signals) {
  process.on(name, () => {
    if (!signal.aborted) return interruption.abort();
    // The first lets a write finish; whoever insists is obeyed.
    leave(exitCodes.interrupted);
  });
}
// The clock's timers do not keep a process alive, and between two events nothing else may.
setInterval(() => {}, 0x7fff_ffff);

leave(await runCommandLine(process.argv.slice(2), commandTable, host));
