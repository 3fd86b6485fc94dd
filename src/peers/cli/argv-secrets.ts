/** A secret on the command line is in the process list and the shell's history: it is an error, and is not repeated (cli.md). */
import type { Environment } from '../../engine/settings/secret-sources.ts';
import { VakError } from '../../shared/base/vak-error.ts';
import { isSecretName, secretShapeOf } from '../../shared/settings/secret-shape.ts';

const secretOptions = new Set([
  '--token',
  '--jwt',
  '--nkey',
  '--secret-value',
  '--root-seed',
  '--sign-seed',
  '--creds-jwt',
]);
const advice = 'give it in the environment or in a file with mode 0600 (NAME_FILE); if it was a real one, replace it';

function refuse(what: string): never {
  throw new VakError('secret-misplaced', `${what}: no secret is taken from the command line; ${advice}`);
}

/** Throws `secret-misplaced` if an argument is a secret by its form, or hands one over by its name. */
export function refuseSecretsInArgv(args: readonly string[]): void {
  for (const [index, arg] of args.entries()) {
    const shape = secretShapeOf(arg);
    if (shape !== undefined) refuse(`argument ${index + 1} holds ${shape}`);
    const [name = '', value] = arg.split('=', 2);
    const isOption = name.startsWith('--');
    if (isOption && (secretOptions.has(name) || isSecretName(name))) refuse(name);
    if (!isOption && value !== undefined && isSecretName(name)) refuse(name);
  }
}

/** A shorter secret stands in many words by chance: of it only a whole argument, or a whole side of its `=`, counts. */
const minPartLength = 6;

function holds(arg: string, secret: string): boolean {
  if (secret.length >= minPartLength && arg.includes(secret)) return true;
  const at = arg.indexOf('=');
  return arg === secret || arg.slice(0, Math.max(at, 0)) === secret || arg.slice(at + 1) === secret;
}

/** Throws `secret-misplaced` if an argument holds this secret, which `name` is known for. */
export function refuseSecretInArgv(args: readonly string[], secret: string, name: string): void {
  if (secret === '') return;
  const index = args.findIndex((arg) => holds(arg, secret));
  if (index >= 0) refuse(`argument ${index + 1} holds the value of ${name}`);
}

/** Throws `secret-misplaced` if an argument holds the value of one of these variables. */
export function refuseValuesInArgv(args: readonly string[], names: readonly string[], environment: Environment): void {
  for (const name of names) refuseSecretInArgv(args, environment[name]?.trim() ?? '', name);
}
