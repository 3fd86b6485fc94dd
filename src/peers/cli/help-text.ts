/** Help of the program, of a group of commands and of one command, all from the table. */
import type { Command, OptionSpec } from './command.ts';
import { commandsUnder, commonOptions } from './command-line.ts';

const exitLine =
  'Exit codes: 0 done · 1 checked, and the answer is no · 2 bad usage or input · 3 not reachable · 4 interrupted';

const secretLines = `Secrets are never arguments. Each NAME below is read from the file that NAME_FILE names (mode 0600, ours, no link), else from
the variable NAME, else from the key store: VAK_BUS_NATS_CREDENTIALS_JWT, VAK_BUS_NATS_NKEY_SEED, and the variable named by
the setting workspaceSecretEnv (VAK_WORKSPACE_SECRET). The key store's passphrase: VAK_PASSPHRASE_FILE, or the terminal.
A server is told who asks by --creds or --nkey-file, else by the environment, else by what the key store holds of the context,
else by those two names in the key store.`;

function optionLines(specs: Readonly<Record<string, OptionSpec>>): string {
  const left = ([name, { value }]: [string, OptionSpec]): string =>
    `--${name}${value === undefined ? '' : ` ${value}`}`;
  const entries = Object.entries(specs);
  const width = Math.max(...entries.map((one) => left(one).length), 18);
  return entries.map((one) => `  ${left(one).padEnd(width)}  ${one[1].help}\n`).join('');
}

function usageOf(command: Command): string {
  const options = Object.entries(command.options).map(([name, { value, isMultiple }]) => {
    const text = `--${name}${value === undefined ? '' : ` ${value}`}`;
    return `[${text}]${isMultiple === true ? '…' : ''}`;
  });
  const rest = command.rest === undefined ? [] : [`[-- ${command.rest}]`];
  return ['vak', ...command.words, ...command.args, ...options, ...rest].join(' ');
}

function listOf(commands: readonly Command[]): string {
  const left = ({ words, args }: Command): string => ['vak', ...words, ...args].join(' ');
  const width = Math.max(...commands.map((one) => left(one).length));
  return commands.map((one) => `  ${left(one).padEnd(width)}  ${one.summary}\n`).join('');
}

/** What an example needs, before its heading. */
function needsLine(needs: string | undefined): string {
  return needs === undefined ? '' : `The example needs: ${needs}.\n\n`;
}

/** Help on one command. */
export function commandHelp(command: Command): string {
  const { summary, notes, options, example, needs } = command;
  const own = Object.keys(options).length === 0 ? '' : `\nOptions:\n${optionLines(options)}`;
  const more = notes === undefined ? '' : `\n${notes}\n`;
  const examples = example
    .split('\n')
    .map((line) => `  ${line}\n`)
    .join('');
  return `Usage: ${usageOf(command)}

${summary}
${more}${own}
Common options:
${optionLines(commonOptions)}
${exitLine}

${needsLine(needs)}Example:
${examples}`;
}

/** Help on the whole program, or on the commands that begin with the words; undefined if none does. */
export function programHelp(words: readonly string[], commands: readonly Command[]): string | undefined {
  const listed = commandsUnder(words, commands);
  if (listed.length === 0) return undefined;
  const example = listed[0]?.example.split('\n')[0] ?? '';
  return `Usage: vak ${[...words, 'COMMAND'].join(' ')} [ARGUMENT…] [OPTION…]

Commands:
${listOf(listed)}
Common options:
${optionLines(commonOptions)}
${secretLines}

${exitLine}
Help on one command: vak ${[...words, 'COMMAND'].join(' ')} --help

${needsLine(listed[0]?.needs)}Example:
  ${example}
`;
}
