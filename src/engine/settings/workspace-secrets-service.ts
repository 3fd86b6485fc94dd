/**
 * The workspace's secrets as the app shows and changes them (protocol.md E7, I3).
 * Law: bytes come from chance or from the operator's own window, and are never shown; what is revoked stays so.
 */
import { VakError } from '../../shared/base/vak-error.ts';
import type { AppContract } from '../../shared/contract/app-contract.ts';
import type { Services } from '../../shared/contract/define-contract.ts';
import type { SettingsState } from '../../shared/contract/settings-contract.ts';
import type { SecretSource } from '../envelope/secret-registry.ts';
import type { MessageBuffer } from '../feeds/message-buffer.ts';
import type { KeyStore, KeyStoreContents } from '../identity/key-store.ts';
import { updateAndErase } from '../identity/operator-identity.ts';
import { createSecret, type Secret } from '../identity/secret.ts';
import { addWorkspaceSecret, checkNewSecretId, setSecretState } from '../identity/workspace-secrets.ts';
import type { Clock } from '../ports/clock.ts';
import type { OperatorPrompt } from '../ports/operator-prompt.ts';
import type { Randomness } from '../ports/randomness.ts';
import { environmentSecretId } from './secret-sources.ts';

type Calls = Pick<Services<AppContract>['settings'], 'addSecret' | 'setSecretUse' | 'secretReach' | 'revokeSecret'>;

/** What the service is made of. */
export interface WorkspaceSecretsServiceDeps {
  readonly keyStore: Pick<KeyStore, 'state' | 'read' | 'update'>;
  /** All that open, the environment's among them. */
  readonly secrets: SecretSource;
  readonly buffer: Pick<MessageBuffer, 'oldestSeq' | 'newestSeq' | 'get'>;
  readonly prompt: OperatorPrompt;
  readonly workspace: string;
  readonly clock: Clock;
  readonly randomness: Randomness;
}

export interface WorkspaceSecretsService {
  readonly calls: Calls;
  list(): SettingsState['workspaceSecrets'];
}

/** Creates the service. What it changes in the key store is heard from there. */
export function createWorkspaceSecretsService(deps: WorkspaceSecretsServiceDeps): WorkspaceSecretsService {
  const { keyStore, secrets, buffer, prompt, workspace, clock, randomness } = deps;

  function checkOpen(): void {
    if (keyStore.state().kind !== 'unlocked') throw new VakError('locked', 'the key store is locked; unlock it first');
  }

  function checkOwn(id: string): void {
    if (id !== environmentSecretId) return;
    const message = `secret ${id}: comes from the environment; change it there, and start the app anew`;
    throw new VakError('invalid-input', message, { details: { field: 'id' } });
  }

  /** `given` is asked for; else a random one is made. */
  async function add(wanted: string | null, given: Secret | undefined): Promise<string> {
    let id = '';
    const added = (contents: KeyStoreContents): KeyStoreContents => {
      const made = addWorkspaceSecret(contents, {
        ...{ workspace, randomness },
        ...(wanted === null ? {} : { id: wanted }),
        ...(given === undefined ? {} : { given }),
      });
      id = made.id;
      return made.contents;
    };
    await updateAndErase(keyStore, added);
    return id;
  }

  async function addTyped(wanted: string | null): Promise<string> {
    let id = '';
    const name = wanted === null ? 'workspace secret' : `workspace secret ${wanted}`;
    const question = { kind: 'secret', title: `Add a ${name}`, label: 'Secret', action: 'Add it' } as const;
    const hint =
      'What others share with you: 16 bytes or more. It goes into the encrypted key store, seals from now on, and is never shown.';
    await prompt.askSecret({ ...question, hint }, async (typed) => {
      id = await add(wanted, createSecret(typed.reveal().slice()));
    });
    return id;
  }

  return {
    list() {
      const known = secrets.secrets() ?? [];
      const sealing = known.findLast(({ state }) => state === 'active')?.id;
      return known.map(({ id, state, openOnlyUntilMs }) => ({
        ...{ id, state, openOnlyUntilMs, isSealing: id === sealing },
        source: id === environmentSecretId ? 'environment' : 'key store',
      }));
    },
    calls: {
      async addSecret({ id, from }) {
        checkOpen();
        if (id !== null) {
          checkOwn(id);
          // Before anybody types a secret in vain.
          checkNewSecretId(keyStore.read(), { workspace, id });
        }
        return { id: from === 'typed' ? await addTyped(id) : await add(id, undefined) };
      },
      async setSecretUse({ id, use, untilMs }) {
        checkOpen();
        checkOwn(id);
        if (use === 'open-only' && untilMs !== null && untilMs <= clock.now()) {
          const message = 'untilMs: is past; give a time to come, or revoke the secret';
          throw new VakError('invalid-input', message, { details: { field: 'untilMs' } });
        }
        const openOnlyUntilMs = use === 'open-only' ? untilMs : null;
        await keyStore.update((contents) => setSecretState(contents, { workspace, id, state: use, openOnlyUntilMs }));
      },
      secretReach({ id }) {
        // As our own envelopes are written; the ids of secrets are tokens.
        const mark = Buffer.from(`"keyid":"${id}.`);
        let sealedCount = 0;
        for (let seq = buffer.oldestSeq; seq <= buffer.newestSeq; seq++) {
          const data = buffer.get(seq)?.data;
          if (data !== undefined && Buffer.from(data.buffer, data.byteOffset, data.length).includes(mark))
            sealedCount++;
        }
        return { sealedCount, bufferedCount: buffer.newestSeq - buffer.oldestSeq + 1 };
      },
      async revokeSecret({ id, confirmedId }) {
        checkOpen();
        checkOwn(id);
        if (confirmedId !== id) {
          throw new VakError('invalid-input', 'confirmedId: is not the id of the secret; type that to revoke it', {
            details: { field: 'confirmedId' },
          });
        }
        await keyStore.update((contents) => setSecretState(contents, { workspace, id, state: 'revoked' }));
      },
    },
  };
}
