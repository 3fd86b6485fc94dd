/**
 * Settings as the app shows and changes them.
 * Law: the file is the owner; what is shown is what is in force, and of a secret only whether it is set and where from.
 */
import { createDisposer } from '../../shared/base/disposer.ts';
import { VakError } from '../../shared/base/vak-error.ts';
import type { AppContract } from '../../shared/contract/app-contract.ts';
import type { Services } from '../../shared/contract/define-contract.ts';
import type { SecretStatus, SettingsState } from '../../shared/contract/settings-contract.ts';
import { rowOf, settingRows } from '../../shared/settings/setting-keys.ts';
import { settingAt, settingKeys } from '../../shared/settings/settings-schema.ts';
import type { KeyStore } from '../identity/key-store.ts';
import { createSecret } from '../identity/secret.ts';
import type { OperatorPrompt } from '../ports/operator-prompt.ts';
import type { Randomness } from '../ports/randomness.ts';
import { deleteBusSecret, storeBusSecret } from './bus-secrets.ts';
import {
  type Environment,
  keyStoreSecrets,
  type SecretSourceKind,
  secretNames,
  secretSourceOf,
} from './secret-sources.ts';
import type { SettingsFile } from './settings-file.ts';
import type { WorkspaceSecretsService } from './workspace-secrets-service.ts';

/** What the service is made of. `onBusChange`: what the bus is built from is another now; `isSecret`: a secret of it. */
export interface SettingsServiceDeps {
  readonly file: SettingsFile;
  readonly path: string;
  readonly keyStore: Pick<KeyStore, 'state' | 'read' | 'update'>;
  readonly prompt: OperatorPrompt;
  readonly environment: Environment;
  readonly workspace: string;
  readonly randomness: Randomness;
  /** The workspace's secrets by id. */
  readonly workspaceSecrets: WorkspaceSecretsService;
  readonly holdings: Services<AppContract>['settings']['holdings'];
  readonly onChange: () => void;
  readonly onBusChange: (isSecret: boolean) => void;
}

export interface SettingsService {
  readonly calls: Services<AppContract>['settings'];
  state(): SettingsState;
  dispose(): void;
}

const sourceNames: Readonly<Record<SecretSourceKind, SecretStatus['source']>> = {
  file: 'file',
  environment: 'environment',
  'key-store': 'key store',
};

const secretHelp = (name: string): string => {
  if (name.endsWith('_JWT')) return 'user JWT of the NATS credentials';
  return name.endsWith('_SEED')
    ? 'nkey seed of the NATS credentials'
    : 'secret that messages of the workspace are sealed under';
};

const fixedKeys: ReadonlySet<string> = new Set(['contexts.embedded.kind', 'contexts.embedded.url']);

/** Creates the service over an open settings file. */
export function createSettingsService(deps: SettingsServiceDeps): SettingsService {
  const { file, path, keyStore, prompt, environment, workspace, randomness, workspaceSecrets, onChange, onBusChange } =
    deps;
  const held = createDisposer();
  const atStart = file.settings();

  function secrets(): readonly SecretStatus[] {
    const { workspaceSecretEnv } = file.settings();
    const stored =
      keyStore.state().kind === 'unlocked'
        ? keyStoreSecrets(keyStore.read(), { workspace, workspaceSecretEnv })
        : undefined;
    return secretNames(workspaceSecretEnv).map((name) => {
      const source = secretSourceOf(name, stored === undefined ? { environment } : { environment, keyStore: stored });
      return { name, isSet: source !== undefined, source: source ? sourceNames[source] : null, help: secretHelp(name) };
    });
  }

  function state(): SettingsState {
    const settings = file.settings();
    const keys = new Set([
      ...settingRows.map(({ key }) => key).filter((key) => !key.includes('<')),
      ...settingKeys(settings),
    ]);
    const values = [...keys].flatMap((key) => {
      const row = rowOf(key);
      // What the embedded context is cannot be changed.
      if (row === undefined || fixedKeys.has(key)) return [];
      const { value, isSet } = file.get(key);
      const { help, allowed } = row;
      const applies: SettingsState['values'][number]['applies'] = row.applies ?? 'at-once';
      const isWaiting = applies === 'next-start' && settingAt(atStart, key) !== value;
      return [{ key, value, isDefault: !isSet, help, allowed, applies, isWaiting }];
    });
    return {
      path,
      values,
      secrets: secrets(),
      workspaceSecrets: workspaceSecrets.list(),
      problems: file.problems().map(({ key, message }) => ({ key, message, line: file.lineOf(key) ?? null })),
    };
  }

  function checkSecretName(name: string): void {
    const names = secretNames(file.settings().workspaceSecretEnv);
    if (!names.includes(name))
      throw new VakError('not-found', `there is no such secret; there are ${names.join(', ')}`);
  }

  held.add(
    file.onChange(({ isBus }) => {
      onChange();
      if (isBus) onBusChange(false);
    }),
  );

  return {
    state,
    calls: {
      ...workspaceSecrets.calls,
      holdings: deps.holdings,
      set: ({ key, value }) => file.set(key, value),
      async reset({ key }) {
        await file.delete(key);
      },
      async setSecret({ name }) {
        checkSecretName(name);
        if (keyStore.state().kind !== 'unlocked')
          throw new VakError('locked', 'the key store is locked; unlock it first');
        const question = { kind: 'secret', title: `Set ${name}`, label: name, action: 'Keep it' } as const;
        const hint = 'It goes into the encrypted key store of this profile, and is never shown again.';
        await prompt.askSecret({ ...question, hint }, async (given) => {
          const secret = createSecret(given.reveal().slice());
          await storeBusSecret(keyStore, { name, secret, workspace, randomness });
        });
        onChange();
        onBusChange(true);
      },
      async deleteSecret({ name }) {
        checkSecretName(name);
        if (!(await deleteBusSecret(keyStore, name))) return;
        onChange();
        onBusChange(true);
      },
    },
    dispose: () => held.dispose(),
  };
}
