/** A secret on the command line is in the process list and the shell's history: it is an error, and is not repeated (cli.md). */
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
