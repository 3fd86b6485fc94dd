/** Runs one command line of `vak` and gives its exit code (cli.md). */
import { requireSelfTest } from '../../engine/crypto/require-self-test.ts';
import { readSettingsFile } from '../../engine/settings/load-settings.ts';
import { profileFiles } from '../../engine/settings/profile-files.ts';
import { secretNames } from '../../engine/settings/secret-sources.ts';
import { isVakError, VakError } from '../../shared/base/vak-error.ts';
import { workspaceSecretName } from '../../shared/settings/secret-shape.ts';
import { refuseSecretsInArgv, refuseValuesInArgv } from './argv-secrets.ts';
import { type CliHost, type Command, type ExitCode, exitCodes } from './command.ts';
import { commandsUnder, findCommand, type Glance, glanceAt, readCommandLine } from './command-line.ts';
import { exitCodeOf } from './exit-code-of.ts';
import { commandHelp, programHelp } from './help-text.ts';
import { refuseReadOnly } from './settings-for.ts';

/** Variables whose values are secrets whatever the settings say. */
const secretVariables = secretNames(workspaceSecretName);

/** Which command the words mean. Throws `invalid-input`; what was typed is not repeated, it may be a secret. */
function commandOf(words: readonly string[], commands: readonly Command[]): Command {
  const command = findCommand(words, commands);
  if (command !== undefined) return command;
  if (words.length === 0) throw new VakError('invalid-input', 'command: missing; see vak help');
  const group = groupOf(words, commands);
  if (group.length === 0) throw new VakError('invalid-input', 'command: there is none of this name; see vak help');
  const below = new Set(commandsUnder(group, commands).map((one) => one.words[group.length]));
  const call = `vak ${group.join(' ')}`;
  const what = words.length > group.length ? 'no such command below it.' : 'which of its commands?';
  throw new VakError('invalid-input', `${call}: ${what} It has ${[...below].join(', ')}; see ${call} --help`);
}

/** The words at the beginning that some command begins with too. */
function groupOf(words: readonly string[], commands: readonly Command[]): readonly string[] {
  let length = 0;
  while (length < words.length && commandsUnder(words.slice(0, length + 1), commands).length > 0) length++;
  return words.slice(0, length);
}

/** What is shown instead of running anything; undefined if a command is to run. */
function helpFor({ words, isHelp }: Glance, commands: readonly Command[]): string | undefined {
  const asked = words[0] === 'help' ? words.slice(1) : words;
  if (!isHelp && words[0] !== 'help') return undefined;
  const command = findCommand(asked, commands);
  const text = command === undefined ? programHelp(asked, commands) : commandHelp(command);
  if (text !== undefined) return text;
  throw new VakError('invalid-input', 'help: there is no command of this name; see vak help');
}

async function run(args: readonly string[], commands: readonly Command[], host: CliHost): Promise<ExitCode> {
  const { output } = host;
  refuseSecretsInArgv(args);
  refuseValuesInArgv(args, secretVariables, host.environment);
  const glance = glanceAt(args, commands);
  output.configure(glance);
  const help = helpFor(glance, commands);
  if (help !== undefined || glance.isVersion) {
    output.print(help ?? `${host.version}\n`);
    return exitCodes.done;
  }
  const command = commandOf(glance.words, commands);
  const input = readCommandLine(command, args, host);
  if (command.isSelfTest !== true) requireSelfTest(host.selfTest());
  // Before a passphrase is asked for, or a key store or a server is opened.
  if (input.common.changes === 'bus') {
    const { settings } = await readSettingsFile(profileFiles(input.common.profile).settings);
    refuseReadOnly(settings, input.common);
  }
  return (await command.run(input, host)) ?? exitCodes.done;
}

/** What the command came to; what went wrong is said. Never throws. */
async function runAndTell(args: readonly string[], commands: readonly Command[], host: CliHost): Promise<ExitCode> {
  const { output, logger, signal } = host;
  try {
    return await run(args, commands, host);
  } catch (error) {
    if (isVakError(error)) {
      output.complain(error.message);
      return exitCodeOf(error);
    }
    // What only throws its signal's reason has ended as it was told to.
    if (signal.aborted && error === signal.reason) {
      output.complain('interrupted');
      return exitCodes.interrupted;
    }
    output.complain(`a fault of the program; report it with the log line of id ${logger.bug('vak.bug', error)}`);
    return exitCodes.no;
  }
}

/** How long a command may take to end after a signal, so that a write can finish. */
const graceMs = 1500;

/** Resolves when the grace after a signal is over; never for a service, which ends in its own time. */
function graceIsOver({ signal, clock }: CliHost, isService: boolean): Promise<'over'> {
  return new Promise((resolve) => {
    if (isService) return;
    const begin = (): void => void clock.setTimer(graceMs, () => resolve('over'));
    if (signal.aborted) begin();
    else signal.addEventListener('abort', begin, { once: true });
  });
}

/**
 * Runs the command line; never throws. After a signal the code is `interrupted`, whatever the command came to, and whatever
 * it waits for is waited for no longer than the grace; a service ends in its own time, with its own code. Data that somebody waits for and that was lost is `no`.
 */
export async function runCommandLine(
  args: readonly string[],
  commands: readonly Command[],
  host: CliHost,
): Promise<ExitCode> {
  const { output, signal } = host;
  const isService = findCommand(glanceAt(args, commands).words, commands)?.isService === true;
  const over = graceIsOver(host, isService);
  const code = await Promise.race([runAndTell(args, commands, host), over]);
  if (code === 'over') output.complain('interrupted');
  await Promise.race([output.flush(), over]);
  const isCut = signal.aborted && !isService;
  if (code === 'over' || isCut) return exitCodes.interrupted;
  const lost = output.failure();
  if (lost === undefined) return code;
  output.complain(lost.message);
  await Promise.race([output.flush(), over]);
  return isCut ? exitCodes.interrupted : exitCodes.no;
}
