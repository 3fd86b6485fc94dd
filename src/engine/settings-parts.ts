/**
 * Composition of what the Settings view shows and changes: the file, the secrets, what the streams hold.
 * Law: constructs and connects, decides nothing.
 */
import type { SealingKey } from '../shared/contract/settings-contract.ts';
import type { ConnectionSwitch } from './connections/connection-switch.ts';
import type { SealerUse } from './envelope/envelope-sealer.ts';
import type { SecretSource } from './envelope/secret-registry.ts';
import type { MessageBuffer } from './feeds/message-buffer.ts';
import type { Profile } from './identity/profile.ts';
import type { Clock } from './ports/clock.ts';
import type { OperatorPrompt } from './ports/operator-prompt.ts';
import type { Randomness } from './ports/randomness.ts';
import type { Environment } from './settings/secret-sources.ts';
import { createSettingsService, type SettingsService } from './settings/settings-service.ts';
import { lookAtHoldings } from './settings/stream-holdings.ts';
import { createWorkspaceSecretsService } from './settings/workspace-secrets-service.ts';

/** What it is made from. */
export interface SettingsPartsPorts {
  readonly profile: Profile;
  readonly prompt: OperatorPrompt;
  readonly environment: Environment;
  readonly clock: Clock;
  readonly randomness: Randomness;
}

export interface SettingsPartsDeps {
  readonly workspace: string;
  readonly secrets: SecretSource;
  readonly buffer: MessageBuffer;
  readonly engine: ConnectionSwitch['engine'];
  readonly sealerUse: () => SealerUse | undefined;
  readonly onChange: () => void;
  readonly onBusChange: (isSecret: boolean) => void;
}

function sealingKeyOf(use: SealerUse | undefined): SealingKey | null {
  if (use === undefined) return null;
  return { secretId: use.secretId, sealedCount: use.messages, limitCount: use.maxMessages };
}

/** Builds it. */
export function createSettingsParts(ports: SettingsPartsPorts, deps: SettingsPartsDeps): SettingsService {
  const { profile, prompt, environment, clock, randomness } = ports;
  const { workspace, secrets, buffer, engine, sealerUse, onChange, onBusChange } = deps;
  const { keyStore, settings: file, files } = profile;
  const workspaceSecrets = createWorkspaceSecretsService({
    ...{ keyStore, secrets, buffer, prompt, workspace, clock, randomness },
  });
  return createSettingsService({
    ...{ file, keyStore, prompt, environment, workspace, randomness, workspaceSecrets, onBusChange },
    path: files.settings,
    async holdings() {
      const { retention } = file.settings();
      const looked = await lookAtHoldings({ durable: engine()?.fabric.durable, workspace, retention });
      return { ...looked, sealingKey: sealingKeyOf(sealerUse()) };
    },
    onChange() {
      keyStore.setIdleLockMinutes(file.settings().idleLockMinutes);
      onChange();
    },
  });
}
