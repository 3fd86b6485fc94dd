/**
 * What verdicts on messages stand on, as this profile knows it now: root, grants, secrets (protocol.md E7, I4).
 * Law: it changes between judgements, when somebody looks, and not within one. What another process wrote is found out when it is
 * missed, and the disk is looked at in a bounded rate, however much is missed.
 */
import { createDisposer, type Disposable, toDisposable } from '../../shared/base/disposer.ts';
import { isVakError } from '../../shared/base/vak-error.ts';
import { parseKeyId } from '../../shared/protocol/key-id.ts';
import type { FileKeyStore } from '../identity/file-key-store.ts';
import type { WorkspaceRecords } from '../identity/workspace-records.ts';
import type { Clock } from '../ports/clock.ts';
import type { PinnedRoot } from './pinned-root.ts';
import type { SecretSource } from './secret-registry.ts';

/** What a verdict lacks: a grant of the peer, the secret of the key id, or an alias that names another secret for it. */
export type Want =
  | { readonly kind: 'grant'; readonly peer: string }
  | { readonly kind: 'secret' | 'alias'; readonly keyId: string };

export interface TrustKnowledge {
  /** Rises with each change. */
  version(): number;
  /** Whether aliases of key ids are heeded, which may change; else what lacks one is refused for good. */
  readonly followsAliases?: boolean;
  /** Names what is known of it; as long as the name is the same, so is the verdict. */
  basisOf(want: Want): string;
  /** Looks for what another process has granted or revoked, if the last look is 100 ms past. */
  look(): void;
  /** Looks at once whether another process has granted something; at most once in 10 ms. */
  seekGrants(): void;
  /** Reads the key store soon, at most once a second, in case another process has put a secret there. */
  seekSecrets(): void;
  /** Calls back after something has changed. */
  onChange(listener: () => void): Disposable;
}

/** What it is read from. */
export interface TrustKnowledgeDeps {
  readonly keyStore: Pick<FileKeyStore, 'state' | 'onChange' | 'refresh'>;
  readonly directory: Pick<WorkspaceRecords['directory'], 'look' | 'seen' | 'refresh' | 'onChange'>;
  readonly root: Pick<PinnedRoot, 'current'>;
  readonly secrets: SecretSource;
  /** Key id → secret id, as the registry takes them; whoever changes them says `changed`. Left out: there are none. */
  readonly aliases?: () => ReadonlyMap<string, string>;
  readonly clock: Clock;
}

/** The least time between two readings of the key store. */
const readMs = 1000;

/** Knowledge of a profile. `changed` is for what it does not hear of itself. */
export interface ProfileKnowledge extends TrustKnowledge, Disposable {
  changed(): void;
}

/** Creates it. */
export function createProfileKnowledge(deps: TrustKnowledgeDeps): ProfileKnowledge {
  const { keyStore, directory, root, secrets, aliases, clock } = deps;
  const held = createDisposer();
  const listeners = new Set<() => void>();
  let version = 0;
  let readAtMs = Number.NEGATIVE_INFINITY;

  function changed(): void {
    version++;
    for (const listener of [...listeners]) listener();
  }

  /** What keeps it from being read is told by whoever opens or changes it. */
  async function readKeyStore(): Promise<void> {
    try {
      await keyStore.refresh();
    } catch (error) {
      if (!isVakError(error)) throw error;
    }
  }

  function basisOf(want: Want): string {
    if (want.kind === 'grant') {
      const grants = directory.seen.grants(want.peer);
      // The bucket may tell an earlier time of one that is known.
      const times = grants.reduce((sum, { storedMs }) => sum + storedMs, 0);
      return `${root.current()} ${grants.length} ${times} ${grants.at(-1)?.record.signature}`;
    }
    const secretId = aliases?.().get(want.keyId) ?? parseKeyId(want.keyId)?.secretId;
    const found = secrets.secrets()?.find(({ id }) => id === secretId);
    return `${secretId} ${found?.state} ${found?.openOnlyUntilMs}`;
  }

  held.add(directory.onChange(changed));
  held.add(keyStore.onChange(changed));
  return {
    version: () => version,
    followsAliases: aliases !== undefined,
    basisOf,
    look() {
      directory.look();
    },
    seekGrants() {
      directory.refresh();
    },
    seekSecrets() {
      const nowMs = clock.monotonic();
      if (nowMs - readAtMs < readMs || keyStore.state().kind !== 'unlocked') return;
      readAtMs = nowMs;
      void readKeyStore();
    },
    onChange(listener) {
      listeners.add(listener);
      return toDisposable(() => listeners.delete(listener));
    },
    changed,
    dispose() {
      held.dispose();
      listeners.clear();
    },
  };
}

/** Knowledge that stays as it is, for who judges each message once. */
export function createFixedKnowledge(): TrustKnowledge {
  const nothing = (): void => {};
  return {
    version: () => 0,
    basisOf: () => '',
    look: nothing,
    seekGrants: nothing,
    seekSecrets: nothing,
    onChange: () => toDisposable(nothing),
  };
}
