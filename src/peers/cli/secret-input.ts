/** A secret from a file, a pipe or the terminal: never from an argument (cli.md). */
import type { Secret } from '../../engine/identity/secret.ts';
import { readSecretFile } from '../../engine/settings/secret-file.ts';
import type { CliHost } from './command.ts';

/** `what` names it for whoever types it. Throws `invalid-input`, `limit-exceeded`. */
export async function readSecretInput(
  what: string,
  file: string | undefined,
  { terminal }: Pick<CliHost, 'terminal'>,
): Promise<Secret> {
  if (file !== undefined) return await readSecretFile(file, '--file');
  return terminal.isInteractive ? await terminal.ask(what) : await terminal.readAll(`${what} from stdin`);
}
