/** Reads a command line against the table of commands: which command, its options, its arguments. */
import { parseArgs } from 'node:util';
import { VakError } from '../../shared/base/vak-error.ts';
import { visibleText } from '../../shared/base/visible-text.ts';
import { checkToken } from '../../shared/protocol/subject.ts';
import type { CliHost, Command, CommandInput, OptionSpec } from './command.ts';
import { connectionSpecs, readConnectionOptions } from './connection-options.ts';
import { profileFolder } from './profile-folder.ts';

/** Options of every command. */
export const commonOptions: Readonly<Record<string, OptionSpec>> = {
  profile: { value: 'DIR', help: "profile to use (default: the app's own)" },
  workspace: { value: 'WS', help: 'workspace (default: default)' },
  identity: {
    value: 'NAME',
    help: 'identity in the key store, made when it first speaks (default: the only one there is)',
  },
  context: { value: 'NAME', help: 'connection to use (default: the current one of the settings)' },
  ...connectionSpecs,
  json: { help: 'machine output, one JSON value a line' },
  quiet: { help: 'no talk on stderr, only errors' },
  help: { help: 'help on the command' },
  version: { help: 'version of the program' },
};

type Values = Readonly<Record<string, string | boolean | (string | boolean)[] | undefined>>;
type ParseOptions = NonNullable<NonNullable<Parameters<typeof parseArgs>[0]>['options']>;

function toParseOptions(specs: Readonly<Record<string, OptionSpec>>): ParseOptions {
  return Object.fromEntries(
    Object.entries(specs).map(([name, { value, isMultiple }]) => [
      name,
      {
        type: value === undefined ? 'boolean' : 'string',
        multiple: isMultiple === true,
        ...(name === 'help' ? { short: 'h' } : {}),
      },
    ]),
  );
}

/** A line at its first `--`, which is no option's value here: a value that begins so is written `--option=--`. */
function splitAtRest(args: readonly string[]): {
  readonly before: readonly string[];
  readonly rest: readonly string[] | undefined;
} {
  const at = args.indexOf('--');
  return at < 0 ? { before: args, rest: undefined } : { before: args.slice(0, at), rest: args.slice(at + 1) };
}

/** What a first look at the arguments finds; nothing is refused yet. */
export interface Glance {
  readonly words: readonly string[];
  readonly isHelp: boolean;
  readonly isVersion: boolean;
  readonly isJson: boolean;
  readonly isQuiet: boolean;
}

/** Looks over the arguments with every option of every command known. */
export function glanceAt(args: readonly string[], commands: readonly Command[]): Glance {
  const specs = Object.assign({}, ...commands.map(({ options }) => options), commonOptions) as typeof commonOptions;
  const options = toParseOptions(specs);
  const { before } = splitAtRest(args);
  const { values, positionals } = parseArgs({ args: [...before], options, allowPositionals: true, strict: false });
  const isOn = (name: string): boolean => values[name] === true;
  return {
    words: positionals,
    isHelp: isOn('help'),
    isVersion: isOn('version'),
    isJson: isOn('json'),
    isQuiet: isOn('quiet'),
  };
}

/** The command that the words begin with: the one with the most words. */
export function findCommand(words: readonly string[], commands: readonly Command[]): Command | undefined {
  const fitting = commands.filter((command) => command.words.every((word, index) => words[index] === word));
  return fitting.toSorted((a, b) => b.words.length - a.words.length)[0];
}

/** Commands whose first words these are. */
export function commandsUnder(words: readonly string[], commands: readonly Command[]): readonly Command[] {
  return commands.filter((command) => words.every((word, index) => command.words[index] === word));
}

/** Node's own messages say more than fits on a line, and some repeat what was typed. */
function explain(error: unknown): string {
  const [text = ''] = (error as Error).message.split('\n');
  return visibleText(text.split(/[.;] /)[0] ?? text).replace(/\.$/, '');
}

function checkArgs(command: Command, args: readonly string[]): void {
  const call = `vak ${command.words.join(' ')}`;
  const needed = command.args.filter((name) => !name.startsWith('['));
  const missing = needed[args.length];
  if (missing !== undefined) throw new VakError('invalid-input', `${call}: ${missing} is missing; see ${call} --help`);
  if (args.length <= command.args.length || command.args.at(-1)?.endsWith('...]') === true) return;
  const count = args.length - command.args.length;
  if (command.rest !== undefined) {
    throw new VakError('invalid-input', `${call}: ${count} argument(s) too many; ${command.rest} stands after --`);
  }
  throw new VakError('invalid-input', `${call}: ${count} argument(s) too many; see ${call} --help`);
}

/** Reads the whole line strictly. Throws `invalid-input`, `invalid-subject` that name the option or argument. */
export function readCommandLine(command: Command, args: readonly string[], host: CliHost): CommandInput {
  const call = `vak ${command.words.join(' ')}`;
  const options = toParseOptions({ ...commonOptions, ...command.options });
  const { before, rest } = splitAtRest(args);
  const own = command.rest === undefined ? args : before;
  let parsed: { values: Values; positionals: string[] };
  try {
    parsed = parseArgs({ args: [...own], options, allowPositionals: true, strict: true });
  } catch (error) {
    throw new VakError('invalid-input', `${call}: ${explain(error)}; see ${call} --help`, { cause: error });
  }
  const { values } = parsed;
  const words = parsed.positionals.slice(command.words.length);
  checkArgs(command, words);
  const option = (name: string): string | undefined => {
    const value = values[name];
    return typeof value === 'string' ? value : undefined;
  };
  const identity = option('identity');
  const context = option('context');
  return {
    args: words,
    rest: command.rest === undefined ? undefined : rest,
    option,
    isOn: (name) => values[name] === true,
    options: (name) => (values[name] ?? []) as string[],
    common: {
      profile: profileFolder(option('profile'), host),
      isProfileGiven: option('profile') !== undefined,
      workspace: checkToken(option('workspace') ?? 'default', '--workspace'),
      identity: identity === undefined ? undefined : checkToken(identity, '--identity'),
      context: context === undefined ? undefined : checkToken(context, '--context'),
      connection: readConnectionOptions(option),
      typed: args,
      changes: values['dry-run'] === true ? 'nothing' : command.changes,
      doing: command.words.join(' '),
    },
  };
}
