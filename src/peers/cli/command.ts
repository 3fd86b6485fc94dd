/** What a command of `vak` is: a row of the table that help, parsing and dispatch are derived from (cli.md). */

import type { SelfTestResult } from '../../engine/crypto/self-test.ts';
import type { Clock } from '../../engine/ports/clock.ts';
import type { Logger } from '../../engine/ports/logger.ts';
import type { Randomness } from '../../engine/ports/randomness.ts';
import type { Vault } from '../../engine/ports/vault.ts';
import type { Changes } from '../../shared/base/changes.ts';
import type { Keyboard } from './keyboard.ts';
import type { Output } from './output.ts';
import type { ByteSource } from './standard-input.ts';
import type { Terminal } from './terminal.ts';

/** Exit codes of every command. `no`: checked, and the answer is no. */
export const exitCodes = { done: 0, no: 1, badUsage: 2, unreachable: 3, interrupted: 4 } as const;
export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

/** An option; without `value` (its placeholder in the help) it is a switch. */
export interface OptionSpec {
  readonly value?: string;
  /** May be given several times. */
  readonly isMultiple?: boolean;
  readonly help: string;
}

/** Where the bus is and who asks there, as far as a line says it. */
export interface ConnectionOptions {
  /** Checked: one address, or several with commas between. */
  readonly natsUrl: string | undefined;
  /** The others are paths. */
  readonly creds: string | undefined;
  readonly nkeyFile: string | undefined;
  readonly tlsCa: string | undefined;
  readonly tlsCert: string | undefined;
  readonly tlsKey: string | undefined;
}

/** Options that every command has, as given. */
export interface CommonOptions {
  readonly profile: string;
  /** Whether `--profile` named it. */
  readonly isProfileGiven: boolean;
  readonly workspace: string;
  /** Undefined: the only identity of the profile. */
  readonly identity: string | undefined;
  /** Undefined: the current one of the settings. */
  readonly context: string | undefined;
  readonly connection: ConnectionOptions;
  /** The whole line as it was typed, to be compared with secrets as they become known. */
  readonly typed: readonly string[];
  /** What this line changes, and its command's words: what changes the bus of a read-only context is refused before anything is opened. */
  readonly changes: Changes;
  readonly doing: string;
}

/** A command line, read. */
export interface CommandInput {
  readonly args: readonly string[];
  /** What stands after `--`, if the command has a `rest`; undefined: there is no `--`. */
  readonly rest: readonly string[] | undefined;
  readonly common: CommonOptions;
  /** Value of an option that is given once. */
  option(name: string): string | undefined;
  /** Whether a switch is on. */
  isOn(name: string): boolean;
  /** Values of an option that may be given several times. */
  options(name: string): readonly string[];
}

/** What the program takes from the machine; built once, in vak.ts. */
export interface CliHost {
  readonly clock: Clock;
  readonly randomness: Randomness;
  readonly logger: Logger;
  readonly vault: Vault;
  readonly environment: Record<string, string | undefined>;
  readonly platform: string;
  readonly homeFolder: string;
  readonly version: string;
  readonly terminal: Terminal;
  readonly output: Output;
  /** What is piped in. Throws `invalid-input` if it is a folder. */
  input(): ByteSource;
  /** The terminal of somebody who sits there; undefined: there is none, or it is piped. */
  readonly keyboard?: Keyboard;
  /** Aborts at the first signal. */
  readonly signal: AbortSignal;
  selfTest(): SelfTestResult;
}

export interface Command {
  /** Words that call it, e.g. `['config', 'bus', 'get']`. */
  readonly words: readonly string[];
  /** Names of its arguments; a last one in brackets may be left out, and given again and again if it ends with three dots: `[SEQ...]`. */
  readonly args: readonly string[];
  readonly options: Readonly<Record<string, OptionSpec>>;
  /** Name of what may stand after `--`, which is left as it is. A command without one takes that for further arguments. */
  readonly rest?: string;
  readonly summary: string;
  /** What else to know, for its own help. */
  readonly notes?: string;
  /** What must be there before its examples run as they stand, beside a profile with an identity. */
  readonly needs?: string;
  /** A whole command line, or several. */
  readonly example: string;
  /** What it changes. With a switch `--dry-run` it changes nothing. */
  readonly changes: Changes;
  /** Opens nothing, so that it can run where the self-test fails. */
  readonly isSelfTest?: true;
  /** Runs until a signal, then ends in its own time: it gives back what it has claimed, and that is `done`. A second signal ends it at once. */
  readonly isService?: true;
  /** Gives the exit code; undefined is `done`. Throws VakErrors. */
  run(input: CommandInput, host: CliHost): Promise<ExitCode | undefined>;
}
