/** Why a message was refused, in words: the tables are the contract's closed sets, so a new reason does not compile here. */
import type { RefusalReason } from '../../shared/contract/trust-report.ts';

/** After "refused:". */
export const refusalWords: Readonly<Record<RefusalReason, string>> = {
  malformed: 'malformed',
  misplaced: 'misplaced',
  plain: 'sent plain',
  unsigned: 'not signed',
  chain: 'broken chain',
  signature: 'invalid signature',
  sender: 'sender has no such right',
  unopenable: 'cannot be opened',
};
