/**
 * The workspace's secrets as a peer of this profile is given them, and as it holds them (protocol.md E7, I3).
 * Law: of one that opens nothing any more only its id is handed over, so that its peer can say why; what is replaced is erased at once.
 */
import { createDisposer, type Disposable } from '../../shared/base/disposer.ts';
import type { KeyStoreContents } from './key-store.ts';
import { workspaceIn } from './root-grants.ts';
import { createSecret, type Secret } from './secret.ts';

/** A secret that opens. Bytes are a copy: the receiver erases them. */
export interface GivenSecret {
  readonly id: string;
  readonly secret: Uint8Array;
  readonly state: 'active' | 'open-only';
  /** Of `open-only`: from then on (ms since the epoch) it opens nothing; null: for good. */
  readonly openOnlyUntilMs: number | null;
}

/** A secret that opens nothing any more. */
export interface EndedSecret {
  readonly id: string;
  readonly state: 'open-only' | 'revoked';
  readonly openOnlyUntilMs: number | null;
}

/** All of a workspace; of those that open, the newest stands last. */
export interface PeerSecrets {
  readonly secrets: readonly GivenSecret[];
  readonly ended: readonly EndedSecret[];
}

/** What a peer is given now: copies, which are the caller's to erase. Throws `not-found`. */
export function secretsFor(contents: KeyStoreContents, workspace: string, nowMs: number): PeerSecrets {
  const secrets: GivenSecret[] = [];
  const ended: EndedSecret[] = [];
  for (const { id, secret, state, openOnlyUntilMs } of workspaceIn(contents, workspace).secrets) {
    const isOver = openOnlyUntilMs !== null && openOnlyUntilMs <= nowMs;
    if (state === 'active' || (state === 'open-only' && !isOver))
      secrets.push({ id, secret: secret.reveal().slice(), state, openOnlyUntilMs });
    else ended.push({ id, state, openOnlyUntilMs });
  }
  return { secrets, ended };
}

/** Zeroes the copies. */
export function eraseSecrets({ secrets }: PeerSecrets): void {
  for (const { secret } of secrets) secret.fill(0);
}

/** As a key registry takes them. */
export interface OwnSecret {
  readonly id: string;
  readonly secret: Secret;
  readonly state: 'active' | 'open-only' | 'revoked';
  readonly openOnlyUntilMs: number | null;
}

export interface OwnSecrets extends Disposable {
  secrets(): readonly OwnSecret[];
  /** Rises when they are replaced. */
  version(): number;
  /** Takes others in place of all; their arrays are owned from then on. */
  replace(given: PeerSecrets): void;
}

/** Takes what was given; the arrays are owned from then on. */
export function createOwnSecrets(given: PeerSecrets): OwnSecrets {
  let held = createDisposer();
  let own: readonly OwnSecret[] = [];
  let version = 0;
  let isDisposed = false;

  function take({ secrets, ended }: PeerSecrets): void {
    held = createDisposer();
    const nothing = held.add(createSecret(new Uint8Array(0)));
    own = [
      ...ended.map((one) => ({ ...one, secret: nothing })),
      ...secrets.map((one) => ({ ...one, secret: held.add(createSecret(one.secret)) })),
    ];
  }

  take(given);
  return {
    secrets: () => own,
    version: () => version,
    replace(next) {
      if (isDisposed) return eraseSecrets(next);
      held.dispose();
      take(next);
      version++;
    },
    dispose() {
      isDisposed = true;
      held.dispose();
    },
  };
}
