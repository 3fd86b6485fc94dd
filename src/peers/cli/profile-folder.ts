/** Where a profile lies: the folder that the app has as Electron's `userData`. */
import { isAbsolute, join, resolve } from 'node:path';
import { VakError } from '../../shared/base/vak-error.ts';
import type { CliHost } from './command.ts';

/** The product's name, as main gives it to Electron. */
const productName = 'Vak Workbench';

function configFolder({ platform, homeFolder, environment }: CliHost): string {
  if (platform === 'darwin') return join(homeFolder, 'Library', 'Application Support');
  if (platform === 'win32') return environment['APPDATA'] ?? join(homeFolder, 'AppData', 'Roaming');
  const given = environment['XDG_CONFIG_HOME'];
  // The XDG specification: a path that is not absolute is ignored.
  return given !== undefined && isAbsolute(given) ? given : join(homeFolder, '.config');
}

/** The folder of `--profile`, else the product's. Throws `invalid-input`. */
export function profileFolder(given: string | undefined, host: CliHost): string {
  if (given === '') throw new VakError('invalid-input', '--profile: is empty; give a folder');
  return given === undefined ? join(configFolder(host), productName) : resolve(given);
}
