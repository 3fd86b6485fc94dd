/**
 * The port to a profile's key store (protocol.md I3, product.md "Configuration").
 * Law: nothing in it is readable while it is locked, and no failure ever makes it anew by itself.
 */
import type { Disposable } from '../../shared/base/disposer.ts';
import type { KeyStoreState } from '../../shared/contract/identity-contract.ts';
import type { Secret } from './secret.ts';

/** An X25519 key; the newest is the one on the card, older ones still open what was sealed for them (R14). */
export interface StoredBoxKey {
  /** 32 bytes. */
  readonly secret: Secret;
  readonly createdMs: number;
  readonly expiresMs: number;
}

/** A peer that this profile can be. */
export interface StoredIdentity {
  readonly peer: string;
  readonly kind: 'human' | 'bot' | 'process';
  readonly agent: boolean;
  /** Display name, ≤ 64 characters. */
  readonly name: string;
  /** nkey seed as text (`SU…`). */
  readonly signSeed: Secret;
  readonly boxKeys: readonly StoredBoxKey[];
  /** Serial of the card that was signed last (I4: it only rises). */
  readonly cardSerial: number;
}

/** A workspace secret (E7). `openOnlyUntilMs`: opens until then, seals nothing. */
export interface StoredWorkspaceSecret {
  readonly id: string;
  /** 32 bytes for those made here. */
  readonly secret: Secret;
  readonly state: 'active' | 'open-only' | 'revoked';
  readonly openOnlyUntilMs: number | null;
}

/** A workspace that this profile belongs to. */
export interface StoredWorkspace {
  readonly workspace: string;
  /** Root's public nkey, pinned (I4). */
  readonly rootPublic: string;
  /** Root's seed (`SU…`), where this profile holds it. */
  readonly rootSeed: Secret | null;
  readonly secrets: readonly StoredWorkspaceSecret[];
}

/** Everything in the store. */
export interface KeyStoreContents {
  readonly identities: readonly StoredIdentity[];
  readonly workspaces: readonly StoredWorkspace[];
  /** NATS credentials and the like by the name of their setting. */
  readonly credentials: ReadonlyMap<string, Secret>;
  /** Room keys by `<room>.<epoch>`. */
  readonly roomKeys: ReadonlyMap<string, Secret>;
}

export interface KeyStore extends Disposable {
  state(): KeyStoreState;
  onChange(listener: () => void): Disposable;
  /** Makes the store and opens it. Throws `exists`; `invalid-input` if there is no real keychain and no passphrase of ≥ 10 characters. */
  create(options: { readonly passphrase?: Secret }): Promise<void>;
  /** Opens it. Throws `wrong-passphrase`, `not-found` (there is none), `recovery-needed`, `corrupt`. */
  unlock(options: { readonly passphrase?: Secret }): Promise<void>;
  /** Closes it and erases every secret that it gave out. */
  lock(): void;
  /** Says that the user is there: the idle lock begins anew. */
  touch(): void;
  /** What it holds. The secrets die with the next `lock`. Throws `locked`. */
  read(): KeyStoreContents;
  /**
   * Changes it: reads the file anew under the file lock, applies `change`, writes it whole. It keeps copies of the secrets that
   * `change` adds: those stay the caller's to dispose. Throws `locked`, `corrupt`, `timeout` (the lock is held elsewhere).
   */
  update(change: (contents: KeyStoreContents) => KeyStoreContents): Promise<void>;
  /** Adds or replaces the passphrase slot. */
  setPassphrase(passphrase: Secret): Promise<void>;
  /** The whole store sealed under a passphrase of its own, as one file's bytes. */
  backup(passphrase: Secret): Promise<Uint8Array>;
  /** Replaces the store by a backup's contents; what stood there is set aside. Throws `wrong-passphrase`, `corrupt`, `invalid-input`. */
  restore(
    backup: Uint8Array,
    options: { readonly backupPassphrase: Secret; readonly passphrase?: Secret },
  ): Promise<void>;
  /** Sets the old store aside and makes a new one. Throws `invalid-input` unless `confirmation` is the phrase that the state names. */
  startAnew(options: { readonly confirmation: string; readonly passphrase?: Secret }): Promise<void>;
}
