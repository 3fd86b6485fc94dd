/**
 * The workspace secret that the app was given from outside, by a file or a variable (product.md "Configuration").
 * Law: it opens what was sealed under the id `env` and seals nothing; where it is unfit that is logged, and it is not there.
 */
import type { Disposable } from '../../shared/base/disposer.ts';
import { isVakError } from '../../shared/base/vak-error.ts';
import type { Secret } from '../identity/secret.ts';
import type { Logger } from '../ports/logger.ts';
import { type Environment, environmentSecretId, readSecret } from '../settings/secret-sources.ts';
import type { WorkspaceSecretEntry } from './secret-registry.ts';

export interface EnvironmentSecret extends Disposable {
  /** As it was read last. */
  entry(): WorkspaceSecretEntry | undefined;
  /** Reads it anew under the name that the settings give now. Never rejects. */
  refresh(): Promise<void>;
}

/** What it is read from. */
export interface EnvironmentSecretDeps {
  readonly environment: Environment;
  /** Name of the variable, from the settings. */
  readonly name: () => string;
  readonly logger: Logger;
}

/** Creates it; nothing is read before `refresh`. */
export function createEnvironmentSecret({ environment, name, logger }: EnvironmentSecretDeps): EnvironmentSecret {
  let held: Secret | undefined;

  async function read(): Promise<Secret | undefined> {
    try {
      return (await readSecret(name(), { environment }))?.secret;
    } catch (error) {
      if (!isVakError(error)) throw error;
      logger.warn('secret.unfit', { message: error.message });
      return undefined;
    }
  }

  return {
    entry: () => held && { id: environmentSecretId, secret: held, state: 'open-only' as const, openOnlyUntilMs: null },
    async refresh() {
      const next = await read();
      held?.dispose();
      held = next;
    },
    dispose() {
      held?.dispose();
      held = undefined;
    },
  };
}
