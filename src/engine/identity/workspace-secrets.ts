/**
 * The secrets of a workspace by id (protocol.md E7): added, and taken out of use.
 * Law: an id selects one secret for ever: none is replaced, and one that is revoked keeps its id.
 */
import { VakError } from '../../shared/base/vak-error.ts';
import type { Randomness } from '../ports/randomness.ts';
import type { KeyStoreContents, StoredWorkspace, StoredWorkspaceSecret } from './key-store.ts';
import { checkInputToken, workspaceIn } from './root-grants.ts';
import { createSecret, type Secret } from './secret.ts';

const secretLength = 32;
/** Shortest secret that is taken from outside: 128 bits if it is random. */
const minSecretBytes = 16;
const maxSecretBytes = 1024;

/** A fresh random secret, active. */
export function createWorkspaceSecret(id: string, randomness: Randomness): StoredWorkspaceSecret {
  return { id, secret: createSecret(randomness.bytes(secretLength)), state: 'active', openOnlyUntilMs: null };
}

function withSecrets(
  contents: KeyStoreContents,
  { workspace }: StoredWorkspace,
  secrets: readonly StoredWorkspaceSecret[],
): KeyStoreContents {
  const workspaces = contents.workspaces.map((one) => (one.workspace === workspace ? { ...one, secrets } : one));
  return { ...contents, workspaces };
}

/** The first of `s1`, `s2` … that was never used. */
function freeId(secrets: readonly StoredWorkspaceSecret[]): string {
  for (let n = secrets.length + 1; ; n++) {
    if (!secrets.some(({ id }) => id === `s${n}`)) return `s${n}`;
  }
}

/** What is added. Without `given` a random secret is made; without `id` the next free one is taken. */
export interface AddedSecret {
  readonly workspace: string;
  readonly randomness: Randomness;
  readonly id?: string;
  /** A secret from elsewhere, 16 bytes to 1 KiB; it stays the caller's to dispose once the contents are stored. */
  readonly given?: Secret;
}

/** Throws `invalid-input`, `exists`, `not-found` for an id under which no secret can be added. */
export function checkNewSecretId(
  contents: KeyStoreContents,
  { workspace, id }: { readonly workspace: string; readonly id: string },
): void {
  checkInputToken(id, 'secret id');
  if (workspaceIn(contents, workspace).secrets.some((one) => one.id === id)) {
    throw new VakError('exists', `workspace ${workspace} has a secret ${id} already; ids are never used again`);
  }
}

/** Adds an active secret, behind the others. Throws `exists` if the id is used, `invalid-input`, `not-found`. */
export function addWorkspaceSecret(
  contents: KeyStoreContents,
  { workspace, randomness, id, given }: AddedSecret,
): { readonly contents: KeyStoreContents; readonly id: string } {
  const held = workspaceIn(contents, workspace);
  const newId = id ?? freeId(held.secrets);
  checkNewSecretId(contents, { workspace, id: newId });
  if (given !== undefined && (given.length < minSecretBytes || given.length > maxSecretBytes)) {
    const message = `secret: expected ${minSecretBytes} to ${maxSecretBytes} bytes, got ${given.length}`;
    throw new VakError('invalid-input', message, { details: { field: 'secret' } });
  }
  const added: StoredWorkspaceSecret =
    given === undefined
      ? createWorkspaceSecret(newId, randomness)
      : { id: newId, secret: given, state: 'active', openOnlyUntilMs: null };
  return { contents: withSecrets(contents, held, [...held.secrets, added]), id: newId };
}

/** A secret's new state; `openOnlyUntilMs` (ms since the epoch, null: for good) belongs to `open-only` alone. */
export interface SecretStateChange {
  readonly workspace: string;
  readonly id: string;
  readonly state: StoredWorkspaceSecret['state'];
  readonly openOnlyUntilMs?: number | null;
}

/** Changes what a secret may be used for. Throws `not-found`, `invalid-input`, `conflict` for one that was revoked: that is for good. */
export function setSecretState(contents: KeyStoreContents, change: SecretStateChange): KeyStoreContents {
  const { workspace, id, state, openOnlyUntilMs = null } = change;
  const held = workspaceIn(contents, workspace);
  const known = held.secrets.find((one) => one.id === id);
  if (known === undefined) throw new VakError('not-found', `workspace ${workspace} has no secret of that id`);
  if (known.state === 'revoked' && state !== 'revoked') {
    throw new VakError('conflict', `secret ${id} was revoked, and stays so; add another one under a new id`);
  }
  if (openOnlyUntilMs !== null && (state !== 'open-only' || !Number.isSafeInteger(openOnlyUntilMs))) {
    throw new VakError('invalid-input', 'openOnlyUntilMs: only open-only has an end, in whole ms', {
      details: { field: 'openOnlyUntilMs' },
    });
  }
  const secrets = held.secrets.map((one) => (one.id === id ? { ...one, state, openOnlyUntilMs } : one));
  return withSecrets(contents, held, secrets);
}
