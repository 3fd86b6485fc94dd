/** Runs one command line of `vak` and gives its exit code (cli.md). */
import { requireSelfTest } from '../../engine/crypto/require-self-test.ts';
import { type ErrorCode, isVakError, VakError } from '../../shared/base/vak-error.ts';
import { refuseSecretsInArgv } from './argv-secrets.ts';
import { type CliHost, type Command, type ExitCode, exitCodes } from './command.ts';
import { findCommand, type Glance, glanceAt, readCommandLine } from './command-line.ts';
import { commandHelp, programHelp } from './help-text.ts';

const codeOf: Partial<Record<ErrorCode, ExitCode>> = {
  'invalid-input': exitCodes.badUsage,
  'invalid-pattern': exitCodes.badUsage,
  'invalid-payload': exitCodes.badUsage,
  'invalid-subject': exitCodes.badUsage,
  'limit-exceeded': exitCodes.badUsage,
  'secret-misplaced': exitCodes.badUsage,
  closed: exitCodes.unreachable,
  'no-responders': exitCodes.unreachable,
  timeout: exitCodes.unreachable,
  aborted: exitCodes.interrupted,
};

/** Which command the words mean. Throws `invalid-input`; what was typed is not repeated, it may be a secret. */
function commandOf(words: readonly string[], commands: readonly Command[]): Command {
  const command = findCommand(words, commands);
  if (command !== undefined) return command;
  const [group = ''] = words;
  const known = commands.some((one) => one.words[0] === group);
  if (words.length === 0) throw new VakError('invalid-input', 'command: missing; see vak help');
  if (!known) throw new VakError('invalid-input', 'command: there is none of this name; see vak help');
  throw new VakError('invalid-input', `vak ${group}: no such command below it; see vak ${group} --help`);
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
  return (await command.run(input, host)) ?? exitCodes.done;
}

/** Runs the command line; never throws. After a signal the code is `interrupted`, whatever the command came to. */
export async function runCommandLine(
  args: readonly string[],
  commands: readonly Command[],
  host: CliHost,
): Promise<ExitCode> {
  const { output, logger, signal } = host;
  let code: ExitCode;
  try {
    code = await run(args, commands, host);
  } catch (error) {
    if (isVakError(error)) {
      code = codeOf[error.code] ?? exitCodes.no;
      output.complain(error.message);
    } else {
      code = exitCodes.no;
      output.complain(`a fault of the program; report it with the log line of id ${logger.bug('vak.bug', error)}`);
    }
  }
  await output.flush();
  return signal.aborted ? exitCodes.interrupted : code;
}
