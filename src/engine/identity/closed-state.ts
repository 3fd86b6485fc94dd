/**
 * How a key store stands that is not open.
 * Law: judged by what is on disk and the keychain of today; nothing is changed by looking.
 */
import { VakError } from '../../shared/base/vak-error.ts';
import type { KeyStoreState } from '../../shared/contract/identity-contract.ts';
import type { Vault } from '../ports/vault.ts';
import type { StoreCopy, StoreDisk } from './store-disk.ts';
import { type StoreHeader, slotOf } from './store-format.ts';
import { backendProblem, describeDamage } from './store-opening.ts';

/** A process without any keychain, as headless peers are: what the store's own keychain is does not concern it. */
export const noBackend = 'none';

/** The part of the state that the files tell. */
export type ClosedState = Pick<KeyStoreState, 'kind' | 'slots' | 'reason'>;

/** Kinds of the slots of a header. */
export function slotKinds({ slots }: StoreHeader): readonly ('keychain' | 'passphrase')[] {
  return slots.map(({ kind }) => kind);
}

/** The copies, or why they cannot even be looked at. */
function look(disk: StoreDisk): readonly StoreCopy[] | VakError {
  try {
    return disk.read();
  } catch (error) {
    if (error instanceof VakError) return error;
    throw error;
  }
}

function keychainProblem(header: StoreHeader, vault: Vault, refusal: string | undefined): string | undefined {
  if (slotOf(header, 'keychain') === undefined) return undefined;
  if (vault.backend().name !== noBackend) return backendProblem(header, vault) ?? refusal;
  const isOnly = slotOf(header, 'passphrase') === undefined;
  return isOnly ? `only the keychain ${header.backend} opens the key store, and there is none here` : undefined;
}

/** Looks at the files. `refusal`: what the keychain said when it was asked last, if it refused. */
export function readClosedState(disk: StoreDisk, vault: Vault, refusal: string | undefined): ClosedState {
  const copies = look(disk);
  if (copies instanceof VakError) return { kind: 'corrupt', slots: [], reason: copies.message };
  if (copies.length === 0) return { kind: 'absent', slots: [], reason: null };
  const header = copies.find(({ parsed }) => parsed !== undefined)?.parsed?.header;
  if (header === undefined) return { kind: 'corrupt', slots: [], reason: describeDamage(copies) };
  const problem = keychainProblem(header, vault, refusal);
  return { kind: problem === undefined ? 'locked' : 'recovery', slots: slotKinds(header), reason: problem ?? null };
}
