/**
 * Makes what a workspace needs on an engine: streams and key-value buckets of protocol.md §1, idempotently (`vak provision`).
 * Law: the table names the streams; a second run changes nothing; a dry run changes nothing and says what would be done.
 */

import { streamsOf } from '../../shared/protocol/stream-table.ts';
import { checkToken } from '../../shared/protocol/subject.ts';
import type { DurablePlane, KeyValueSpec, Provisioned } from './durable.ts';

export interface ProvisionedPart {
  readonly name: string;
  readonly kind: 'stream' | 'key-value' | 'objects';
  readonly outcome: Provisioned;
}

/** Values of a key that are kept: of grants the superseded ones, by which older envelopes are judged (I4). */
const histories = { CARDS: 16, GRANTS: 64, STATE: 8 } as const;

/** The key-value buckets of a workspace. Throws `invalid-subject` for a workspace that is no token. */
export function keyValuesOf(workspace: string): readonly KeyValueSpec[] {
  const ws = checkToken(workspace, 'workspace');
  return Object.entries(histories).map(([name, history]) => ({ name: `VAK_${name}_${ws}`, history }));
}

/** The bucket of large values that one peer writes; the length keeps two pairs of names apart. Made at its first use. */
export function mediaBucketOf(workspace: string, peer: string): string {
  const ws = checkToken(workspace, 'workspace');
  return `VAK_MEDIA_${ws.length}_${ws}_${checkToken(peer, 'peer')}`;
}

/** One after the other, in the order of the table; what fails ends it. Throws what the plane does: `conflict`, `unsupported`, `limit-exceeded` … */
export async function provision(
  durable: DurablePlane,
  workspace: string,
  options: { readonly dryRun?: boolean } = {},
): Promise<readonly ProvisionedPart[]> {
  const parts: ProvisionedPart[] = [];
  for (const spec of streamsOf(workspace)) {
    parts.push({ name: spec.name, kind: 'stream', outcome: await durable.ensureStream(spec, options) });
  }
  for (const spec of keyValuesOf(workspace)) {
    parts.push({ name: spec.name, kind: 'key-value', outcome: await durable.ensureKeyValue(spec, options) });
  }
  return parts;
}
