/** Why the key store is not open, as text for a report; there is nothing secret in its state. Pure. */
import type { KeyStoreState } from '../../../shared/contract/identity-contract.ts';

export function closedDetails({ kind, keychain, slots, reason, notices }: KeyStoreState): string {
  return [
    `key store: ${kind}`,
    `keychain: ${keychain.name} (${keychain.isReal ? 'real' : 'not real'})`,
    `slots: ${slots.length === 0 ? 'none known' : slots.join(', ')}`,
    `reason: ${reason ?? 'none given'}`,
    ...notices.map((notice) => `notice: ${notice}`),
  ].join('\n');
}
