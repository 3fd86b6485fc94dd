/**
 * Chain heads of a process that keeps none on disk (protocol.md E12): tests, and peers without a profile.
 * Law: what is kept is there until the process ends, and not a moment longer.
 */
import type { ChainHead } from '../../shared/protocol/chain-verdict.ts';
import type { HeadStore } from '../ports/head-store.ts';

/** Creates an empty store. */
export function createMemoryHeadStore(): HeadStore {
  const heads = new Map<string, ChainHead>();
  return {
    previous: (peer, kind) => heads.get(`${peer}.${kind}`),
    keep(peer, kind, head) {
      heads.set(`${peer}.${kind}`, head);
    },
  };
}
