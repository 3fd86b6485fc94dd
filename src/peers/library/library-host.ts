/** What a connection of the library takes from the machine: documented variables, a passphrase, and nothing else (protocol.md I3). */
import { homedir } from 'node:os';
import { version } from '../../../package.json';
import { runSelfTest } from '../../engine/crypto/self-test.ts';
import { createSecret, type Secret, secretFromText } from '../../engine/identity/secret.ts';
import { createSystemClock } from '../../engine/ports/clock.ts';
import { createSystemRandomness } from '../../engine/ports/randomness.ts';
import { createNoVault, type Vault } from '../../engine/ports/vault.ts';
import { maxSecretBytes, readSecretFile } from '../../engine/settings/secret-file.ts';
import { type Environment, passphraseFileName } from '../../engine/settings/secret-sources.ts';
import { VakError } from '../../shared/base/vak-error.ts';
import { natsJwtName, natsSeedName } from '../../shared/settings/secret-shape.ts';
import type { CliHost } from '../cli/command.ts';
import type { Terminal } from '../cli/terminal.ts';
import type { LogEntry, PassphraseSource } from './library-api.ts';
import { createLibraryLog } from './library-log.ts';

/** Variables that are read, and no others: where secrets are, and where the app's profile is. */
const readVariables = [
  passphraseFileName,
  ...[natsJwtName, natsSeedName].flatMap((name) => [name, `${name}_FILE`]),
  ...['XDG_CONFIG_HOME', 'APPDATA'],
];

function environmentOf(all: Environment, passphrase: PassphraseSource | undefined): Record<string, string | undefined> {
  const read = Object.fromEntries(readVariables.map((name) => [name, all[name]]));
  return passphrase === undefined ? read : { ...read, [passphraseFileName]: undefined };
}

function refuse(message: string): never {
  throw new VakError('invalid-input', message, { details: { field: 'passphrase' } });
}

async function askProgram(source: Exclude<PassphraseSource, { file: string }>): Promise<Secret> {
  const given: unknown = await source();
  if (typeof given !== 'string' && !(given instanceof Uint8Array)) {
    return refuse(`passphrase: the function gave ${typeof given}, expected text or bytes`);
  }
  if (given.length === 0) return refuse('passphrase: the function gave nothing');
  if (given.length > maxSecretBytes) return refuse(`passphrase: the function gave more than ${maxSecretBytes} bytes`);
  return typeof given === 'string' ? secretFromText(given) : createSecret(given);
}

/** Answers for the person whom the command line would ask. */
function createPassphraseTerminal(source: PassphraseSource | undefined): Terminal {
  let askedCount = 0;
  return {
    isInteractive: true,
    async ask() {
      if (askedCount++ > 0) {
        throw new VakError('wrong-passphrase', 'passphrase: it does not open the key store of this profile');
      }
      if (source === undefined) {
        return refuse(`passphrase: missing; give one, or let ${passphraseFileName} name a file (mode 0600) with it`);
      }
      return typeof source === 'function' ? await askProgram(source) : await readSecretFile(source.file, 'passphrase');
    },
    readAll: async () => refuse('passphrase: the library reads no pipe'),
  };
}

export interface LibraryHostOptions {
  readonly environment: Environment;
  readonly passphrase?: PassphraseSource | undefined;
  readonly onLog?: ((entry: LogEntry) => void) | undefined;
  /** Gives up connecting. */
  readonly signal: AbortSignal;
  readonly vault?: Vault;
}

/** The host of one connection, as the parts of the command line have theirs. */
export function createLibraryHost(options: LibraryHostOptions) {
  const { environment, passphrase, onLog, signal, vault = createNoVault() } = options;
  const ports = { clock: createSystemClock(), randomness: createSystemRandomness() };
  const { logger, log, output } = createLibraryLog(onLog, ports);
  const host: CliHost = {
    ...{ ...ports, logger, output, signal, vault, version },
    environment: environmentOf(environment, passphrase),
    platform: process.platform,
    homeFolder: homedir(),
    terminal: createPassphraseTerminal(passphrase),
    input: () => refuse('the library reads no pipe'),
    selfTest: runSelfTest,
  };
  return { host, log };
}
