/**
 * Makes what a workspace needs on an engine: streams and key-value buckets of protocol.md §1, idempotently (`vak provision`).
 * Law: the table names the streams; a second run changes nothing; a dry run changes nothing and says what would be done.
 */

import { type ErrorCode, isVakError, type VakError } from '../../shared/base/vak-error.ts';
import { mediaBucket } from '../../shared/protocol/storage-access.ts';
import { type StreamSpec, streamsOf } from '../../shared/protocol/stream-table.ts';
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

export interface ProvisionOptions {
  readonly dryRun?: boolean;
  /**
   * Peers whose buckets of large values are made, too. Where a server enforces access they cannot make them themselves (A4); elsewhere
   * each is made at its first use.
   */
  readonly writers?: readonly string[];
  /** The workspace's streams; as the table has them if left out. */
  readonly streams?: readonly StreamSpec[];
  /** Told of a writer's bucket that is not made; the others are. Left out: that ends it. */
  readonly onFailed?: (name: string, error: VakError) => void;
}

/** After these nothing else would be made either. */
const ending: ReadonlySet<ErrorCode> = new Set(['aborted', 'closed', 'disconnected', 'read-only', 'timeout']);

/**
 * One after the other, in the order of the table; what fails ends it, but a writer's bucket if somebody is told. Throws what the plane does:
 * `conflict`, `unsupported`, `limit-exceeded` …
 */
export async function provision(
  durable: DurablePlane,
  workspace: string,
  { writers = [], streams = streamsOf(workspace), onFailed, ...options }: ProvisionOptions = {},
): Promise<readonly ProvisionedPart[]> {
  const parts: ProvisionedPart[] = [];
  for (const spec of streams) {
    parts.push({ name: spec.name, kind: 'stream', outcome: await durable.ensureStream(spec, options) });
  }
  for (const spec of keyValuesOf(workspace)) {
    parts.push({ name: spec.name, kind: 'key-value', outcome: await durable.ensureKeyValue(spec, options) });
  }
  for (const writer of writers) {
    const name = mediaBucket(workspace, writer);
    try {
      parts.push({ name, kind: 'objects', outcome: await durable.ensureObjects(name, options) });
    } catch (error) {
      if (onFailed === undefined || !isVakError(error) || ending.has(error.code)) throw error;
      onFailed(name, error);
    }
  }
  return parts;
}
