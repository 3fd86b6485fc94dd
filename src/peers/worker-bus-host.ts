/** What the worker on a bus takes from the machine, as the commands of `vak` take it: files alone, nobody is asked (cli.md, protocol.md I3). */
import { homedir } from 'node:os';
import { version } from '../../package.json';
import { createNoVault } from '../engine/ports/vault.ts';
import { type Environment, passphraseFileName, secretNames } from '../engine/settings/secret-sources.ts';
import { VakError } from '../shared/base/vak-error.ts';
import { workspaceSecretName } from '../shared/settings/secret-shape.ts';
import type { CliHost, CommonOptions } from './cli/command.ts';
import { createOutput, type Output } from './cli/output.ts';
import { profileFolder } from './cli/profile-folder.ts';
import type { Terminal } from './cli/terminal.ts';
import type { WorkerHost } from './worker-host.ts';
import type { BusUsage, WorkerUsage } from './worker-usage.ts';

const refused = (field: string): Promise<never> =>
  Promise.reject(
    new VakError('invalid-input', `${field}: a worker asks nobody; let ${passphraseFileName} name a file`),
  );

/** stdin is nobody's: a worker asks no questions. */
const noTerminal: Terminal = { isInteractive: false, ask: refused, readAll: refused };

/** What the parts of `vak` say in its name this program says in its own. */
function createWorkerOutput(isQuiet: boolean): Output {
  const output = createOutput(process.stdout, process.stderr);
  output.configure({ isJson: true, isQuiet });
  const own = (text: string): string => text.replace(/^vak: /, 'worker: ');
  const complaints = createOutput(process.stdout, process.stderr);
  return {
    ...output,
    talk: (text) => output.talk(own(text)),
    complain: (text) => complaints.talk(`worker: ${text}`),
    async flush() {
      await output.flush();
      await complaints.flush();
    },
  };
}

/** The host for connecting and opening a profile. */
export function createBusHost(
  { clock, randomness, logger, environment, selfTest }: WorkerHost,
  { signal, isQuiet }: { readonly signal: AbortSignal; readonly isQuiet: boolean },
): CliHost {
  const nothing = (): void => {};
  return {
    // What a person must know is told as talk; of the log only faults are left, with --quiet only those of the program itself.
    logger: {
      ...{ ...logger, debug: nothing, info: nothing, warn: nothing },
      ...(isQuiet ? { error: nothing } : {}),
    },
    ...{ clock, randomness, environment, selfTest, signal, version },
    vault: createNoVault(),
    platform: process.platform,
    homeFolder: homedir(),
    terminal: noTerminal,
    output: createWorkerOutput(isQuiet),
    input: () => process.stdin,
  };
}

/** The common options as commands of `vak` have them. */
export function commonOf(
  { workspace, peer, bus }: WorkerUsage & { readonly bus: BusUsage },
  host: CliHost,
): CommonOptions {
  const { connection, context, profile, typed } = bus;
  return {
    profile: profileFolder(profile, host),
    isProfileGiven: profile !== undefined,
    ...{ workspace, identity: peer, context, connection, typed },
    ...{ changes: 'bus', doing: 'worker' },
  };
}

/** Throws `secret-misplaced` for a secret in a variable: whatever a worker or bot runs can read it there (I3). */
export function refuseSecretsInEnvironment(
  environment: Environment,
  { more = [], who = 'a worker' }: { readonly more?: readonly string[]; readonly who?: string } = {},
): void {
  const names = [...secretNames(workspaceSecretName), 'VAK_PASSPHRASE', ...more];
  const found = names.find((name) => (environment[name] ?? '') !== '');
  if (found === undefined) return;
  throw new VakError(
    'secret-misplaced',
    `${found}: ${who} takes no secret from a variable, its command could read it; unset it, and name a file (mode 0600) in ${found}_FILE`,
  );
}

/** Throws `invalid-input` unless a file opens the key store. */
export function requirePassphraseFile(environment: Environment): void {
  if ((environment[passphraseFileName] ?? '') !== '') return;
  throw new VakError(
    'invalid-input',
    `${passphraseFileName}: is not set; let it name a file (mode 0600) with the key store's passphrase`,
  );
}
