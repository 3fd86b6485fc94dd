/** What the bridge hands to a call beside its input. */
import type { CallContext } from '../../src/shared/contract/define-contract.ts';

/** A context of a call that nobody cancels. */
export function createCallContext(): CallContext {
  return { signal: new AbortController().signal };
}
