/** The command line of the worker by hand: without a bus, or as an identity of a profile on one (cli.md). */
import { parseArgs } from 'node:util';
import { checkRunnable } from '../engine/work/worker-requests.ts';
import { VakError } from '../shared/base/vak-error.ts';
import type { TaskPayload } from '../shared/protocol/payloads.ts';
import { checkToken } from '../shared/protocol/subject.ts';
import { refuseSecretsInArgv } from './cli/argv-secrets.ts';
import type { ConnectionOptions } from './cli/command.ts';
import { connectionSpecs, readConnectionOptions } from './cli/connection-options.ts';

/** Where it publishes, and from which profile; paths as given. */
export interface BusUsage {
  readonly connection: ConnectionOptions;
  readonly context: string | undefined;
  readonly profile: string | undefined;
  readonly isQuiet: boolean;
  /** The whole line, to be compared with secrets as they become known. */
  readonly typed: readonly string[];
}

export interface WorkerUsage {
  readonly workspace: string;
  readonly peer: string;
  readonly task: TaskPayload;
  /** Undefined: it prints what it says, and nothing else. */
  readonly bus: BusUsage | undefined;
}

const connectionHelp = Object.entries(connectionSpecs)
  .map(([name, { value = '', help }]) => `  ${`--${name} ${value}`.padEnd(17)}  ${help}`)
  .join('\n');

export const workerHelp = `Usage: worker [--workspace WS] [--peer NAME] [--cwd DIR] -- COMMAND [ARGUMENT…]
       worker --nats-url URL | --context NAME [OPTION…] -- COMMAND [ARGUMENT…]

Runs COMMAND as a worker peer. Prints each message as one line of JSON on stdout, as it would be before sealing:
{"at": ms since the epoch, "subject": "vak.events.…", "payload": {…}}. Output of the command is base64 in "bytes".

  --workspace WS     workspace (default: default)
  --cwd DIR          folder to run in (default: the present one)
  --peer NAME        name of the worker without a bus (default: worker)
  --help             this text

Without --nats-url and --context it needs no bus and no identity. With one of them it publishes there too, sealed, signed and
chained, as an identity of the profile's key store, which is made with the role worker at its first use. VAK_PASSPHRASE_FILE names
the file (mode 0600) that opens the key store. Secrets in variables are refused, COMMAND could read them; files are taken.

${connectionHelp}
  --context NAME     connection of the settings to use; a managed one must be running in the app
  --profile DIR      profile to use (default: the app's own)
  --identity NAME    identity to be (default: worker)
  --json             changes nothing: stdout is JSON in any case
  --quiet            no talk on stderr, only errors

Where the workspace's streams are, it has an inbox: an operator or a coordinator ends COMMAND with a message of type
vak.agent.message, sealed, {"kind": "signal", "signal": "cancel"}, on vak.agent.WS.IDENTITY.inbox (with "session" for one of several):
  vak publish vak.agent.default.worker.inbox --type vak.agent.message --sealed --data '{"kind":"signal","signal":"cancel"}'

A lost connection is sought again while COMMAND runs on; what is said meanwhile does not reach the bus, and is counted at the end.

Exit codes: 0 done · 1 the command failed, or the server or the workspace refuses · 2 bad usage · 3 the server cannot be reached ·
4 interrupted.

Example: node out/peers/worker.js --peer builder -- sh -c 'echo hello; exit 3'
         With a server there, a profile (vak id new), and its passphrase in ~/pass (mode 0600):
         VAK_PASSPHRASE_FILE=~/pass node out/peers/worker.js --nats-url nats://127.0.0.1:4222 --identity builder -- make test
`;

const text = { type: 'string' } as const;
const flag = { type: 'boolean' } as const;
const busOptions = {
  ...Object.fromEntries(Object.keys(connectionSpecs).map((name) => [name, text])),
  ...{ profile: text, identity: text, context: text, json: flag, quiet: flag },
};
const options = { workspace: text, peer: text, cwd: text, help: { ...flag, short: 'h' }, ...busOptions };

type Values = Readonly<Record<string, string | boolean | undefined>>;

function parse(args: readonly string[]): Values {
  try {
    return parseArgs({ args: [...args], options }).values as Values;
  } catch (error) {
    const [message] = (error as Error).message.split('\n');
    throw new VakError('invalid-input', `${message}; put the command after "--", see --help`, { cause: error });
  }
}

function refuse(message: string): never {
  throw new VakError('invalid-input', message);
}

/** Throws `invalid-input` for options that do not fit to where it runs. */
function readBus(values: Values, typed: readonly string[]): BusUsage | undefined {
  const option = (name: string): string | undefined => {
    const value = values[name];
    return typeof value === 'string' ? value : undefined;
  };
  const context = option('context');
  if (option('nats-url') === undefined && context === undefined) {
    const stray = Object.keys(busOptions).find((name) => values[name] !== undefined);
    return stray === undefined ? undefined : refuse(`--${stray}: is for a bus; give --nats-url or --context too`);
  }
  if (values['peer'] !== undefined) refuse('--peer: on a bus a worker has the name of its identity; give --identity');
  return {
    connection: readConnectionOptions(option),
    context: context === undefined ? undefined : checkToken(context, '--context'),
    profile: option('profile'),
    isQuiet: values['quiet'] === true,
    typed,
  };
}

/**
 * Reads the arguments; undefined when help is asked for. Throws `invalid-input` that says what is wrong and what to do,
 * `secret-misplaced` for a secret before the command.
 */
export function readWorkerUsage(args: readonly string[], cwd: string): WorkerUsage | undefined {
  const split = args.indexOf('--');
  const ownArgs = split < 0 ? args : args.slice(0, split);
  refuseSecretsInArgv(ownArgs);
  const values = parse(ownArgs);
  if (values['help'] === true) return undefined;
  const command = split < 0 ? [] : args.slice(split + 1);
  if (command.length === 0) {
    refuse('command: missing; give it after "--", for example: worker -- ls -la');
  }
  const name = (key: string, standard: string): string => checkToken(String(values[key] ?? standard), `--${key}`);
  const workspace = name('workspace', 'default');
  const bus = readBus(values, args);
  return {
    workspace,
    peer: name(bus === undefined ? 'peer' : 'identity', 'worker'),
    task: checkRunnable({ command, cwd: String(values['cwd'] ?? cwd) }),
    bus,
  };
}
