/**
 * Tells what lies in the workspace's buckets and does not count (protocol.md I2, I4).
 * Law: each thing once, however often it is written, and a bounded number of things; never what it says.
 */
import { visibleText } from '../../shared/base/visible-text.ts';
import type { Logger } from '../ports/logger.ts';

export interface DirectoryRefusal {
  readonly kind: 'card' | 'grant';
  /** The key that it lies under, as far as it may be shown; empty: it is about all of the bucket. */
  readonly peer: string;
  /** A sentence for people. */
  readonly why: string;
}

/** Things that are told in the life of a connection. */
const maxTold = 256;
const maxShownLength = 64;
const maxWhyLength = 256;

/** Creates it. */
export function createRefusalTeller({
  logger,
  onRefused,
}: {
  readonly logger: Logger;
  readonly onRefused: (refusal: DirectoryRefusal) => void;
}): (kind: DirectoryRefusal['kind'], key: string, why: string) => void {
  const told = new Set<string>();
  return (kind, key, why) => {
    const id = `${kind} ${key} ${why}`;
    if (told.size >= maxTold || told.has(id)) return;
    told.add(id);
    const refusal = {
      kind,
      peer: visibleText(key.slice(0, maxShownLength)),
      why: visibleText(why.slice(0, maxWhyLength)),
    };
    logger.warn('directory.refused', { ...refusal, isLast: told.size === maxTold });
    onRefused(refusal);
  };
}
